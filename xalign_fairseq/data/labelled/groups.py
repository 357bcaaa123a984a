"""Training examples in groups, each of which belongs into one batch, and which groups are held out."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.code_switching import code_switch
from xalign_fairseq.data.labelled.examples import QuestionExample

HOLDOUT_SEED = 1


def grouped(training: Mapping[str, Sequence[Any]], switched: bool) -> list[tuple[Any, ...]]:
    """Single examples, language by language, or with ``switched`` the mixtures of :func:`.code_switch`."""
    if switched:
        return code_switch(training)
    return [(example,) for examples in training.values() for example in examples]


def held_out(
    training: Mapping[str, Sequence[Any]],
    groups: Sequence[tuple[Any, ...]],
    share: float,
    seed: int = HOLDOUT_SEED,
    where: object = None,
) -> np.ndarray:
    """Which groups are held out: (groups,) bool.

    What is drawn are source examples. One that stands in several languages' files, at the same position or, of
    questions, with the same id, and its mixtures are held out in all of them or in none: nothing of what the model is
    chosen on is trained on in another language.

    Args:
        training: language -> its training examples.
        groups: of them, by :func:`grouped`.
        share: of the source examples.
        seed: of the draw.
        where: for the error.

    Raises:
        XalignError: the share is none of the source examples or all.
    """
    of_group = list(_sources(training, groups))
    numbers = {source: number for number, source in enumerate(dict.fromkeys(of_group))}
    out = round(share * len(numbers))
    if not 0 < out < len(numbers):
        problem = "the share to hold out leaves nothing to train or to choose the model on"
        found = f"{share:g} of {len(numbers)} examples"
        raise XalignError(problem, where=where, parameter="holdout", found=found, expected="a share between 0 and 1")
    chosen = np.zeros(len(numbers), dtype=bool)
    chosen[np.random.default_rng(seed).permutation(len(numbers))[:out]] = True
    return chosen[[numbers[source] for source in of_group]]


def _sources(training: Mapping[str, Sequence[Any]], groups: Sequence[tuple[Any, ...]]) -> Iterable[Hashable]:
    """What tells the source example of each group."""
    if len(training) == 1:
        return range(len(groups))
    if all(isinstance(group[0], QuestionExample) for group in groups):
        return (group[0].id for group in groups)
    positions = [position for examples in training.values() for position in range(len(examples))]
    # Mixtures are of parallel files, with a group for each line and each language but the first.
    return positions[: len(groups)]
