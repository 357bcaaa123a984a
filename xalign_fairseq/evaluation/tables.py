"""Tables of scores as text, in Markdown and in LaTeX."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xalign_fairseq.core.version import BIBTEX
from xalign_fairseq.evaluation.statistics import Summary

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    **{character: "\\" + character for character in "&%$#_{}"},
    # At the beginning of a row LaTeX reads them as options of the previous line.
    **{character: f"{{{character}}}" for character in "*["},
}


@dataclass(frozen=True)
class Table:
    """Text in rows and columns, the first ``names`` columns left-aligned; ``bold`` has (row, column) of bold cells.

    ``notes`` are for readers. ``comments``, such as signatures, are for reproduction; LaTeX does not print them.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    names: int = 1
    comments: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        """A heading, the table and its notes."""
        rows = [self._cells(i, markdown_text, "**{}**") for i in range(len(self.rows))]
        table = markdown([markdown_text(column) for column in self.columns], rows, self.names)
        comments = ["\n".join(f"    {comment}" for comment in self.comments)] if self.comments else []  # to be copied
        return "\n\n".join([f"## {markdown_text(self.title)}", table, *map(markdown_text, self.notes), *comments])

    def to_latex(self) -> str:
        r"""A ``table`` environment with title and notes as its caption; it needs ``\usepackage{booktabs}``."""
        alignment = "l" * self.names + "r" * (len(self.columns) - self.names)
        lines = [
            *(f"% {text}" for text in self.comments),
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
        ]
        lines += [_latex_row(map(latex_text, self.columns)), r"\midrule"]
        lines += [_latex_row(self._cells(i, latex_text, r"\textbf{{{}}}")) for i in range(len(self.rows))]
        caption = " ".join(f"{text.rstrip('.')}." for text in (self.title, *self.notes))
        lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{latex_text(caption)}}}", r"\end{table}"]
        return "\n".join(lines)

    def _cells(self, row: int, escape: Callable[[str], str], bold: str) -> list[str]:
        cells = enumerate(map(escape, self.rows[row]))
        return [bold.format(text) if (row, column) in self.bold else text for column, text in cells]


def latex_file(tables: Iterable[Table]) -> str:
    """Tables as a LaTeX file, with the BibTeX entry of the program as a comment."""
    head = [f"% {line}" for line in (r"\usepackage{booktabs}", *BIBTEX.splitlines())]
    return "\n\n".join(["\n".join(head), *(table.to_latex() for table in tables)]) + "\n"


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """A table in Markdown, from cells in Markdown; all columns after the first ``names`` are right-aligned."""
    marks = ["---"] * names + ["---:"] * (len(columns) - names)
    return "\n".join(f"| {' | '.join(row)} |" for row in [columns, marks, *rows])


def latex_text(text: str) -> str:
    """Plain text with LaTeX's special characters escaped."""
    return "".join(LATEX.get(character, character) for character in text)


def markdown_text(text: str) -> str:
    """Plain text with Markdown's special characters escaped."""
    for character in "\\|*<":
        text = text.replace(character, "\\" + character)
    return text


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def percent(summary: Summary | None, digits: int = 1) -> str:
    """``83.1 ± 0.4``; ``83.1`` for a single run; empty without a run."""
    if summary is None:
        return ""
    spread = "" if summary.deviation is None else f" ± {100 * summary.deviation:.{digits}f}"
    return f"{100 * summary.mean:.{digits}f}{spread}".replace("-", "−")


def signed(number: float, digits: int = 1) -> str:
    """A difference with its sign; without one if it rounds to zero."""
    text = f"{number:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", "−")
