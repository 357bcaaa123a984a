"""The options of loading an aligner, as one value."""

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transport.linking import UNSPECIFIED, Linking, layer_range

UNITS = ("word", "subword")


@dataclass(frozen=True)
class AlignerOptions:
    """How an aligner is loaded.

    Attributes:
        linking: how links are made; what is unspecified is completed by the model, its family or a default.
        statistics: folder of statistics of bitext, whose scores are combined with the encoder's.
        min_probability: of a link. Aligners from bitext alone, with statistics, ``grow`` and ``scored`` take all pairs
            of words of this probability, the other methods those of their links that have it. None: as AER on
            development gold was lowest.
        languages: of source and target; linear maps and encoders with language embeddings need them.
        maps: use the checkpoint's linear maps of the hidden states of separately encoded sides.
        units: what links join, ``word`` or ``subword``.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, or several: ``cuda:0,cuda:1``, with a process each.
        dtype: of weights and hidden states: ``auto`` (bfloat16 where that is fast, otherwise float32), ``float32``
            or ``bfloat16`` (:func:`xalign_fairseq.core.devices.choose_dtype`).
        processes: on the CPU, each with one thread; a script needs ``if __name__ == "__main__":`` for several.
        batch_tokens: most tokens in a batch, padding included; at least one pair is always taken.
        dictionary: dict.txt, if the model does not carry its own.
        spm: sentencepiece model, if the model does not carry its own.
        sinkhorn_backend: what computes transport (:data:`~xalign_fairseq.transport.names.BACKENDS`).
    """

    linking: Linking = UNSPECIFIED
    statistics: str | None = None
    min_probability: float | None = None
    languages: tuple[str, str] | None = None
    maps: bool = False
    units: str = UNITS[0]
    device: str = "auto"
    dtype: str = "auto"
    processes: int = 1
    batch_tokens: int = 8192
    dictionary: str | None = None
    spm: str | None = None
    sinkhorn_backend: str = "auto"

    @classmethod
    def of(cls, **options: Any) -> "AlignerOptions":
        """The options by name; :class:`XalignError` for an unknown one."""
        known = [each.name for each in fields(cls)]
        for name in options.keys() - set(known):
            raise XalignError("an aligner has no such option", parameter=name, expected=", ".join(known))
        return cls(**options)

    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, by the names that errors and the command line have for them."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "linking":
                found |= linking_options(value)
            elif value != each.default:
                found["dict" if each.name == "dictionary" else each.name] = value
        return found


def require_one_choice(options: AlignerOptions) -> None:
    """Raise :class:`XalignError` if the least probability of a link is not a probability, or given in two ways."""
    least = options.min_probability
    if least is None:
        return
    check_values("a link probability is out of range", ("min_probability", least, 0 <= least <= 1, "0 to 1"))
    for name in {"threshold", "growth"} & options.linking.options.keys():
        raise XalignError(
            "these options exclude each other", parameter=("min_probability", name), remedy="leave one of them out"
        )


def least_options(method: str, probability: float) -> dict[str, float]:
    """The options by which a method takes all pairs of words of a probability; none if it chooses in another way."""
    if not probability:
        return {}
    return {"scored": {"threshold": probability}, "grow": {"threshold": probability, "growth": 1.0}}.get(method, {})


def linking_options(linking: Linking) -> dict[str, Any]:
    """The parts of a linking that are specified, by their names on the command line."""
    parts = {
        "layer": layer_range(linking.layers),
        "method": linking.method,
        **linking.options,
        "similarity": linking.similarity,
        "encoding": linking.encoding,
    }
    return {name: value for name, value in parts.items() if value != ""}


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
