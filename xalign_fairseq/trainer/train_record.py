"""``training.json`` of a training: command, time, machine and versions of each session."""

import os
import platform
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NotRequired, TypedDict

from xalign_fairseq.core.devices import cores
from xalign_fairseq.core.installation import version
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.fairseq_train import USER_DIR


def commit(file: Path = USER_DIR / "__init__.py") -> str | None:
    """A source file's short commit, with ``-dirty`` if sources differ; outside git, XALIGN_COMMIT or None."""
    git = ("git", "-C", str(file.parent))
    if _output(*git, "ls-files", "--error-unmatch", file.name) is None:
        return os.environ.get("XALIGN_COMMIT") or None
    return _output(*git, "describe", "--always", "--dirty", "--exclude", "*")  # tags would replace the hash


def machine(cpu: bool = False) -> str:
    """The name of the active GPU, or of the CPU, without loading torch."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    names = None
    if not cpu and visible not in ("", "-1"):
        query = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
        # CUDA knows more names than nvidia-smi, such as names of a GPU's parts.
        names = _output(*query, "-i", visible) or _output(*query)
    return names.splitlines()[0] if names else f"{platform.machine()} CPU"


def _output(*command: str) -> str | None:
    """The output of a program; None if it fails or is not installed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


NAME = "training.json"
PACKAGES = ("xalign_fairseq", "fairseq-fixed", "torch", "numpy", "transformers")


class Session(TypedDict):
    """One start or resumption of the training; ``exit`` is negative for a signal, None if the launcher ended."""

    command: str
    data: list[str]
    begun: str
    ended: str | None
    exit: int | None
    commit: str | None
    machine: str
    versions: dict[str, str]
    optimizer: NotRequired[str]


class TrainRecord(TypedDict):
    """The whole file."""

    sessions: list[Session]


class Ended:
    """Records the end of a session: ``code`` is the exit code, None if interrupted; and the optimizer."""

    code: int | None = None
    optimizer: str | None = None


@contextmanager
def session(folder: Path, line: Sequence[str]) -> Iterator[Ended]:
    """Add a session to the folder's ``training.json``; the end of the block adds its end and exit code."""
    record, ended = _begin(folder, line), Ended()
    try:
        yield ended
    finally:
        record["sessions"][-1] |= {"ended": _now(), "exit": ended.code}
        if ended.optimizer:
            record["sessions"][-1]["optimizer"] = ended.optimizer
        write_json(folder / NAME, record)


def _begin(folder: Path, line: Sequence[str]) -> TrainRecord:
    path = folder / NAME
    sessions = read_json(path, TrainRecord)["sessions"] if path.is_file() else []
    found = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    session: Session = {
        "command": shlex.join(["fairseq-train", *line]),
        "data": [str(Path(each).absolute()) for each in line[0].split(":")],
        "begun": _now(),
        "ended": None,
        "exit": None,
        "commit": commit(),
        "machine": f"{machine(cpu='--cpu' in line)}, {cores()} cores",
        "versions": {name: each for name, each in found.items() if each},
    }
    record: TrainRecord = {"sessions": [*sessions, session]}
    write_json(path, record)
    return record


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
