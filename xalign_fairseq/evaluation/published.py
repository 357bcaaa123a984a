"""A paper's published figures next to ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.evaluation.tables import Table, signed

NAME = "published.tsv"
COLUMNS = ("table", "row", "column", "metric", "value")


@dataclass(frozen=True)
class Figure:
    """A number in a table, in the paper's unit; ``metric`` is, for example, ``xnli accuracy`` or ``alignment aer``."""

    table: str
    row: str
    column: str
    metric: str
    value: float
    deviation: float | None = None

    @property
    def text(self) -> str:
        """The text in a table."""
        spread = "" if self.deviation is None else f" ± {self.deviation:.1f}"
        return f"{self.value:.1f}{spread}".replace("-", "−")


def find_published(paper: str) -> Path:
    """The published figures of a paper: a file, a folder that has one, or the name of a folder of ``examples/``."""
    given = Path(paper)
    examples = Path(__file__).resolve().parents[2] / "examples"
    for path in (given, given / NAME, examples / paper / NAME, Path("examples", paper, NAME)):
        if path.is_file():
            return path
    known = sorted(path.parent.name for path in examples.glob(f"*/{NAME}"))
    raise XalignError(
        "there are no published figures of this paper",
        parameter="paper",
        found=paper,
        expected=", ".join([*known, f"the path of a {NAME}"]),
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

    def tables(self, ours: Sequence[Figure]) -> list[Table]:
        """The paper's tables of metrics that we have, with our rows below and their differences."""
        metrics = {figure.metric for figure in ours}
        self.require(metrics)
        places = dict.fromkeys((figure.table, figure.metric) for figure in self.figures if figure.metric in metrics)
        return [_table(table, metric, self.figures, ours, self.rows) for table, metric in places]


def _table(
    table: str, metric: str, published: Sequence[Figure], ours: Sequence[Figure], rows: Mapping[str, str]
) -> Table:
    """One table of the paper, for one metric."""
    theirs = _by_place(figure for figure in published if (figure.table, figure.metric) == (table, metric))
    mine = _by_place(figure for figure in ours if figure.metric == metric)
    columns = list(dict.fromkeys(column for _, column in theirs))
    names = list(dict.fromkeys(row for row, _ in theirs))
    lines = [(name, *_cells(name, theirs, columns)) for name in names]
    for name in dict.fromkeys(row for row, _ in mine):
        lines.append((f"ours: {name}", *_cells(name, mine, columns)))
        other = rows.get(name) or next((each for each in names if each.casefold() == name.casefold()), None)
        if other in names:
            pairs = [(mine.get((name, column)), theirs.get((other, column))) for column in columns]
            found = (signed(own.value - their.value) if own and their else "" for own, their in pairs)
            lines.append((f"{name} less {other}", *found))
    return Table(f"Table {table} of the paper, {metric}, and ours", ("row", *columns), lines)


def _by_place(figures: Iterable[Figure]) -> dict[tuple[str, str], Figure]:
    return {(figure.row, figure.column): figure for figure in figures}


def _cells(row: str, figures: Mapping[tuple[str, str], Figure], columns: Sequence[str]) -> list[str]:
    found = [figures.get((row, column)) for column in columns]
    return ["" if figure is None else figure.text for figure in found]
