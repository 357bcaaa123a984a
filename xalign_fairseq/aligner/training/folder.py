"""The folder of a run: whose it is, and its checkpoints, whole again after a kill."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import atomic_write


class RunFolder:
    """``data-bin``, ``run.json`` (what the run is), ``train.log``, two checkpoints, and ``result.json`` at the end.

    Args:
        path: the folder, which need not be there yet.

    Example::

        folder = RunFolder(Path("aligner"))
        with folder.alone():
            folder.begin({"identity": {"seed": 1}})
    """

    def __init__(self, path: Path):
        self.path = path
        self.run, self.result, self.log = path / "run.json", path / "result.json", path / "train.log"
        self.best, self.last = path / "checkpoint_best.pt", path / "checkpoint_last.pt"
        self._lock = path / ".lock"

    def require_own(self) -> None:
        """Raise :class:`XalignError` if anything else is in the folder than a run, or what precedes its beginning."""
        if not self.path.exists() or self.run.is_file():
            return
        before = ("data-bin", self._lock.name, self.log.name)
        if not self.path.is_dir() or any(each.name not in before for each in self.path.iterdir()):
            raise XalignError(
                "the output folder holds something else than a run of train-aligner",
                where=self.path,
                expected="a new or empty folder, or one that this command has begun",
                next="choose another --out",
            )

    def begun(self, identity: dict[str, Any]) -> dict[str, Any] | None:
        """What ``run.json`` says, None if the run has not begun; :class:`XalignError` if it is another one."""
        if not self.run.is_file():
            return None
        begun = read_json(self.run)
        found = begun["identity"]
        differing = [key for key in sorted(found.keys() | identity.keys()) if found.get(key) != identity.get(key)]
        if differing:
            raise XalignError(
                "the output folder is of another run",
                where=self.path,
                found="; ".join(f"{key} {json.dumps(found.get(key))}" for key in differing),
                expected="; ".join(f"{key} {json.dumps(identity.get(key))}" for key in differing),
                next="choose another --out, or remove this folder",
            )
        return begun

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Hold the folder against other processes; the open lock, which goes with the last process that holds it."""
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self._lock, "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise XalignError("the run is being made by another process", where=self.path) from None
            yield lock.fileno()

    def mend(self) -> bool:
        """Make damaged checkpoints whole again; whether there is one to go on from.

        fairseq writes a checkpoint under one name and copies it to the others in place, so that a kill may leave half a
        copy: the newest whole checkpoint is what was being copied.
        """
        updates = {path: updates_of(path) for path in self.path.glob("checkpoint_*.pt")}
        whole = {path: number for path, number in updates.items() if number is not None}
        newest = max(whole, key=lambda path: whole[path], default=None)
        for path in updates.keys() - whole.keys():
            if newest is None or path not in (self.best, self.last):
                path.unlink()
                continue
            with open(newest, "rb") as source, atomic_write(path, "wb") as target:
                shutil.copyfileobj(source, target)
        return self.last.is_file()

    def tidy(self) -> Path:
        """Remove checkpoints but the best and the last; the one that is the result, the last where none is best."""
        for path in self.path.glob("checkpoint_*"):
            if path not in (self.best, self.last):
                path.unlink()
        return self.best if self.best.is_file() else self.last


def updates_of(path: Path) -> int | None:
    """The updates that a checkpoint of fairseq-train has had, None if it is damaged."""
    try:
        return int(checkpoint.read(path)["optimizer_history"][-1]["num_updates"])
    except XalignError:
        return None


def read_json(path: Path) -> dict[str, Any]:
    """A file that :func:`write_json` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a dict whole or not at all."""
    with atomic_write(path) as stream:
        json.dump(content, stream, indent=1, ensure_ascii=False)
        stream.write("\n")
