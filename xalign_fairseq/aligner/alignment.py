"""The words of a sentence pair with their links: what an aligner returns for each pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Links = dict[tuple[int, int], float]


@dataclass(frozen=True)
class Alignment:
    """The units of a pair and its links: ``links[i, j]`` is the probability of source unit i with target unit j.

    ``units`` says what they are: the words of the text, or the encoder's subwords. The words of a sentence that was
    given as a text are a :class:`~xalign_fairseq.core.text.segmented.SegmentedText`, which knows the text and where in
    it each word is: ``pair.src.text``, ``pair.src.spans``. ``too_long`` is a pair of more than
    :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, which is not aligned;
    ``finite`` is false of one without links because its hidden states are not finite numbers.

    ``matrix[i, j]``, float32 of the numbers of units, is the probability of source unit i with target unit j, whether
    they are linked or not; 0 for words that the tokenizer drops. It is what links are chosen from: by ``grow``,
    ``scored``, statistics, and both together of words. All other methods have probabilities of subwords, and a pair of
    words the largest of its subwords', which is at least that of a link. ``align`` gives it, and ``stream`` if it is
    asked for; it is ``None`` otherwise, and for a pair that is too long or not finite.

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
