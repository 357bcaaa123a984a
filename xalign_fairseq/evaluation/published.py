"""A paper's published figures next to ours."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.evaluation.tables import Table, markdown_text, signed

PAPERS = Path(__file__).with_name("papers")
COLUMNS = ("table", "row", "column", "metric", "value")
ALL_TASKS = "all tasks"
# The columns with averages, and what they average over.
AVERAGES = {
    "average": "languages",
    "zero-shot": "languages",
    "mean": "test sets",
    ALL_TASKS: "tasks in the paper's languages",
}
SIZES = " pairs"  # the end of a metric that is the size of a test set, such as "alignment pairs"
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
    """The published figures of a paper: one of the package's papers, or a file."""
    for path in (PAPERS / f"{paper}.tsv", Path(paper)):
        if path.is_file():
            return path
    known = sorted(path.stem for path in PAPERS.glob("*.tsv"))
    expected = f"{', '.join(known)}, or the path of a table in the format of {PAPERS}"
    raise XalignError("there are no published figures of this paper", parameter="paper", found=paper, expected=expected)


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
    """A paper's figures; ``rows`` maps our names to the paper's rows to compare with (default: the same name).

    With ``metrics``, these are compared; XalignError if the paper, or a row, does not have them.
    """

    figures: Sequence[Figure]
    rows: Mapping[str, str]
    metrics: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.metrics:
            self.require(self.metrics)
        scores = [figure for figure in self.figures if not figure.metric.endswith(SIZES)]
        known = dict.fromkeys(each.row for each in scores if not self.metrics or each.metric in self.metrics)
        for row in (row for row in self.rows.values() if row not in known):
            like = {each: SequenceMatcher(None, row.casefold(), each.casefold()).ratio() for each in known}
            near = sorted(known, key=lambda each: -like[each])
            meant = f"; did you mean {near[0]}?" if near and like[near[0]] > 0.7 else ""
            rows = "\n".join(["one of these rows", *(f"    {each}" for each in near)])
            raise XalignError("the paper has no such row", parameter="row", found=f"{row}{meant}", expected=rows)

    def require(self, metrics: Iterable[str]) -> None:
        """Raise XalignError unless the paper has one of these scores."""
        theirs = {figure.metric for figure in self.figures}
        if not theirs.intersection(metrics):
            found, expected = (", ".join(sorted(each)) for each in (metrics, theirs))
            raise XalignError("the paper does not give these scores", parameter="paper", found=found, expected=expected)

    def covered(self, table: str, metric: str, column: str) -> Sizes:
        """What a column of the paper's table covers (:attr:`Figure.covers`), from the columns of its tables.

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
        sizes = metric.partition(" ")[0] + SIZES
        pairs = {each.column: round(each.value) for each in self.figures if each.metric == sizes}
        single = [each for each in self.figures if each.metric == metric and each.column not in AVERAGES]
        names = [each.column for each in single if each.table == table] or [each.column for each in single]
        wanted = names if column in AVERAGES else [column]
        return {name: pairs.get(name) for name in wanted if (column, name) != ("zero-shot", "en")}

    def tables(self, ours: Sequence[Figure]) -> list[Table]:
        """The paper's tables of metrics that we have, with our rows below and their differences.

        If any row is compared, tables without a compared row are omitted.
        """
        self.require({figure.metric for figure in ours})
        places = self._places(ours)
        chosen = [place for place, rows in places.items() if self._compared(place[1], rows, ours)]
        return [self._table(*place, ours) for place in chosen or places]

    def to_markdown(self, ours: Sequence[Figure]) -> str:
        """The tables, and the omitted ones with their rows."""
        tables = self.tables(ours)
        shown = {table.title for table in tables}
        omitted: dict[tuple[str, ...], list[str]] = {}
        for (table, metric), rows in self._places(ours).items():
            if _title(table, metric) not in shown:
                omitted.setdefault((table, *rows), []).append(metric)
        lines = [f"- Table {table}, {', '.join(x)}: {'; '.join(rows)}" for (table, *rows), x in omitted.items()]
        rest = ["## Tables without a compared row, and their rows", markdown_text("\n".join(lines))] if lines else []
        return "\n\n".join([*(table.to_markdown() for table in tables), *rest])

    def _places(self, ours: Sequence[Figure]) -> dict[tuple[str, str], list[str]]:
        """The rows of each table and metric that we have."""
        metrics = {figure.metric for figure in ours}
        found: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            if figure.metric in metrics and not math.isnan(figure.value):
                found.setdefault((figure.table, figure.metric), []).append(figure.row)
        return {place: list(dict.fromkeys(rows)) for place, rows in found.items()}

    def _compared(self, metric: str, rows: Sequence[str], ours: Sequence[Figure]) -> dict[str, str]:
        """Our rows of a metric that are compared with one of a table's ``rows``, and this row."""
        names = {row.casefold(): row for row in reversed(rows)}
        wanted = {x.row: self.rows.get(x.row) or names.get(x.row.casefold()) for x in ours if x.metric == metric}
        return {own: row for own, row in wanted.items() if row and row in rows}

    def _table(self, table: str, metric: str, ours: Sequence[Figure]) -> Table:
        """One table of the paper, for one metric. Averages over other sets, and other test sets, have no difference."""
        known = (x for x in self.figures if not math.isnan(x.value))
        theirs = {(x.row, x.column): x for x in known if (x.table, x.metric) == (table, metric)}
        names, columns = (list(dict.fromkeys(place)) for place in zip(*theirs, strict=True))
        compared = self._compared(metric, names, ours)
        covered = {column: self.covered(table, metric, column) for column in columns}
        notes = [(x, _other_sets(x, covered.get(x.column, {}))) for x in ours if x.metric == metric]
        notes.sort(key=lambda pair: not pair[1])  # of several test sets of a pair, the paper's is kept
        mine = {(x.row, x.column): f"{x.text}{note}" for x, note in notes}
        same = {(x.row, x.column): x.value for x, note in notes if not note}
        lines = [(name, *(theirs[name, x].text if (name, x) in theirs else "" for x in columns)) for name in names]
        for name in dict.fromkeys(figure.row for figure in ours if figure.metric == metric):
            lines.append((f"ours: {name}", *(mine.get((name, column), "") for column in columns)))
            if other := compared.get(name):
                pairs = [(same.get((name, column)), theirs.get((other, column))) for column in columns]
                found = ("" if own is None or their is None else signed(own - their.value) for own, their in pairs)
                lines.append((f"{name} less {other}", *found))
        return Table(_title(table, metric), ("row", *columns), lines)


def _title(table: str, metric: str) -> str:
    return f"Table {table} of the paper, {metric}, and ours"


def _other_sets(ours: Figure, theirs: Sizes) -> str:
    """How our sets differ from the paper's, as text; empty if they do not."""
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
