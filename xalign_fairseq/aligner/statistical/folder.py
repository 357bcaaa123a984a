"""The folder of a statistical aligner: trained one kind of units after the other, so that a broken run goes on."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from xalign_fairseq.aligner.statistical.calibration import Calibration
from xalign_fairseq.aligner.statistical.choice import Choice
from xalign_fairseq.aligner.statistical.guide import Guide, unit_factors
from xalign_fairseq.aligner.statistical.learning import learn
from xalign_fairseq.aligner.statistical.models import NAMES, UnitModel
from xalign_fairseq.aligner.statistical.storing import load_model, save_model
from xalign_fairseq.aligner.statistical.units import Cutter, make_units
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import LOCK, alone_on

BEGUN, DONE = "begun.json", "statistical.json"
Words = Iterable[tuple[list[str], list[str]]]
Progress = Callable[[str, int, int], object]


class Described(TypedDict):
    """What ``statistical.json`` says."""

    units: list[str]
    threshold: float
    growth: float
    slope: float
    shift: float


class TrainedModels(NamedTuple):
    """A statistical aligner: its models, and how links are chosen."""

    models: list[UnitModel]
    choice: Choice


def is_statistical(path: str | os.PathLike[str] | None) -> bool:
    """Whether a path is the folder of a trained statistical aligner."""
    return path is not None and (Path(path) / DONE).is_file()


def train_models(
    pairs: Words,
    folder: Path,
    identity: dict[str, Any],
    progress: Progress,
    find_guide: Callable[[], Guide] | None = None,
) -> list[UnitModel]:
    """Learn a model of each kind of units, or read those that an earlier run of the same text has left.

    Args:
        pairs: words of the bitext; iterated more than once.
        folder: where the models go.
        identity: of the text, the version and the guide; a folder of another is refused.
        progress: is told the units, the passes done, and of all.
        find_guide: what else is known of the text's words; called when the folder is known to be of this run, alone.

    Raises:
        XalignError: the folder holds something else.
    """
    strange = folder.exists() and not (folder / BEGUN).is_file()
    if strange and (not folder.is_dir() or any(each.name != BEGUN + LOCK for each in folder.iterdir())):
        raise XalignError(
            "the output folder holds something else than a statistical aligner",
            where=folder,
            expected="a new or empty folder, or one that the same command has begun",
            remedy=("choose another", Parameter("out")),
        )
    folder.mkdir(parents=True, exist_ok=True)
    with alone_on(folder / BEGUN):
        begun = read_json(folder / BEGUN) if (folder / BEGUN).is_file() else identity
        if begun != identity:
            raise XalignError(
                "the output folder is of another text, version or encoder",
                where=folder,
                remedy=("choose another", Parameter("out"), "or remove this folder"),
            )
        write_json(folder / BEGUN, identity)
        guide = find_guide() if find_guide else None
        return [_model(name, pairs, folder / f"{name}.npz", progress, guide) for name in NAMES]


def _model(name: str, pairs: Words, path: Path, progress: Progress, guide: Guide | None) -> UnitModel:
    if path.is_file():
        return load_model(name, path)
    cutters = tuple(Cutter(make_units(name, (pair[side] for pair in pairs))) for side in (0, 1))
    cut = [[cutter(pair[side]) for pair in pairs] for side, cutter in enumerate(cutters)]
    src, tgt = ([units for units, _ in side] for side in cut)
    owners = [[words for _, words in side] for side in cut]
    tables = learn(src, tgt, lambda done, of: progress(name, done, of), unit_factors(guide, owners))
    model = UnitModel(name, (cutters[0], cutters[1]), tables)
    save_model(model, path)
    return model


def finish(folder: Path, choice: Choice) -> None:
    """Write what makes the folder an aligner; a file that says the same already keeps its time.

    By that, an output of ``xalign align`` that was broken off tells whether it is of this aligner.
    """
    threshold, growth, (slope, shift) = choice
    described = Described(units=list(NAMES), threshold=threshold, growth=growth, slope=slope, shift=shift)
    with suppress(XalignError):  # there is none yet, or it is damaged
        if read_json(folder / DONE) == described:
            return
    write_json(folder / DONE, described)


def load(folder: Path) -> TrainedModels:
    """Read an aligner.

    Raises:
        XalignError: a file is missing or damaged.

    Example::

        trained = load(Path("aligner"))
        mean_scores(trained.models, pairs)
    """
    described = read_json(folder / DONE, Described)
    models = [load_model(name, folder / f"{name}.npz") for name in described["units"]]
    calibration = Calibration(described["slope"], described["shift"])
    return TrainedModels(models, Choice(described["threshold"], described["growth"], calibration))
