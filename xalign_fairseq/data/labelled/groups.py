"""Groups of training examples that belong in one batch, and the held-out groups."""

import logging
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample

logger = logging.getLogger(__name__)

SOURCE = "en"  # the language of original examples


def code_switch(examples: Mapping[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Replace each translated example by its two mixtures with the original. Both belong in one batch.

    (first_xx, second_xx) becomes (first_xx, second_en) and (first_en, second_xx), with XNLI's and PAWS-X's texts or
    QA's question and context; the original is dropped. Files are parallel line by line. Questions are matched by their
    ids; those without a translation are left out and counted.
    """
    others = [language for language in examples if language != SOURCE]
    if SOURCE not in examples or not others:
        problem = f"code-switching needs {SOURCE} and at least one other language"
        raise XalignError(problem, parameter=("code_switch", "train_langs"), found=", ".join(examples))
    return [
        _mixtures(original, translated)
        for language in others
        for original, translated in _parallel(examples[SOURCE], examples[language], language)
    ]


def _parallel(originals: Sequence[Any], translations: Sequence[Any], language: str) -> list[tuple[Any, Any]]:
    """The original of each translation: questions by their ids, other examples by their lines."""
    if all(isinstance(each, QuestionExample) for each in (*originals, *translations)):
        by_id = {each.id: each for each in originals}
        pairs = [(by_id[each.id], each) for each in translations if each.id in by_id]
        lost = len(originals) + len(translations) - 2 * len(pairs)
        if lost:
            logger.warning("%d questions of %s or %s have no counterpart and are skipped", lost, SOURCE, language)
        if pairs:
            return pairs
    elif len(originals) == len(translations):
        return list(zip(originals, translations, strict=True))
    where, found = f"{SOURCE} and {language}", f"{len(originals)} and {len(translations)} examples"
    raise XalignError("the training files are not parallel", where=where, found=found)


def _mixtures(original: Any, translated: Any) -> tuple[Any, ...]:
    if isinstance(original, PairExample):
        if original.label != translated.label:
            where = f"{original.language} {original.id} and {translated.language} {translated.id}"
            found = f"labels {original.label} and {translated.label}"
            raise XalignError("the training files are not parallel", where=where, found=found)
        return (
            replace(translated, second=original.second, second_language=original.language),
            replace(translated, language=original.language, first=original.first, second_language=translated.language),
        )
    if isinstance(original, QuestionExample):
        return (
            replace(original, question=translated.question, question_language=translated.language),
            replace(translated, question=original.question, question_language=original.language),
        )
    raise XalignError("code-switching needs examples of two texts", found=type(original).__name__)


def grouped(training: Mapping[str, Sequence[Any]], switched: bool) -> list[tuple[Any, ...]]:
    """Single examples, language by language, or with ``switched`` the mixtures of :func:`.code_switch`."""
    if switched:
        return code_switch(training)
    return [(example,) for examples in training.values() for example in examples]


def held_out(training: Mapping[str, Sequence[Any]], groups: Sequence[tuple[Any, ...]], share: float) -> np.ndarray:
    """Which groups are held out: (groups,) bool.

    Source examples are drawn. An example in the files of several languages (same position, or for questions same id) is
    held out in all of them or in none, with its mixtures: training never sees a held-out example in another language.
    """
    of_group = list(_sources(training, groups))
    numbers = {source: number for number, source in enumerate(dict.fromkeys(of_group))}
    out = round(share * len(numbers))
    if not 0 < out < len(numbers):
        problem = "the share to hold out leaves nothing to train or to choose the model on"
        raise XalignError(problem, parameter="holdout", found=f"{share:g} of {len(numbers)} examples")
    chosen = np.zeros(len(numbers), dtype=bool)
    chosen[np.random.default_rng(1).permutation(len(numbers))[:out]] = True
    return chosen[[numbers[source] for source in of_group]]


def _sources(training: Mapping[str, Sequence[Any]], groups: Sequence[tuple[Any, ...]]) -> Iterable[Hashable]:
    if len(training) == 1:
        return range(len(groups))
    if all(isinstance(group[0], QuestionExample) for group in groups):
        return (group[0].id for group in groups)
    positions = [position for examples in training.values() for position in range(len(examples))]
    # Mixtures come from parallel files, with a group for each line and each language except the first.
    return positions[: len(groups)]
