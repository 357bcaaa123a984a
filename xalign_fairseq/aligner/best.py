"""The folder of an aligner that was made in steps: encoders that learned from gold or bitext, and its statistics."""

import os
from pathlib import Path
from typing import NamedTuple, TypedDict

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json

BEGUN, DONE = "begun.json", "best.json"
# Options of an aligner that hold for any encoder, method or statistics, and those that choose links.
COMMON = ("min_probability", "threshold", "growth", "languages", "device", "dtype", "processes", "batch_tokens")


class FinishedStep(TypedDict):
    """A finished step: ``before`` and ``aer`` are the AER on held-out gold (a fraction) without it and with it, None
    without gold that can judge it; ``used``: whether the aligner uses its result, that is, unless the AER is higher.
    """

    done: str
    cpu_seconds: float
    before: float | None
    aer: float | None
    used: bool


class BestAligner(TypedDict):
    """The content of ``best.json``: encoders and method, and what lies below this folder, empty if not used."""

    encoder: str
    gold: str
    method: str
    trained: str
    statistics: str
    steps: dict[str, FinishedStep]


class BestParts(NamedTuple):
    """The parts of an aligner: an encoder with its method, a second one, whose method is ``grow``, and statistics."""

    encoder: str
    method: str
    trained: str | None = None
    statistics: Path | None = None


def read_best(path: str | os.PathLike[str]) -> BestParts | None:
    """The parts of a folder that ``train-aligner --best`` has finished; ``None`` for anything else."""
    folder = Path(path)
    if not (folder / DONE).is_file():
        return None
    found = read_json(folder / DONE, BestAligner)
    return BestParts(
        str(folder / found["gold"]) if found["gold"] else found["encoder"],
        found["method"],
        str(folder / found["trained"]) if found["trained"] else None,
        folder / found["statistics"] if found["statistics"] else None,
    )


def check_own(options: AlignerOptions) -> None:
    """Raise :class:`XalignError` for an option that the folder itself sets."""
    for name in options.given():
        if name not in COMMON:
            problem = "the folder of an aligner made by all steps sets this option itself"
            raise XalignError(problem, parameter=name, remedy="leave it out")
