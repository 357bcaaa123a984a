"""``training.json`` of a training run: what was run, when, where and by which versions, once for each time it began."""

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NotRequired, TypedDict

from xalign_fairseq.core.devices import cores
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.installed import version
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.mending import LAST
from xalign_fairseq.trainer.record import commit, machine
from xalign_fairseq.trainer.train_line import value

NAME = "training.json"
PACKAGES = ("xalign_fairseq", "fairseq-fixed", "torch", "numpy", "transformers")


# What makes two command lines two runs, and what fairseq-train takes where an option is not given.
IDENTITY = {"--task": None, "--arch": None, "--criterion": None, "--objectives": None, "--init-checkpoint": None,
            "--seed": "1"}  # fmt: skip
# With these the user says what of an earlier run is taken over.
TAKEN_OVER = ("--restore-file", "--finetune-from-model", "--reset-optimizer", "--reset-dataloader", "--reset-meters",
              "--reset-lr-scheduler")  # fmt: skip


class Session(TypedDict):
    """One time that the run was begun or gone on with. ``ended`` and ``exit`` are None if that was killed."""

    command: str
    data: NotRequired[list[str]]  # which records of earlier versions have for the newest alone
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


def require_same(folder: Path, line: Sequence[str]) -> None:
    """Raise :class:`XalignError` if a folder has the checkpoints of another run, which fairseq-train would go on from.

    More updates, more data-bins beside one that was there, another learning rate or batch size are the same run's.

    Args:
        folder: the save dir.
        line: what fairseq-train would be given.
    """
    path = folder / NAME
    if not (path.is_file() and (folder / LAST).exists()) or any(each.partition("=")[0] in TAKEN_OVER for each in line):
        return
    record = read_json(path, TrainRecord)
    newest = _writer(folder, record)
    earlier, earlier_data = shlex.split(newest["command"])[1:], newest.get("data", record["data"])
    given = {name: [value(each, name) or usual for each in (earlier, line)] for name, usual in IDENTITY.items()}
    found = [f"{name} {before}, now {now}" for name, (before, now) in given.items() if before != now]
    data = _data(line)
    # By their places too: from another folder, or through a link, the same data-bin has another name.
    if not {*data, *map(os.path.realpath, data)} & {*earlier_data, *map(os.path.realpath, earlier_data)}:
        found.append(f"{':'.join(earlier_data)}, now {':'.join(data)}")
    if found:
        raise XalignError(
            "the folder has the checkpoints of another run",
            where=folder,
            found="; ".join(found),
            expected="the options of that run, to go on with it",
            remedy="another --save-dir, or remove this one; --restore-file FILE says what to go on from",
        )


def _writer(folder: Path, record: TrainRecord) -> Session:
    """The session that the last checkpoint is of: one that ended before it wrote any says nothing of the run."""
    written = datetime.fromtimestamp((folder / LAST).stat().st_mtime, UTC)
    before = [each for each in record["sessions"] if datetime.fromisoformat(each["begun"]) <= written]
    return (before or record["sessions"])[-1]


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
        "data": _data(line),
        "begun": _now(),
        "ended": None,
        "exit": None,
        "commit": commit(),
        "machine": f"{machine(cpu='--cpu' in line)}, {cores()} cores",
        "versions": {name: each for name, each in found.items() if each},
    }
    record: TrainRecord = {"data": _data(line), "sessions": [*sessions, begun]}
    write_json(path, record)
    return record


def _data(line: Sequence[str]) -> list[str]:
    """The data-bins of a command line."""
    return [str(Path(each).absolute()) for each in line[0].split(":")]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
