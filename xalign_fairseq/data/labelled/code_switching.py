"""Sentence-level code-switching of translated training data (Pan et al. 2021, section 2.3)."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample

logger = logging.getLogger(__name__)


def code_switch(examples: Mapping[str, Sequence[Any]], source: str = "en") -> list[tuple[Any, ...]]:
    """Replace each translated example by its two mixtures with the original; both belong into one batch.

    (first_xx, second_xx) becomes (first_xx, second_en) and (first_en, second_xx), with XNLI's and PAWS-X's texts or
    QA's question and context; the original is dropped. Files are parallel line by line; questions go by their ids, and
    those that were not translated are left out and counted.

    Args:
        examples: language -> its training examples; ``source`` among them.
        source: the language to mix with.

    Raises:
        XalignError: nothing to mix, files that are not parallel (their lengths, or the first label that differs), or
            examples of one text.
    """
    others = [language for language in examples if language != source]
    if source not in examples or not others:
        problem = "code-switching mixes a translation with the original"
        parameter = ("code_switch", "train_langs")
        expected = f"{source} and at least one other language"
        raise XalignError(problem, parameter=parameter, found=", ".join(examples), expected=expected)
    return [
        _mixtures(original, translated)
        for language in others
        for original, translated in _parallel(examples[source], examples[language], source, language)
    ]


def _parallel(
    originals: Sequence[Any], translations: Sequence[Any], source: str, language: str
) -> list[tuple[Any, Any]]:
    """Which original each translation belongs to: questions by their ids, other examples by their lines."""
    if all(isinstance(each, QuestionExample) for each in (*originals, *translations)):
        by_id = {each.id: each for each in originals}
        pairs = [(by_id[each.id], each) for each in translations if each.id in by_id]
        lost = len(originals) + len(translations) - 2 * len(pairs)
        if lost:
            logger.warning("%d questions of %s or %s have no counterpart and are left out", lost, source, language)
        if pairs:
            return pairs
    elif len(originals) == len(translations):
        return list(zip(originals, translations, strict=True))
    where = f"{source} and {language}"
    found = f"{len(originals)} and {len(translations)} examples"
    expected = "a translation of each example, in the same order; of questions with the same ids"
    raise XalignError("the training files are not parallel", where=where, found=found, expected=expected)


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
    raise XalignError(
        "code-switching needs examples of two texts", found=type(original).__name__, expected="pairs or questions"
    )
