"""A training run read from its folder: of xalign train, train-aligner, transfer, or fairseq-train."""

import ast
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import file_sha256
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.data.databin import MANIFEST, FileEntry
from xalign_fairseq.trainer.launch import LOG
from xalign_fairseq.trainer.log_rows import EPOCH, INTERVAL, LogRow, TrainingCost, read_cost, read_row, standing
from xalign_fairseq.trainer.train_record import NAME as RECORD
from xalign_fairseq.trainer.train_record import Session, TrainRecord, moment

WARNINGS = ("WARNING", "ERROR", "CRITICAL")
MOST_WARNINGS = 50
NO_COST = TrainingCost(0, 0, 0.0)


class LinkCounts(TypedDict):
    """Links of a bitext."""

    sure: int
    possible: int


class ReportedText(TypedDict):
    """The shown facts of a bitext, or of a text in one language."""

    split: str
    dropped: NotRequired[dict[str, int]]
    tokens: NotRequired[dict[str, int]]
    links: NotRequired[LinkCounts | None]


class ReportedPair(ReportedText):
    """A bitext."""

    src: str
    tgt: str
    pairs: int


class ReportedMono(ReportedText):
    """A text in one language."""

    lang: str
    sentences: int


class ReportedManifest(TypedDict, total=False):
    """The shown fields of a data-bin's manifest."""

    pairs: list[ReportedPair]
    mono: list[ReportedMono]
    tokenizer: dict[str, Any]
    files: dict[str, FileEntry]
    xalign_fairseq: str


class ReportedResult(TypedDict, total=False):
    """The shown fields of ``result.json`` and ``run.json``."""

    command: str
    minutes: float
    scores: dict[str, dict[str, float] | None] | None


@dataclass(frozen=True)
class DataFolder:
    """A data-bin: its manifest's content and digest; None without a manifest."""

    path: Path
    manifest: ReportedManifest | None
    digest: str | None


@dataclass(frozen=True)
class TrainedRun:
    """The data of a run; missing parts are empty.

    ``rows`` are without updates that a resumed run repeated; ``result`` has AER or transfer scores.
    """

    folder: Path
    rows: Sequence[LogRow] = ()
    cost: TrainingCost = NO_COST
    command: str = ""
    configuration: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sessions: Sequence[Session] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    data: Sequence[DataFolder] = ()
    warnings: Sequence[str] = ()
    times: tuple[str, str] = ("", "")

    def series(self, kind: str, name: str) -> list[tuple[int, float]]:
        """A number of the log over updates; the later one if logged twice."""
        found = {row.updates: row.values[name] for row in self.rows if row.kind == kind and name in row.values}
        return sorted(found.items())

    def names(self, kind: str) -> list[str]:
        """The log's rows of a kind, in order."""
        return list(dict.fromkeys(name for row in self.rows if row.kind == kind for name in row.values))

    @property
    def training(self) -> str:
        """The kind of row that describes training: intervals, or epochs if the log has no intervals."""
        return INTERVAL if any(row.kind == INTERVAL for row in self.rows) else EPOCH

    @property
    def seconds(self) -> float | None:
        """The duration without interruptions; None if unknown."""
        if any(each["ended"] for each in self.sessions):
            return sum(map(self._span, self.sessions))
        if self.cost.minutes:
            return 60 * self.cost.minutes
        return 60 * self.result["minutes"] if "minutes" in self.result else None

    def _span(self, session: Session) -> float:
        begun, ended = (
            moment(each or session["begun"], self.folder / RECORD) for each in (session["begun"], session["ended"])
        )
        return (ended - begun).total_seconds()


def read_run(folder: Path, log: Path | None = None) -> TrainedRun:
    """Read the files of a run of fairseq-train, train-aligner or transfer; by default ``train.log`` in the folder."""
    log = log or folder / LOG
    if not log.is_file():
        raise XalignError(
            "there is no log of a training",
            where=log,
            parameter="log",
            expected="the folder of a training by this package, or the file of fairseq-train's log",
        )
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    rows = standing(row for row in map(read_row, lines) if row is not None)
    if not rows:
        raise XalignError("the log has no update yet", where=log, expected="log_format json or simple")
    record = folder / RECORD
    sessions = read_json(record, TrainRecord)["sessions"] if record.is_file() else []
    records = {name: _json(folder / name) for name in ("run.json", "result.json")}
    configuration = _configuration(lines)
    command = next(
        (each["command"] for each in (*map(dict, sessions[-1:]), *records.values()) if "command" in each), ""
    )
    times = [row.time for row in rows if row.time] or [""]
    return TrainedRun(
        folder=folder,
        rows=rows,
        cost=read_cost(log),
        command=command,
        configuration=configuration,
        sessions=sessions,
        result=records["result.json"],
        record=records["run.json"],
        data=[_data(Path(path)) for path in _data_paths(folder, sessions, configuration)],
        warnings=_warnings(lines),
        times=(times[0], times[-1]),
    )


def _json(path: Path) -> dict[str, Any]:
    return dict(read_json(path, ReportedResult)) if path.is_file() else {}


def _configuration(lines: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The configuration at the beginning of fairseq-train's log, a Python dictionary in one line."""
    for line in reversed(lines):
        start = line.find("{'_name': None, 'common': {")
        if start >= 0:
            try:
                found = ast.literal_eval(line[start:])
            except (ValueError, SyntaxError, MemoryError, RecursionError):  # cut off, or with an object in it
                continue
            return {name: group for name, group in found.items() if isinstance(group, dict)}
    return {}


def _data_paths(folder: Path, sessions: Sequence[Session], configuration: Mapping[str, Mapping[str, Any]]) -> list[str]:
    if sessions:
        return list(sessions[-1]["data"])
    if (folder / "data-bin" / MANIFEST).is_file():  # train-aligner's
        return [str(folder / "data-bin")]
    return [path for path in str(configuration.get("task", {}).get("data") or "").split(":") if path]


def _data(path: Path) -> DataFolder:
    manifest = path / MANIFEST
    if not os.path.isfile(manifest):  # a name too long for a file
        return DataFolder(path, None, None)
    return DataFolder(path, read_json(manifest, ReportedManifest), file_sha256(manifest))


def _warnings(lines: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for line in lines:
        parts = line.split(" | ", 3)
        if len(parts) == 4 and parts[1] in WARNINGS:
            found[f"{parts[1].lower()}: {parts[3]}"] = None
    kept = list(found)[:MOST_WARNINGS]
    return [*kept, f"and {len(found) - len(kept)} more"] if len(found) > len(kept) else kept
