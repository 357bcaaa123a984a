"""Links by many linkings at once, to compare layers, methods and encodings on text with gold links."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.protocol import Progress, SentencePair
from xalign_fairseq.core.text.pairs import WordPair
from xalign_fairseq.links.aer import AlignmentCounts, count
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.transport.linking import Linking


class GoldPairs(NamedTuple):
    """Sentence pairs with their gold links, under a name."""

    name: str
    pairs: Sequence[WordPair]
    golds: Sequence[Gold]


@dataclass(frozen=True, eq=False)
class Trial:
    """The scores of one linking on several sets: for each set (pairs, 4), the counts of each pair in the order of
    :class:`~xalign_fairseq.links.aer.AlignmentCounts`."""

    linking: Linking
    parts: tuple[np.ndarray, ...]

    def counts(self) -> list[list[AlignmentCounts]]:
        """For each set, the counts of each pair."""
        return [[AlignmentCounts(*row) for row in part.tolist()] for part in self.parts]

    def totals(self) -> list[AlignmentCounts]:
        """The counts of each set, whose AER is its score."""
        return [AlignmentCounts(*part.sum(0).tolist()) for part in self.parts]

    @property
    def aer(self) -> float:
        """The mean over the sets, with equal weight for each set."""
        totals = self.totals()
        return sum(total.aer for total in totals) / len(totals)


def try_linkings(
    aligner: Aligner,
    sets: Sequence[GoldPairs],
    linkings: Sequence[Linking],
    progress: Progress | None = None,
) -> list[Trial]:
    """Score every linking on every set, from one pass of the encoder over them for each encoding; a trial for each
    linking.

    ``progress`` is called with the number of pairs that were done since; each is done once for each encoding.

    Example::

        linkings = [Linking("argmax", layers=(layer,), encoding="separate") for layer in range(13)]
        best = min(try_linkings(aligner, [GoldPairs("dev", pairs, golds)], linkings), key=lambda trial: trial.aer)
    """
    found: dict[int, list[np.ndarray]] = {}
    for encoding in dict.fromkeys(linking.encoding for linking in linkings):
        places = [place for place, linking in enumerate(linkings) if linking.encoding == encoding]
        encoded = replace(aligner, linking=replace(aligner.linking, encoding=encoding))
        for text in sets:
            parts = np.zeros((len(places), len(text.pairs), 4), dtype=np.int32)
            for row, alignments in enumerate(encoded.sweep(text.pairs, [linkings[at] for at in places], progress)):
                for place, alignment in enumerate(alignments):
                    one = count(alignment.links, text.golds[row])
                    parts[place, row] = one.hits_sure, one.hits_possible, one.links, one.sure
            for place, part in zip(places, parts, strict=True):
                found.setdefault(place, []).append(part)
    return [Trial(linking, tuple(found[place])) for place, linking in enumerate(linkings)]


def sweep_links(
    aligner: Aligner, pairs: Iterable[SentencePair], linkings: Sequence[Linking], progress: Progress | None = None
) -> list[list[set[Link]]]:
    """For each linking (method and layers) the links of all pairs, from one pass of the encoder.

    Example::

        by_layer = sweep_links(aligner, pairs, [Linking("transport", layers=(layer,)) for layer in range(13)])
        best = min(range(13), key=lambda layer: score(by_layer[layer], golds).aer)
    """
    found: list[list[set[Link]]] = [[] for _ in linkings]
    for alignments in aligner.sweep(pairs, linkings, progress):
        for links, alignment in zip(found, alignments, strict=True):
            links.append(set(alignment.links))
    return found
