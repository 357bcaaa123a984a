"""The folder of a run, and its files at the end."""

from pathlib import Path
from typing import Any, TypedDict

from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.own_folder import require_identity, require_own_folder
from xalign_fairseq.trainer.mending import BEST, LAST

TRIMMED, WHOLE = "trimmed.pt", "model.pt"  # every command takes the second as the folder's model


class Begun(TypedDict):
    """The content of ``run.json``: the run's definition, and the AER before it, with a development set."""

    identity: dict[str, Any]
    before: float | None


class RunFolder:
    """``data-bin``, ``run.json`` (what the run is), ``train.log``, two checkpoints, and ``result.json`` at the end."""

    def __init__(self, path: Path):
        self.path = path
        self.run, self.result = path / "run.json", path / "result.json"
        self.best, self.last = path / BEST, path / LAST

    def require_own(self) -> None:
        """Raise :class:`XalignError` if the folder has files other than those of a run."""
        require_own_folder(self.path, self.run.name, "a run of train-aligner", ("data-bin", TRIMMED, "train.log"))

    def begun(self, identity: dict[str, Any]) -> Begun | None:
        """The content of ``run.json``, None if the run has not begun; :class:`XalignError` if it is another one."""
        if not self.run.is_file():
            return None
        found = read_json(self.run, Begun)
        note = "" if self.last.is_file() else "in which nothing is trained yet"
        require_identity(self.path, found["identity"], identity, note)
        return found

    def tidy(self) -> Path:
        """Remove all checkpoints except the best and the last; returns the result: the best, otherwise the last."""
        for path in self.path.glob("checkpoint_*"):
            if path not in (self.best, self.last):
                path.unlink()
        return self.best if self.best.is_file() else self.last
