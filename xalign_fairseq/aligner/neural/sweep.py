"""Links by many settings at once, to compare layers, methods and encodings on text with gold links."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xalign_fairseq.aligner.neural.aligner import Aligner, Layers, Sentence
from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.aligner.sentence_pairs import WordPair
from xalign_fairseq.links.aer import AlignmentCounts, count
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.transport.methods import Method


class GoldPairs(NamedTuple):
    """Sentence pairs with their gold links, under a name."""

    name: str
    pairs: Sequence[WordPair]
    golds: Sequence[Gold]


@dataclass(frozen=True, eq=False)
class Trial:
    """How one setting did on several sets.

    Attributes:
        setting: how links were made.
        parts: for each set (pairs, 4), the counts of each pair in the order of
            :class:`~xalign_fairseq.links.aer.AlignmentCounts`.
    """

    setting: LinkSetting
    parts: tuple[np.ndarray, ...]

    def counts(self) -> list[list[AlignmentCounts]]:
        """For each set, the counts of each pair."""
        return [[AlignmentCounts(*row) for row in part.tolist()] for part in self.parts]

    def totals(self) -> list[AlignmentCounts]:
        """The counts of each set, whose AER is its score."""
        return [AlignmentCounts(*part.sum(0).tolist()) for part in self.parts]

    @property
    def aer(self) -> float:
        """The mean over the sets, each of which counts the same however large it is."""
        totals = self.totals()
        return sum(total.aer for total in totals) / len(totals)


def try_settings(
    aligner: Aligner,
    sets: Sequence[GoldPairs],
    settings: Sequence[LinkSetting],
    progress: Callable[[int], object] | None = None,
) -> list[Trial]:
    """Score every setting on every set, from one pass of the encoder over them for each encoding.

    Args:
        aligner: whose encoder, tokenizer, pointer and maps are used.
        sets: text with gold links.
        settings: what is compared.
        progress: is told how many pairs more are done; each is done once for each encoding.

    Returns:
        a trial for each setting, in their order.

    Example::

        settings = [LinkSetting((layer,), Cosine(), "separate") for layer in range(13)]
        best = min(try_settings(aligner, [GoldPairs("dev", pairs, golds)], settings), key=lambda trial: trial.aer)
    """
    found: dict[int, list[np.ndarray]] = {}
    for encoding in dict.fromkeys(setting.encoding for setting in settings):
        places = [place for place, setting in enumerate(settings) if setting.encoding == encoding]
        asked = [(settings[place].layers, settings[place].method) for place in places]
        encoded = aligner.with_encoding(encoding)
        for text in sets:
            parts = np.zeros((len(places), len(text.pairs), 4), dtype=np.int32)
            for row, alignments in enumerate(encoded.sweep(text.pairs, asked, progress)):
                for place, alignment in enumerate(alignments):
                    one = count(alignment.links, text.golds[row])
                    parts[place, row] = one.hits_sure, one.hits_possible, one.links, one.sure
            for place, part in zip(places, parts, strict=True):
                found.setdefault(place, []).append(part)
    return [Trial(setting, tuple(found[place])) for place, setting in enumerate(settings)]


def sweep_links(
    aligner: Aligner,
    pairs: Iterable[tuple[Sentence, Sentence]],
    settings: Sequence[tuple[Layers, Method]],
    progress: Callable[[int], object] | None = None,
) -> list[list[set[Link]]]:
    """The links of every pair by each setting (layer or layers, method), from one pass of the encoder.

    Returns:
        for each setting, in their order, the links of all pairs.

    Example::

        by_layer = sweep_links(aligner, pairs, [(layer, Transport()) for layer in range(13)])
        best = min(range(13), key=lambda layer: score(by_layer[layer], golds).aer)
    """
    found: list[list[set[Link]]] = [[] for _ in settings]
    for alignments in aligner.sweep(pairs, settings, progress):
        for links, alignment in zip(found, alignments, strict=True):
            links.append(set(alignment.links))
    return found
