"""The folder of an aligner that was made in steps: a trained encoder, a link scorer, and statistics of its bitext."""

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypedDict

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transport.linking import Linking

BEGUN, DONE = "begun.json", "best.json"
# Options of an aligner that hold for any encoder, method or statistics, and those that choose links.
COMMON = ("min_probability", "threshold", "growth", "languages", "device", "dtype", "processes", "batch_tokens")


class FinishedStep(TypedDict):
    """A finished step.

    Attributes:
        done: what it was.
        cpu_seconds: of the call that finished it.
        before: AER on held-out gold without it, as a fraction; None without gold that can judge it.
        aer: the same with it.
        used: whether the aligner uses its result, which it does unless the AER is higher.
    """

    done: str
    cpu_seconds: float
    before: float | None
    aer: float | None
    used: bool


class BestAligner(TypedDict):
    """What ``best.json`` says.

    Attributes:
        encoder: a name or a checkpoint below the folder.
        method: that scores pairs of words, ``grow`` or ``scored``.
        scorer: a file below the folder; empty for the packaged one.
        statistics: a folder below the folder; empty if they are not used.
        steps: by name, in their order.
    """

    encoder: str
    method: str
    scorer: str
    statistics: str
    steps: dict[str, FinishedStep]


class BestParts(NamedTuple):
    """The parts of a finished folder."""

    encoder: str
    linking: Linking
    statistics: Path | None


def read_best(path: str | os.PathLike[str]) -> BestParts | None:
    """The parts of a folder that ``train-aligner --best`` has finished; ``None`` for anything else.

    Example::

        read_best("aligner").encoder  # "aligner/encoder/checkpoint_last.pt"
    """
    folder = Path(path)
    if not (folder / DONE).is_file():
        return None
    found = read_json(folder / DONE, BestAligner)
    own = folder / found["encoder"]
    return BestParts(
        str(own) if own.exists() else found["encoder"],
        Linking(found["method"], {"scorer": str(folder / found["scorer"])} if found["scorer"] else {}),
        folder / found["statistics"] if found["statistics"] else None,
    )


def best_options(parts: BestParts, options: AlignerOptions) -> AlignerOptions:
    """The options of the encoder of such an aligner.

    Raises:
        XalignError: an option that the folder itself sets.
    """
    for name in options.given():
        if name not in COMMON:
            problem = "the folder of an aligner made by all steps sets this option itself"
            raise XalignError(problem, parameter=name, remedy="leave it out")
    linking = replace(parts.linking, options={**parts.linking.options, **options.linking.options})
    return replace(options, linking=linking)
