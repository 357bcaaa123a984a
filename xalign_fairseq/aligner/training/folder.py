"""The folder of a run: which run it is of, and what is left at the end."""

import json
from pathlib import Path
from typing import Any, TypedDict

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import LOCK
from xalign_fairseq.trainer.mending import BEST, LAST


class Begun(TypedDict):
    """What ``run.json`` says: what the run is, and the AER before it, where there is a development set."""

    identity: dict[str, Any]
    before: float | None


class RunFolder:
    """``data-bin``, ``run.json`` (what the run is), ``train.log``, two checkpoints, and ``result.json`` at the end.

    Args:
        path: the folder, which need not be there yet.

    Example::

        folder = RunFolder(Path("aligner"))
        folder.require_own()
        folder.begun({"seed": 1})  # None: the run has not begun
    """

    def __init__(self, path: Path):
        self.path = path
        self.run, self.result, self.log = path / "run.json", path / "result.json", path / "train.log"
        self.best, self.last = path / BEST, path / LAST

    def require_own(self) -> None:
        """Raise :class:`XalignError` if anything else is in the folder than a run, or what precedes its beginning."""
        if not self.path.exists() or self.run.is_file():
            return
        before = ("data-bin", "trimmed.pt", LOCK, self.log.name)
        if not self.path.is_dir() or any(each.name not in before for each in self.path.iterdir()):
            raise XalignError(
                "the output folder holds something else than a run of train-aligner",
                where=self.path,
                expected="a new or empty folder, or one that this command has begun",
                remedy=("choose another", Parameter("out")),
            )

    def begun(self, identity: dict[str, Any]) -> Begun | None:
        """What ``run.json`` says, None if the run has not begun; :class:`XalignError` if it is another one."""
        if not self.run.is_file():
            return None
        begun = read_json(self.run, Begun)
        found = begun["identity"]
        differing = [key for key in sorted(found.keys() | identity.keys()) if found.get(key) != identity.get(key)]
        if differing:
            raise XalignError(
                "the output folder is of another run",
                where=self.path,
                found="; ".join(f"{key} {json.dumps(found.get(key))}" for key in differing),
                expected="; ".join(f"{key} {json.dumps(identity.get(key))}" for key in differing),
                remedy=(
                    *("choose another", Parameter("out"), "or remove this folder"),
                    *(() if self.last.is_file() else ("in which nothing is trained yet",)),
                ),
            )
        return begun

    def tidy(self) -> Path:
        """Remove checkpoints but the best and the last; the one that is the result, the last where none is best."""
        for path in self.path.glob("checkpoint_*"):
            if path not in (self.best, self.last):
                path.unlink()
        return self.best if self.best.is_file() else self.last
