"""The links of one pair as a small HTML table, for notebooks: no script, nothing loaded, the notebook's own colours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from xalign_fairseq.aligner.render.words import looks, markup
from xalign_fairseq.links.pharaoh import Gold, Link

# A matrix of more words on a side is no longer taken in at one glance; its links are listed.
MOST_WORDS = 60

# Text and lines take the colour of what stands around them, so that it is read on light and on dark paper.
STYLE = """<style>
.xalign-links { border-collapse: collapse; margin: .6em 0; font-size: 14px; line-height: 1.3; }
.xalign-links :is(th, td) { border: 1px solid color-mix(in srgb, currentColor 16%, transparent); padding: 0;
  background: none; font-weight: normal; }
.xalign-links :is(thead th, tbody th) { border-color: transparent; white-space: nowrap; }
.xalign-links thead th { vertical-align: bottom; padding-bottom: .35em; text-align: center; }
.xalign-links thead span { writing-mode: vertical-rl; }
.xalign-links tbody th { padding-right: .5em; text-align: right; }
.xalign-links td { width: 1.7em; min-width: 1.7em; height: 1.7em; }
.xalign-links td.link { background: rgb(56 132 214 / calc(25% + 75% * var(--p))); }
.xalign-links td.sure { box-shadow: inset 0 0 0 2px #e0662a; }
.xalign-links td.possible { outline: 2px dashed #e0662a; outline-offset: -3px; }
</style>"""
KEY = (
    "Blue: links, the stronger the more probable. Frames: gold links, sure ones solid, possible ones dashed. Frames "
    "without blue are missing, blue without a frame is not gold."
)


@dataclass(frozen=True)
class LinkMatrix:
    """The words of a pair and its links, source words down and target words across, beside gold links if given.

    A notebook shows it as a table whose cells are blue as their links are probable and tell it when pointed at.

    Example::

        >>> matrix = LinkMatrix(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})
        >>> "red – rouge, 90%" in matrix._repr_html_()
        True
    """

    src: Sequence[str]
    tgt: Sequence[str]
    links: Mapping[Link, float]
    gold: Gold | None = None

    def _repr_html_(self) -> str:
        if max(len(self.src), len(self.tgt)) > MOST_WORDS:
            return self._listed()
        head = "".join(f"<th scope='col'>{_word(word)}</th>" for word in self.tgt)
        rows = "".join(
            f"<tr><th scope='row'>{_word(word)}</th>{''.join(self._cell(i, j) for j in range(len(self.tgt)))}</tr>"
            for i, word in enumerate(self.src)
        )
        table = f"<table class='xalign-links'><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"{STYLE}{table}{'' if self.gold is None else f'<small>{KEY}</small>'}"

    def _cell(self, i: int, j: int) -> str:
        kinds, said = [], f"{self.src[i]} – {self.tgt[j]}"
        probability = self.links.get((i, j))
        if probability is not None:
            kinds.append("link")
            said += f", {probability:.0%}"
        if self.gold is not None and (i, j) in self.gold.possible:
            kinds.append("sure" if (i, j) in self.gold.sure else "possible")
            said += f", {kinds[-1]}"
        if not kinds:
            return "<td></td>"
        strength = "" if probability is None else f" style='--p: {min(max(probability, 0), 1):.2f}'"
        return f"<td class='{' '.join(kinds)}' title='{markup(said)}'{strength}></td>"

    def _listed(self) -> str:
        sides = "".join(f"<p dir='{looks(words)[0]}'>{markup(' '.join(words))}</p>" for words in (self.src, self.tgt))
        links = (f"{_word(self.src[i])}&thinsp;–&thinsp;{_word(self.tgt[j])} {p:.0%}"
                 for (i, j), p in sorted(self.links.items()))  # fmt: skip
        return f"{sides}<p>{', '.join(links)}</p>"


def _word(word: str) -> str:
    """A word in a direction of its own, so that those around it keep theirs."""
    return f"<span dir='{escape(looks([word])[0])}'>{markup(word)}</span>"
