"""The folder of a statistical aligner. Each kind of units is trained in turn; an interrupted run continues."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from xalign_fairseq.aligner.statistical.backend import backend
from xalign_fairseq.aligner.statistical.choice import USUAL, Calibration, Choice
from xalign_fairseq.aligner.statistical.models import UnitModel
from xalign_fairseq.aligner.statistical.reference import Counts
from xalign_fairseq.aligner.statistical.sentences import (
    UnitSide,
    UnitText,
    Words,
    cell_starts,
    cut_words,
    number_words,
    unit_text,
)
from xalign_fairseq.aligner.statistical.tables import (
    FIRST,
    FLOOR,
    REACH,
    Factors,
    Guide,
    Tables,
    empty_pairs,
    first_jumps,
    first_tables,
    word_factors,
)
from xalign_fairseq.aligner.statistical.units import NAMES, cut_all, make_units
from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_changed_json
from xalign_fairseq.core.locks import resumable_folder
from xalign_fairseq.core.workers import use_one_thread_in_forks

PASSES = (4, 5)
"""Passes over the text: with equal places, then with jumps."""
ALONE, JUMP = 1e-3, 0.5  # pseudocounts of units without partner, and of jumps


def learn(
    text: UnitText,
    units: Sequence[list[str]],
    progress: Callable[[int, int], object] | None = None,
    factors: Factors | None = None,
) -> Tables:
    """Tables from the units of a bitext; units that occur in no fitting pair are left out."""
    if not text.fits.any():
        raise XalignError("there is no pair of sentences to learn from", expected="words on both sides")
    text, (src, tgt) = _used(text, units)
    tables = first_tables(src, tgt, *backend().seen_pairs(text, (len(src), len(tgt))))
    for number in range(sum(PASSES)):
        if number == PASSES[0]:
            tables = replace(tables, jumps=(first_jumps(), first_jumps()))
        tables = maximised(tables, backend().expected_counts(tables, text, factors))
        if progress:
            progress(number + 1, sum(PASSES))
    return tables.pruned()


def _used(text: UnitText, units: Sequence[list[str]]) -> tuple[UnitText, list[dict[str, int]]]:
    """The text with ids of only the units in fitting pairs, and these units."""
    sides: list[UnitSide] = []
    known: list[dict[str, int]] = []
    for side, names in zip(text.sides, units, strict=True):
        used = np.zeros(len(names), bool)
        used[side.ids[np.repeat(text.fits, side.lengths)]] = True
        sides.append(side._replace(ids=(np.cumsum(used) - 1).astype(np.int32)[side.ids]))
        known.append({names[unit]: number for number, unit in enumerate(np.nonzero(used)[0].tolist())})
    return UnitText((sides[0], sides[1]), text.fits), known


def maximised(tables: Tables, counts: Counts) -> Tables:
    """Tables with probabilities from expected counts."""
    links = counts.links[FIRST:]
    by_src = np.add.reduceat(links, tables.starts[:-1]).clip(1e-30)
    by_tgt = np.bincount(tables.targets, links).clip(1e-30)
    pairs = empty_pairs(len(links))
    pairs[FIRST:, 0] = links / np.repeat(by_src, np.diff(tables.starts))
    pairs[FIRST:, 1] = links / by_tgt[tables.targets]
    np.maximum(pairs[FIRST:], np.float32(FLOOR), out=pairs[FIRST:])
    null = _null(counts.alone[0]), _null(counts.alone[1])
    jumps = tables.jumps
    if jumps[0] is not None:
        jumps = _shares(counts.jumps[0], JUMP), _shares(counts.jumps[1], JUMP)
    return replace(tables, pairs=pairs, null=null, jumps=jumps)


def _null(alone: np.ndarray) -> np.ndarray:
    return np.append(_shares(alone[:-2], ALONE).clip(FLOOR), np.array([FLOOR, 1], np.float32))


def _shares(counts: np.ndarray, added: float) -> np.ndarray:
    return np.asarray((counts + added) / (counts + added).sum(), np.float32)


NULL = ("null_tgt", "null_src")
FORM = {
    "keys": ArrayForm(np.int64, 1),
    **dict.fromkeys(("pairs", "jumps"), ArrayForm(np.float32, 2)),
    **dict.fromkeys(NULL, ArrayForm(np.float32, 1)),
    **dict.fromkeys(("src", "tgt", "src_model", "tgt_model"), ArrayForm(np.uint8, 1)),
}
MOST = 1.001  # upper bound of a probability, with rounding
RETRAIN = "train it again"


def arrays_of(model: UnitModel) -> dict[str, np.ndarray]:
    """The arrays of a model's file: tables, units and pieces."""
    tables = model.tables
    return {
        "keys": tables.keys,
        "pairs": tables.pairs,
        "null_tgt": tables.null[0],
        "null_src": tables.null[1],
        "jumps": np.stack([each for each in tables.jumps if each is not None]),
        "src": _bytes("\n".join(tables.src).encode()),
        "tgt": _bytes("\n".join(tables.tgt).encode()),
        "src_model": _bytes(model.units[0].model),
        "tgt_model": _bytes(model.units[1].model),
    }


