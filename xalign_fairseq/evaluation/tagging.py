"""Metrics of tag sequences: accuracy per word, F1 of entities as in seqeval, XTREME's F1 of POS tags."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import Metric, f1, ratio

Entity = tuple[str, int, int]


def entities(tags: Sequence[str]) -> list[Entity]:
    """The entities (type, begin, end) in order of their ends, by conlleval's lenient rules, seqeval 1.2.2's default.

    An entity begins at ``B`` and ``S``, at ``I`` and ``E`` that follow ``O``, ``E`` or ``S``, and wherever the type
    changes; any other first letter, as in the tag ``NOUN``, ends and begins entities only where the type changes; the
    type is then the rest of the tag (``OUN``; ``_`` if empty). ``I-X`` after ``O`` begins an entity; this is valid.
    """
    found, begin = [], 0
    before, type_before = "O", ""
    for position, tag in enumerate([*tags, "O"]):
        letter, type_ = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        changed = type_ != type_before
        if before in "ES" or (before in "BI" and letter in "BSO") or (changed and before not in "O."):
            found.append((type_before, begin, position))
        if letter in "BS" or (before in "ESO" and letter in "EI") or (changed and letter not in "O."):
            begin = position
        before, type_before = letter, type_
    return found


def repair_bio(tags: Sequence[str]) -> list[str]:
    """Valid BIO tags: an ``I-X`` that does not follow ``B-X`` or ``I-X`` becomes ``B-X``, left to right.

    Wu and Dredze (2020) read predictions in this way. :func:`entities` finds the same entities before and after; the
    repair is for readers of the tags and strict scorers.
    """
    repaired: list[str] = []
    for tag in tags:
        continues = repaired and repaired[-1][:2] in ("B-", "I-") and repaired[-1][1:] == tag[1:]
        repaired.append("B" + tag[1:] if tag.startswith("I-") and not continues else tag)
    return repaired


class EntityMetric(Metric):
    """F1 of entities over all sentences, joined by ``O``, as in seqeval.

    With typed tags (``B-PER``) each sentence counts independently. With bare tags seqeval looks across sentence
    borders: an ``X`` at the start of a sentence continues an earlier entity.
    """

    def counts(self, golds: Sequence[Any], predictions: Sequence[Any], language: str) -> np.ndarray:
        """Hits, predicted and gold entities (N, 3) float64, each counted in the sentence where it ends."""
        for each_gold, prediction in zip(golds, predictions, strict=True):
            _check(each_gold, prediction)
        ends = np.cumsum([len(tags) + 1 for tags in golds])
        gold, mine = (set(entities([tag for tags in side for tag in (*tags, "O")])) for side in (golds, predictions))

        def per_sentence(found: Collection[Entity]) -> np.ndarray:
            last_words = np.array([end - 1 for _, _, end in found], dtype=np.int64)
            return np.bincount(np.searchsorted(ends, last_words, side="right"), minlength=len(golds))

        return np.stack([per_sentence(found) for found in (gold & mine, mine, gold)], axis=1).astype(np.float64)


def _entity_metric(variant: str) -> Metric:
    def count(gold: Sequence[str], prediction: Sequence[str], language: str) -> Sequence[float]:
        return metric.counts([gold], [prediction], language)[0].tolist()

    metric = EntityMetric("f1", ("hits", "predicted", "gold"), count, f1, variant)
    return metric


def _check(gold: Sequence[str], prediction: Sequence[str]) -> None:
    if len(gold) != len(prediction):
        found = f"{len(prediction)} and {len(gold)}"
        raise XalignError("a sentence has different numbers of predicted tags and words", found=found)


def _count_words(gold: Sequence[str], prediction: Sequence[str], language: str) -> tuple[float, float]:
    _check(gold, prediction)
    return float(sum(a == b for a, b in zip(gold, prediction, strict=True))), float(len(gold))


TOKEN_ACCURACY = Metric("accuracy", ("correct", "words"), _count_words, ratio, "share of words whose tag is equal")
# Micro-averaged F1 of entities; span and type must match.
ENTITY_F1 = _entity_metric("entities equal in span and type, lenient conlleval, as seqeval 1.2.2")
# XTREME passes POS tags to seqeval's f1_score unchanged. A run of one tag is then one entity, except tags that begin
# with B, E, I, O or S; CCONJ and SCONJ have the same type, CONJ.
XTREME_POS_F1 = _entity_metric("POS tags read as entity tags, as XTREME with seqeval 1.2.2")
