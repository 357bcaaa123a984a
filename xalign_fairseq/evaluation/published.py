"""A paper's published figures next to ours."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.evaluation.tables import Table, signed

NAME = "published.tsv"
PAPERS = Path(__file__).with_name("papers")
COLUMNS = ("table", "row", "column", "metric", "value")
ALL_TASKS = "all tasks"
# The columns that average, and what over.
AVERAGES = {
    "average": "languages",
    "zero-shot": "languages",
    "mean": "test sets",
    ALL_TASKS: "tasks in the paper's languages",
}
Sizes = Mapping[str, int | None]


@dataclass(frozen=True)
class Figure:
    """A number in a table, in the paper's unit; ``metric`` is, for example, ``xnli accuracy`` or ``alignment aer``.

    ``covers`` are the languages, test sets or tasks (:func:`scored_task`) of an average, or the test set itself, each
    with its number of pairs if known; empty if unknown. A paper's value is NaN if its file only names the column.
    """

    table: str
    row: str
    column: str
    metric: str
    value: float
    deviation: float | None = None
    covers: Sizes = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text in a table."""
        spread = "" if self.deviation is None else f" ± {self.deviation:.1f}"
        return f"{self.value:.1f}{spread}".replace("-", "−")


def scored_task(task: str, metrics: Iterable[str], languages: Iterable[str]) -> str:
    """A task in an average over tasks, whose score is the mean of ``metrics`` on average over ``languages``."""
    return f"{task} {'+'.join(sorted(metrics))}: {' '.join(sorted(languages))}"


def find_published(paper: str) -> Path:
    """The published figures of a paper: one of the package's papers, a file, or a folder that has ``published.tsv``."""
    given = Path(paper)
    for path in (PAPERS / f"{paper}.tsv", given, given / NAME):
        if path.is_file():
            return path
    known = sorted(path.stem for path in PAPERS.glob("*.tsv"))
    raise XalignError(
        "there are no published figures of this paper",
        parameter="paper",
        found=paper,
        expected=f"{', '.join(known)}, or the path of a table in the format of {PAPERS}",
    )


def read_published(path: StrPath) -> list[Figure]:
    """Read a table of published figures, tab-separated with the header :data:`COLUMNS`; ``70.1`` or ``70.1 ± 0.8``."""
    figures: dict[tuple[str, ...], Figure] = {}
    rows = (line.split("\t") for line in read_lines(path, table=True))
    head = next(rows, [])
    if tuple(head) != COLUMNS:
        raise XalignError("the file has no published figures", where=path, found=head, expected=COLUMNS)
    for number, row in enumerate(rows, 2):
        try:
            table, line, column, metric, text = row
            value, _, deviation = text.partition(" ± ")
            figure = Figure(table, line, column, metric, float(value), float(deviation) if deviation else None)
        except ValueError:
            where, expected = f"{path}, line {number}", "table, row, column, metric and a number"
            raise XalignError("a row is not a figure", where=where, found=row, expected=expected) from None
        place = (table, line, column, metric)
        if place in figures:
            raise XalignError("a figure is given twice", where=f"{path}, line {number}", found=" | ".join(place))
        figures[place] = figure
    return list(figures.values())


