"""What an aligner gives: the words of a pair with their links, and a list of such pairs."""

from dataclasses import dataclass

from xalign_fairseq.aligner.render.matrix import LinkMatrix
from xalign_fairseq.links.pharaoh import Gold

Links = dict[tuple[int, int], float]
# What a notebook shows of a list.
MOST_SHOWN = 10


@dataclass(frozen=True)
class Alignment:
    """The units of a pair and its links: ``links[i, j]`` is the probability of source unit i with target unit j.

    ``units`` says what they are: the words of the text, or the encoder's subwords. ``too_long`` is a pair of more than
    :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, which is not aligned. A notebook
    shows it as a matrix.

    Example::

        >>> pair = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})
        >>> [(pair.src[i], pair.tgt[j]) for i, j in pair.links]
        [('red', 'rouge'), ('house', 'maison')]
    """

    src: list[str]
    tgt: list[str]
    links: Links
    units: str = "word"
    too_long: bool = False

    def beside(self, gold: Gold) -> LinkMatrix:
        """The links as a matrix beside gold links, which a notebook shows.

        Example::

            >>> from xalign_fairseq import parse_line
            >>> pair = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9})
            >>> pair.beside(parse_line("0-1 1-0")).gold.sure - pair.links.keys()  # what is missing
            {(1, 0)}
        """
        return LinkMatrix(self.src, self.tgt, self.links, gold)

    def _repr_html_(self) -> str:
        return LinkMatrix(self.src, self.tgt, self.links)._repr_html_()


class Alignments(list[Alignment]):
    """A list of alignments, of which a notebook shows the first :data:`MOST_SHOWN` as matrices."""

    def _repr_html_(self) -> str:
        more = len(self) - MOST_SHOWN
        shown = "".join(pair._repr_html_() for pair in self[:MOST_SHOWN])
        return shown + (f"<p>… and {more} more</p>" if more > 0 else "")
