"""Pictures of one pair's link matrix, and gold links for pictures and pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import require_apart, require_place
from xalign_fairseq.core.text.pairs import PairStream, SentencePairs, WordPair, is_piped
from xalign_fairseq.evaluation.plots.figure import check_picture
from xalign_fairseq.evaluation.plots.matrix import plot_links
from xalign_fairseq.links.pharaoh import Gold

MOST_WORDS = 300  # per side in a picture; more would be unreadable


@dataclass(frozen=True)
class Pictures:
    """The pictures of a run: the link matrix of one line, and gold links for picture and page."""

    plot: str | None = None
    line: int | None = None
    gold: str | None = None

    @property
    def number(self) -> int:
        """The line to draw, counted from 1."""
        return 1 if self.line is None else self.line

    def check(self, text: Sequence[str], page: bool) -> None:
        """Check that a text allows gold links and a picture; ``page``: whether a page is written."""
        piped = any(map(is_piped, text))
        if self.gold and not (self.plot or page):
            raise XalignError(
                "gold links are shown only in pictures",
                parameter="gold",
                remedy=("add", Parameter("plot", "FILE.png"), "or", Parameter("format", "html")),
            )
        if self.gold and piped:
            problem = "gold links can't be checked against a pipe"
            raise XalignError(problem, parameter="gold", expected="files as input")
        if self.plot:
            check_picture(self.plot)
            if piped:
                raise XalignError("a pair from a pipe cannot be drawn", parameter="plot", expected="files as input")
        elif self.line is not None:
            remedy = ("add", Parameter("plot", "FILE.png"))
            raise XalignError("a line number needs a picture", parameter="plot_line", remedy=remedy)

    def check_place(self, pairs: SentencePairs | PairStream, inputs: Sequence[str], out: str | None) -> None:
        """Check that the pair exists, and that its picture replaces neither an input nor ``out``."""
        if not (self.plot and isinstance(pairs, SentencePairs)):
            return
        require_place(self.plot, inputs, binary=True)
        require_apart([self.plot, *([out] if out else [])], ("plot", "out"))
        if not 1 <= self.number <= len(pairs):
            raise XalignError(
                "there is no such pair", parameter="plot_line", found=self.line, expected=f"1 to {len(pairs)}"
            )

    def draw(self, aligner: WordAligner, pairs: Iterable[WordPair], golds: Sequence[Gold] | None) -> None:
        """Draw the pair if a picture was requested."""
        if not self.plot:
            return
        [pair] = islice(pairs, self.number - 1, self.number)
        if max(map(len, pair)) > MOST_WORDS:
            raise XalignError(
                "the pair is too long to draw",
                parameter="plot_line",
                found=f"line {self.number}: {' and '.join(f'{len(side):,}' for side in pair)} words",
                expected=f"at most {MOST_WORDS}",
                remedy="choose another line",
            )
        [alignment] = aligner.stream([pair])
        gold = golds[self.number - 1] if golds else None
        plot_links(alignment.src, alignment.tgt, alignment.links, self.plot, gold=gold)
