"""The folder of a statistical aligner: trained one kind of units after the other, so that a broken run goes on."""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from xalign_fairseq.aligner.statistical.calibration import Calibration
from xalign_fairseq.aligner.statistical.choice import USUAL, Choice, Report, choose
from xalign_fairseq.aligner.statistical.guide import Factors, Guide, word_factors
from xalign_fairseq.aligner.statistical.learning import learn
from xalign_fairseq.aligner.statistical.models import NAMES, UnitModel, mean_scores
from xalign_fairseq.aligner.statistical.sentences import Words, cell_starts, cut_words, number_words, unit_text
from xalign_fairseq.aligner.statistical.storing import ANEW, FORM, arrays_of, model_of
from xalign_fairseq.aligner.statistical.units import cut_all, make_units
from xalign_fairseq.core.array_files import read_arrays, write_arrays
from xalign_fairseq.core.json_files import read_json, write_changed_json
from xalign_fairseq.core.own_folder import begun_folder
from xalign_fairseq.links.gold import GoldText

logger = logging.getLogger(__name__)

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
    """A statistical aligner: its models, how links are chosen, and the state and the method of the encoder that
    guided it, if any."""

    models: list[UnitModel]
    choice: Choice
    guide: str | None = None
    method: str | None = None

    def warn_of_another_guide(self, folder: object, encoder: str) -> None:
        """Statistics expect the scores of the encoder that guided them: those of another are read, with a warning."""
        if self.guide not in (None, encoder):
            logger.warning("statistics: %s were guided by %s, and are read with %s", folder, self.guide, encoder)


def is_statistical(path: str | os.PathLike[str] | None) -> bool:
    """Whether a path is the folder of a trained statistical aligner."""
    return path is not None and (Path(path) / DONE).is_file()


def begun(folder: Path, identity: dict[str, Any]) -> AbstractContextManager[None]:
    """Hold the folder of what is learned from a text, as of :func:`~xalign_fairseq.core.own_folder.begun_folder`."""
    return begun_folder(folder, BEGUN, identity, "a statistical aligner")


def learn_models(
    pairs: Pairs, folder: Path, progress: Progress, guide: Guide | None = None, dev: GoldText | None = None
) -> tuple[TrainedModels, Report | None]:
    """Learn a model of each kind of units, or read those that an earlier run of the same text has left; and a report on
    ``dev``.

    ``progress`` is called with the units, the passes done, and all passes; the folder is held by :func:`begun`.
    """
    words = number_words(pairs)
    factors = word_factors(guide, cell_starts(words), words[1].lengths)
    models = [_model(name, words, folder / f"{name}.npz", progress, factors) for name in NAMES]
    choice, report = choose(mean_scores(models, list(dev.pairs)), dev.golds) if dev else (USUAL, None)
    threshold, growth, (slope, shift) = choice
    described = Described(units=list(NAMES), threshold=threshold, growth=growth, slope=slope, shift=shift)
    # An interrupted output of xalign align recognises this aligner by its time.
    write_changed_json(folder / DONE, described)
    return TrainedModels(models, choice), report


def _model(name: str, words: tuple[Words, Words], path: Path, progress: Progress, factors: Factors | None) -> UnitModel:
    if path.is_file():
        return model_of(name, read_arrays(path, FORM, remedy=ANEW), path)
    model = learn_model(name, words, lambda done, of: progress(name, done, of), factors)
    write_arrays(path, arrays_of(model))
    return model


def learn_model(
    name: str,
    words: tuple[Words, Words],
    progress: Callable[[int, int], object] | None = None,
    factors: Factors | None = None,
) -> UnitModel:
    """Learn a model of one kind of units; arguments as of :func:`~.learning.learn`."""
    units, cut, names = [], [], []
    for side in words:
        units.append(make_units(name, dict(zip(side.different, side.counts.tolist(), strict=True))))
        known: dict[str, int] = {}
        pieces = cut_all(units[-1], side.different)
        cut.append(cut_words(side, [[known.setdefault(unit, len(known)) for unit in each] for each in pieces]))
        names.append(list(known))
    return UnitModel(name, (units[0], units[1]), learn(unit_text(cut[0], cut[1]), names, progress, factors))


def load(folder: Path) -> TrainedModels:
    """Read an aligner.

    Raises:
        XalignError: a file is missing or damaged.
    """
    described = read_json(folder / DONE, Described)
    identity = read_json(folder / BEGUN) if (folder / BEGUN).is_file() else {}
    stored = {name: read_arrays(folder / f"{name}.npz", FORM, remedy=ANEW) for name in described["units"]}
    models = [model_of(name, arrays, folder / f"{name}.npz") for name, arrays in stored.items()]
    calibration = Calibration(described["slope"], described["shift"])
    choice = Choice(described["threshold"], described["growth"], calibration)
    guide = identity.get("model")  # none of those from scratch
    return TrainedModels(models, choice, guide, identity.get("method", "grow") if guide else None)