def model_of(name: str, arrays: Mapping[str, np.ndarray], path: Path) -> UnitModel:
    """The inverse of :func:`arrays_of`, from a file; :class:`XalignError` if the arrays do not fit together."""
    jumps, pairs, null_tgt, null_src = (arrays[part] for part in ("jumps", "pairs", *NULL))
    try:
        src, tgt = (
            {unit: number for number, unit in enumerate(arrays[side].tobytes().decode().split("\n"))}
            for side in ("src", "tgt")
        )
        units = tuple(make_units(name, {}, arrays[f"{side}_model"].tobytes()) for side in ("src", "tgt"))
    except (ValueError, RuntimeError) as error:
        raise XalignError("a statistical model can't be read", where=path, found=error, remedy=RETRAIN) from error
    keys, most = arrays["keys"], len(src) * (len(tgt) + 1)
    if not (
        len(pairs) == FIRST + len(keys) > FIRST
        and (len(null_tgt), len(null_src)) == (len(tgt) + 2, len(src) + 2)
        and jumps.shape == (2, 2 * REACH + 1)
        and pairs.shape[1] == 2
        and 0 <= keys[0] <= keys[-1] < most
        and bool((np.diff(keys) > 0).all())
        and all(bool(((each >= 0) & (each <= MOST)).all()) for each in (pairs, jumps, null_tgt, null_src))
    ):
        raise XalignError("the tables of a statistical model are inconsistent", where=path, remedy=RETRAIN)
    sources, targets = np.divmod(keys, len(tgt) + 1)
    starts = np.searchsorted(sources, np.arange(len(src) + 1))
    tables = Tables(src, tgt, starts, targets.astype(np.int32), pairs, (null_tgt, null_src), (jumps[0], jumps[1]))
    return UnitModel(name, (units[0], units[1]), tables)


def _bytes(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


BEGUN, DONE = "begun.json", "statistical.json"
Pairs = Iterable[tuple[Sequence[str], Sequence[str]]]
Progress = Callable[[str, int, int], object]


class Described(TypedDict):
    """The content of ``statistical.json``."""

    units: list[str]
    threshold: float
    growth: float
    slope: float
    shift: float


class TrainedModels(NamedTuple):
    """A statistical aligner: models, choice of links, and state and method of the guiding encoder, if any."""

    models: list[UnitModel]
    choice: Choice
    guide: str | None = None
    method: str | None = None


def is_statistical(path: str | os.PathLike[str] | None) -> bool:
    """Whether a path is the folder of a trained statistical aligner."""
    return path is not None and (Path(path) / DONE).is_file()


def aligner_folder(folder: Path, identity: dict[str, Any]) -> AbstractContextManager[None]:
    """Lock the folder of a learned aligner, see :func:`~xalign_fairseq.core.locks.resumable_folder`."""
    return resumable_folder(folder, BEGUN, identity, "a statistical aligner")


def passes_left(folder: Path) -> int:
    """The number of passes of all models that the folder does not have yet."""
    return sum(PASSES) * sum(not (folder / f"{name}.npz").is_file() for name in NAMES)


def learn_models(pairs: Pairs, folder: Path, progress: Progress, guide: Guide | None = None) -> TrainedModels:
    """A model of each kind of units, learned or read from an interrupted run."""
    words = number_words(pairs)
    factors = word_factors(guide, cell_starts(words), words[1].lengths)
    models = [_model(name, words, folder / f"{name}.npz", progress, factors) for name in NAMES]
    threshold, growth, (slope, shift) = USUAL
    described = Described(units=list(NAMES), threshold=threshold, growth=growth, slope=slope, shift=shift)
    # An unfinished output of xalign align recognises this aligner by its modification time.
    write_changed_json(folder / DONE, described)
    return TrainedModels(models, USUAL)


def _model(name: str, words: tuple[Words, Words], path: Path, progress: Progress, factors: Factors | None) -> UnitModel:
    if path.is_file():
        return model_of(name, read_arrays(path, FORM, remedy=RETRAIN), path)
    model = learn_model(name, words, lambda done, of: progress(name, done, of), factors)
    write_arrays(path, arrays_of(model))
    return model


def learn_model(
    name: str,
    words: tuple[Words, Words],
    progress: Callable[[int, int], object] | None = None,
    factors: Factors | None = None,
) -> UnitModel:
    """Learn a model of one kind of units; arguments as in :func:`learn`."""
    units, cut, names = [], [], []
    for side in words:
        units.append(make_units(name, dict(zip(side.different, side.counts.tolist(), strict=True))))
        known: dict[str, int] = {}
        pieces = cut_all(units[-1], side.different)
        cut.append(cut_words(side, [[known.setdefault(unit, len(known)) for unit in each] for each in pieces]))
        names.append(list(known))
    return UnitModel(name, (units[0], units[1]), learn(unit_text(cut[0], cut[1]), names, progress, factors))


def load(folder: Path) -> TrainedModels:
    described = read_json(folder / DONE, Described)
    if not described["units"] or not set(described["units"]) <= set(NAMES) or described["slope"] <= 0:
        raise XalignError("the record of a statistical aligner is damaged", where=folder / DONE, remedy=RETRAIN)
    identity = read_json(folder / BEGUN) if (folder / BEGUN).is_file() else {}
    stored = {name: read_arrays(folder / f"{name}.npz", FORM, remedy=RETRAIN) for name in described["units"]}
    models = [model_of(name, arrays, folder / f"{name}.npz") for name, arrays in stored.items()]
    use_one_thread_in_forks()
    calibration = Calibration(described["slope"], described["shift"])
    choice = Choice(described["threshold"], described["growth"], calibration)
    return TrainedModels(models, choice, identity.get("model"), identity.get("method"))  # None: from scratch
