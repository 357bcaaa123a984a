"""``training.json`` of a training run: what was run, when, where and by which versions, once for each time it began."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from xalign_fairseq.files import read_json, write_json
from xalign_fairseq.launch.devices import cores
from xalign_fairseq.launch.installed import version
from xalign_fairseq.launch.record import commit, machine

NAME = "training.json"
PACKAGES = ("xalign_fairseq", "fairseq-fixed", "torch", "numpy", "transformers")


class Session(TypedDict):
    """One time that the run was begun or gone on with. ``ended`` and ``exit`` are None if that was killed."""

    command: str
    begun: str
    ended: str | None
    exit: int | None
    commit: str | None
    machine: str
    versions: dict[str, str]


class TrainRecord(TypedDict):
    """The whole file."""

    data: list[str]
    sessions: list[Session]


class Ended:
    """How a session ends: ``code`` is the exit code, None if it is broken off."""

    code: int | None = None


@contextmanager
def session(folder: Path, line: Sequence[str]) -> Iterator[Ended]:
    """Write that a session begins, behind those that the folder has, and at the end of the block that it has ended.

    Args:
        folder: the save dir.
        line: what fairseq-train is given, the data-bins first.

    Example::

        with session(Path("run"), ["data-bin", "--lr", "1e-4"]) as ended:
            ended.code = process.wait()
    """
    record, ended = _begin(folder, line), Ended()
    try:
        yield ended
    finally:
        record["sessions"][-1] |= {"ended": _now(), "exit": ended.code}
        write_json(folder / NAME, record)


def _begin(folder: Path, line: Sequence[str]) -> TrainRecord:
    import platform

    path = folder / NAME
    sessions = read_json(path, TrainRecord)["sessions"] if path.is_file() else []
    found = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    begun: Session = {
        "command": shlex.join(["fairseq-train", *line]),
        "begun": _now(),
        "ended": None,
        "exit": None,
        "commit": commit(),
        "machine": f"{machine(cpu='--cpu' in line)}, {cores()} cores",
        "versions": {name: each for name, each in found.items() if each},
    }
    record: TrainRecord = {"data": [str(Path(each).absolute()) for each in line[0].split(":")],
                           "sessions": [*sessions, begun]}  # fmt: skip
    write_json(path, record)
    return record


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
