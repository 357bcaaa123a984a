"""The options of loading an aligner, as one value."""

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from xalign_fairseq.core.devices import choose_devices
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transport.layers import layer_range
from xalign_fairseq.transport.linking import UNSPECIFIED, Linking


@dataclass(frozen=True)
class AlignerOptions:
    """How an aligner is loaded.

    Attributes:
        linking: how links are made; unspecified parts come from the model, its family or a default.
        statistics: folder of statistics of bitext, to combine with the encoder's scores.
        min_probability: minimum probability of a link. Aligners from bitext alone, with statistics, ``grow`` and
            ``scored`` link all pairs of words that reach it; other methods drop their links below it. None: the setting
            with the lowest AER on development gold.
        languages: source and target language, needed by linear maps and by encoders with language embeddings.
        maps: apply the checkpoint's linear maps to separately encoded sides.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, or several: ``cuda:0,cuda:1``, one process each.
        dtype: dtype of weights and hidden states: ``auto`` (bfloat16 where fast, otherwise float32), ``float32`` or
            ``bfloat16`` (:func:`xalign_fairseq.core.devices.choose_dtype`).
        processes: CPU processes, one thread each; with several, a script needs ``if __name__ == "__main__":``.
        batch_tokens: maximum number of tokens in a batch with padding; a batch has at least one pair.
        sinkhorn_backend: transport of all aligners of the process (:data:`~xalign_fairseq.transport.names.BACKENDS`).
        refuse_unused: languages that neither the maps nor the encoder use are an error.

    Raises:
        XalignError: the minimum probability is outside 0 to 1, or is given twice.
    """

    linking: Linking = UNSPECIFIED
    statistics: str | None = None
    min_probability: float | None = None
    languages: tuple[str, str] | None = None
    maps: bool = False
    device: str = "auto"
    dtype: str = "auto"
    processes: int = 1
    batch_tokens: int = 8192
    sinkhorn_backend: str = "auto"
    refuse_unused: bool = field(default=False, compare=False)  # no setting of links

    def __post_init__(self) -> None:
        if (least := self.min_probability) is not None:
            check_values("a link probability is out of range", ("min_probability", least, 0 <= least <= 1, "0 to 1"))
            for name in {"threshold", "growth"} & self.linking.options.keys():
                problem, remedy = "these options exclude each other", "leave one of them out"
                raise XalignError(problem, parameter=("min_probability", name), remedy=remedy)

    def changed(self, **options: Any) -> "AlignerOptions":
        """The same with some options changed by name; :class:`XalignError` for an unknown one."""
        known = [each.name for each in fields(self)]
        for name in options.keys() - set(known):
            raise XalignError("an aligner does not have this option", parameter=name, expected=", ".join(known))
        return replace(self, **options)

    def on_devices(self) -> "AlignerOptions":
        """The same with the device of each process by name, and one dtype for all, so that their links are equal."""
        devices, dtype = choose_devices(self.device, self.dtype, self.processes)
        return replace(self, device=devices, dtype=dtype, processes=1)

    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, by their names in errors and on the command line."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "linking":
                found |= linking_options(value)
            elif each.compare and value != each.default:
                found[each.name] = value
        return found


def least_options(method: str, probability: float) -> dict[str, float]:
    """The options that make a method link all pairs of words with at least a probability; empty if it has none."""
    if not probability:
        return {}
    return {"scored": {"threshold": probability}, "grow": {"threshold": probability, "growth": 1.0}}.get(method, {})


def linking_options(linking: Linking) -> dict[str, Any]:
    """The specified parts of a linking, by their names on the command line."""
    parts = {
        "layer": layer_range(linking.layers),
        "method": linking.method,
        **linking.options,
        "similarity": linking.similarity,
        "encoding": linking.encoding,
    }
    return {name: value for name, value in parts.items() if value != ""}


BEST_BEGUN, BEST_DONE = "begun.json", "best.json"


class FinishedStep(TypedDict):
    """A finished step, with the AER (a fraction) on held-out gold before and after it, if there is any."""

    done: str
    cpu_seconds: float
    before: float | None
    aer: float | None
    used: bool


class BestAligner(TypedDict):
    """The content of ``best.json``: encoders, method and paths below this folder, empty if not used."""

    encoder: str
    gold: str
    method: str
    trained: str
    statistics: str
    steps: dict[str, FinishedStep]


class BestParts(NamedTuple):
    """The parts of an aligner: an encoder with its method, a second encoder with ``grow``, and statistics."""

    encoder: str
    method: str
    trained: str | None = None
    statistics: Path | None = None


def read_best(path: str | os.PathLike[str]) -> BestParts | None:
    """The parts of a folder that ``train-aligner --best`` has finished; ``None`` for anything else."""
    folder = Path(path)
    if not (folder / BEST_DONE).is_file():
        return None
    found = read_json(folder / BEST_DONE, BestAligner)
    return BestParts(
        str(folder / found["gold"]) if found["gold"] else found["encoder"],
        found["method"],
        str(folder / found["trained"]) if found["trained"] else None,
        folder / found["statistics"] if found["statistics"] else None,
    )