@dataclass(frozen=True)
class PublishedTables:
    """A paper's figures; ``rows`` maps our names to the paper's rows to compare with (default: the same name)."""

    figures: Sequence[Figure]
    rows: Mapping[str, str]

    def __post_init__(self) -> None:
        known = sorted({figure.row for figure in self.figures})
        if unknown := sorted(set(self.rows.values()) - set(known)):
            raise XalignError(
                "the paper has no such row", parameter="row", found=", ".join(unknown), expected=", ".join(known)
            )

    def require(self, metrics: Iterable[str]) -> None:
        """Raise XalignError unless the paper has one of these scores."""
        theirs = {figure.metric for figure in self.figures}
        if not theirs.intersection(metrics):
            raise XalignError(
                "the paper has none of these scores",
                parameter="paper",
                found=", ".join(sorted(metrics)),
                expected=", ".join(sorted(theirs)),
            )

    def covered(self, table: str, metric: str, column: str) -> Sizes:
        """What a column of the paper's table is measured on, as :attr:`Figure.covers`, from the columns of its tables.

        Languages and test sets of an average are the table's other columns of the metric, or else other tables' ones.
        A metric such as ``alignment pairs`` has the sizes of test sets.
        """
        if column == ALL_TASKS:
            scores = sorted({each.metric for each in self.figures if each.table == table and each.column != ALL_TASKS})
            tasks: dict[str, list[str]] = {}
            for task, _, name in (score.rpartition(" ") for score in scores):
                tasks.setdefault(task, []).append(name)
            sets = {task: self.covered(table, f"{task} {names[0]}", "average") for task, names in tasks.items()}
            return {scored_task(task, names, sets[task]): None for task, names in tasks.items()}
        sizes = f"{metric.partition(' ')[0]} pairs"
        pairs = {each.column: round(each.value) for each in self.figures if each.metric == sizes}
        single = [each for each in self.figures if each.metric == metric and each.column not in AVERAGES]
        names = [each.column for each in single if each.table == table] or [each.column for each in single]
        wanted = names if column in AVERAGES else [column]
        return {name: pairs.get(name) for name in wanted if (column, name) != ("zero-shot", "en")}

    def tables(self, ours: Sequence[Figure]) -> list[Table]:
        """The paper's tables of metrics that we have, with our rows below and their differences."""
        metrics = {figure.metric for figure in ours}
        self.require(metrics)
        known = (figure for figure in self.figures if figure.metric in metrics and not math.isnan(figure.value))
        places = dict.fromkeys((figure.table, figure.metric) for figure in known)
        return [self._table(table, metric, ours) for table, metric in places]

    def _table(self, table: str, metric: str, ours: Sequence[Figure]) -> Table:
        """One table of the paper, for one metric. Averages over other sets, and other test sets, have no difference."""
        known = (figure for figure in self.figures if not math.isnan(figure.value))
        theirs = _by_place(figure for figure in known if (figure.table, figure.metric) == (table, metric))
        columns = list(dict.fromkeys(column for _, column in theirs))
        names = list(dict.fromkeys(row for row, _ in theirs))
        covered = {column: self.covered(table, metric, column) for column in columns}
        notes = [(x, _other_sets(x, covered.get(x.column, {}))) for x in ours if x.metric == metric]
        notes.sort(key=lambda pair: not pair[1])  # of several test sets of a pair, the paper's is kept
        mine, other_sets = _by_place(figure for figure, _ in notes), {(x.row, x.column): note for x, note in notes}
        lines = [(name, *(_text(theirs.get((name, column))) for column in columns)) for name in names]
        for name in dict.fromkeys(figure.row for figure in ours if figure.metric == metric):
            cells = [f"{_text(mine.get((name, each)))}{other_sets.get((name, each), '')}" for each in columns]
            lines.append((f"ours: {name}", *cells))
            other = self.rows.get(name) or next((each for each in names if each.casefold() == name.casefold()), None)
            if other in names:
                pairs = [(mine.get((name, column)), theirs.get((other, column))) for column in columns]
                same = [not other_sets.get((name, column)) for column in columns]
                found = (
                    signed(own.value - their.value) if own and their and fits else ""
                    for (own, their), fits in zip(pairs, same, strict=True)
                )
                lines.append((f"{name} less {other}", *found))
        return Table(f"Table {table} of the paper, {metric}, and ours", ("row", *columns), lines)


def _other_sets(ours: Figure, theirs: Sizes) -> str:
    """How our sets differ from the paper's, as text; empty if they are the same, or unknown."""
    own = ours.covers
    same = {name for name in own if name in theirs and (None in (own[name], theirs[name]) or own[name] == theirs[name])}
    if len(same) == len(own) == len(theirs) or not own:
        return ""
    if unit := AVERAGES.get(ours.column):
        if not theirs:
            return " (the paper's sets are unknown)"
        more = len(own) - len(same)
        others = f", and {more} other{'s' * (more > 1)}" if more else ""
        return f" ({len(same)} of {len(theirs)} {unit}{others})"
    return f" ({own[ours.column]} pairs, paper: {theirs[ours.column]})" if theirs else ""


def _by_place(figures: Iterable[Figure]) -> dict[tuple[str, str], Figure]:
    return {(figure.row, figure.column): figure for figure in figures}


def _text(figure: Figure | None) -> str:
    return "" if figure is None else figure.text
