"""The words of a sentence pair with their links: what an aligner returns for each pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmented import SegmentedText

Links = dict[tuple[int, int], float]


@dataclass(frozen=True)
class Alignment:
    """The units of a pair and its links: ``links[i, j]`` is the probability of source unit i with target unit j.

    ``units`` are the words of the text or the encoder's subwords. For a sentence given as a text, the words are a
    :class:`~xalign_fairseq.core.text.segmented.SegmentedText` with the text and the positions of the words:
    ``pair.src.text``, ``pair.src.spans``. ``too_long``: the pair has more than
    :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, and is not aligned. ``finite``
    is false if the pair has no links because hidden states are not finite.

    ``matrix[i, j]``, float32, is the probability of source unit i with target unit j, linked or not; 0 for words that
    the tokenizer drops. ``grow``, ``scored`` and statistics choose links of words from it. All other methods have
    probabilities of subwords; a pair of words then has the largest of its subwords, at least that of its link.
    ``align`` computes it, ``stream`` on request; otherwise, and for pairs that are too long or not finite, it is
    ``None``.

    Example::

        >>> pair = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})
        >>> [(pair.src[i], pair.tgt[j]) for i, j in pair.links]
        [('red', 'rouge'), ('house', 'maison')]
    """

    src: Sequence[str]
    tgt: Sequence[str]
    links: Links
    units: str = "word"
    too_long: bool = False
    finite: bool = True
    matrix: np.ndarray | None = field(default=None, repr=False, compare=False)

    def links_on(self, src: SegmentedText, tgt: SegmentedText) -> Links:
        """The links of the same two texts between other words: between those that share characters with linked words.

        If several links become one, it has their highest probability.

        Example::

            >>> from xalign_fairseq.core.text.segmented import from_words
            >>> pair = Alignment(SegmentedText("I can't", ((0, 1), (2, 7))), from_words(["ich"]), {(1, 0): 0.5})
            >>> pair.links_on(SegmentedText("I can't", ((0, 1), (2, 4), (4, 7))), from_words(["ich"]))
            {(1, 0): 0.5, (2, 0): 0.5}
        """
        places: list[list[range]] = []
        for ours, theirs in ((self.src, src), (self.tgt, tgt)):
            if not isinstance(ours, SegmentedText) or ours.text != theirs.text:
                found = ours.text if isinstance(ours, SegmentedText) else "words without a text"
                raise XalignError("the words are of another text", found=found[:60], expected=theirs.text[:60])
            places.append([theirs.words_in(start, stop) for start, stop in ours.spans])
        links: Links = {}
        for (i, j), probability in self.links.items():
            for link in product(places[0][i], places[1][j]):
                links[link] = max(probability, links.get(link, 0.0))
        return links
