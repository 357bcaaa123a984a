"""An output with one line per input line: written completely or not at all, or kept as a part to continue."""

import io
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, new_file, opened, require_own, require_place
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import locked_output
from xalign_fairseq.core.text.containers import file_of

logger = logging.getLogger(__name__)

STANDARD_OUTPUT = "-"
BLOCK = 1 << 20
BEGINNINGS = {  # of a complete output of each kind
    "pharaoh": r"\d+[-p]\d+\s",
    "json": r"\{",
    "words": r"[^\t\n]*\t[^\t\n]*\t([^\t\n]+ = [^\t\n]+)?\n",
    "scores": r"[\d.]+\s",
    "html": r"<!doctype html>(?s:.)+?<title>Word alignment</title>",
    "phrases": r"[^\t\n]+\t[^\t\n]+\t\d",
    "report": r"place\titem\treason\n",
    "lexical": r"\S+ \S+ [01]\.\d{7}\n",
    "table": r"## |% \\usepackage",
    "unknown": r"(?!)",  # any text; other files show which is the command's own
}


class Output:
    """The destination of lines: standard output, or a file that gets its name when complete.

    With a ``record``, the unfinished file is ``FILE.part``, and ``FILE.part.json`` has its inputs and options. Both
    remain after an error or a kill. The next run with ``resume`` and the same record continues after the last complete
    line. The record has everything that determines the lines, by parameter name. A run that can't be repeated has no
    record, and its unfinished file is removed. A symbolic link stays a link; its target is written. With a ``kind`` (of
    :data:`BEGINNINGS`), an existing file of another kind is an error.
    """

    def __init__(
        self, path: str, record: Mapping[str, str] | None, resume: bool, inputs: Iterable[str], kind: str = ""
    ):
        self._path = Path(path)
        self._standard = path == STANDARD_OUTPUT
        plain = is_plain(path)
        if self._path.is_symlink() and plain:  # the target is written, the link stays
            self._path = Path(os.path.realpath(self._path))
        if not self._standard:
            require_place(self._path, map(file_of, inputs))
            require_replaceable(self._path, kind)
        elif sys.stdout is None:
            raise XalignError("standard output is closed", remedy=("set", Parameter("out", "FILE")))
        self._record = dict(record) if record is not None and plain else None
        self.part = self._path.with_name(f"{self._path.name}.part")
        """The unfinished file."""
        self._note = self._path.with_name(f"{self._path.name}.part.json")
        self._resume = resume
        self.done, self._size = 0, 0
        """Lines that an earlier run has written."""
        if resume and self._record is None:
            expected = "a file of lines as output, and files, not pipes, as input"
            raise XalignError("this output cannot be resumed", parameter="resume", expected=expected)
        if self._record is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with locked_output(self.part):  # fail before the work
                self.done, self._size = self._earlier_lines()

    def _earlier_lines(self) -> tuple[int, int]:
        for each in (self.part, self._note):
            if os.path.lexists(each):
                require_own(each)
        if self.part.exists():
            if not self._resume:
                raise XalignError(
                    "an unfinished output of an earlier run exists",
                    where=self.part,
                    remedy=("continue it with", Parameter("resume"), f"or remove {self.part} to start again"),
                )
            try:
                theirs = read_json(self._note)
            except (OSError, XalignError):
                problem = "the record of an unfinished output is missing or damaged"
                raise XalignError(problem, where=self._note, remedy=f"remove {self.part} to start again") from None
            require_record(self.part, theirs, self._record or {}, f"or remove {self.part} to start again")
            return complete_lines(self.part)
        self._note.unlink(missing_ok=True)  # a run was killed just before this step
        if self._resume and self._path.exists():
            remedy = ("to replace it, leave out", Parameter("resume"))
            raise XalignError("there is nothing to resume: the output is complete", where=self._path, remedy=remedy)
        return 0, 0

    @contextmanager
    def open(self) -> Iterator[IO[str]]:
        """A stream to write to; the output becomes complete if the block ends without an error."""
        if self._standard:
            if isinstance(sys.stdout, io.TextIOWrapper):  # otherwise a notebook's
                sys.stdout.reconfigure(encoding="utf-8", newline="\n")
            yield sys.stdout
            sys.stdout.flush()
        elif self._record is None:
            with atomic_write(self._path) as stream:
                yield stream
        else:
            with locked_output(self.part), self._open_part() as stream:
                yield stream

    @contextmanager
    def _open_part(self) -> Iterator[IO[str]]:
        if self._earlier_lines() != (self.done, self._size):
            raise XalignError("another process has continued this output", where=self.part, remedy="run it again")
        write_json(self._note, self._record or {})
        try:
            there = os.path.lexists(self.part)
            part = os.open(self.part, os.O_RDWR | os.O_NOFOLLOW) if there else new_file(self.part, self._path)
            with open(part, "r+", encoding="utf-8", newline="\n") as stream:
                stream.truncate(self._size)
                stream.seek(self._size)
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
        except BaseException:
            self._log_kept_lines()
            raise
        os.replace(self.part, self._path)
        self._note.unlink()

    def _log_kept_lines(self) -> None:
        lines, _ = complete_lines(self.part)
        if lines:
            then = Parameter("resume")
            logger.warning(
                "%d lines are kept in %s; the same command with %s continues from there", lines, self.part, then
            )
        else:
            logger.warning("no line was finished: nothing is kept of %s", self._path)
            self.part.unlink()
            self._note.unlink()


def require_replaceable(path: StrPath, kind: str) -> None:
    """Raise :class:`XalignError` for an existing file, not empty, that does not look like an output of this kind."""
    if not (kind and is_plain(path) and os.path.isfile(path)):
        return
    with open(path, encoding="utf-8", errors="replace") as stream:
        begin = stream.read(BLOCK).lstrip("\r\n ") + "\n"
    if not begin.isspace() and not re.match(BEGINNINGS[kind], begin):
        problem = "the output exists and is another kind of file, which would be lost"
        found, remedy = begin.partition("\n")[0][:60], "choose another name, or remove it"
        raise XalignError(problem, where=path, found=found, remedy=remedy)


def require_record(path: Path, theirs: Mapping[str, str], ours: Mapping[str, str], *instead: str | Parameter) -> None:
    """Raise :class:`XalignError` if an earlier output has another input or other options; ``instead`` of theirs."""
    differing = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    if names := [name if name == "xalign_fairseq" else Parameter(name) for name in differing]:
        problem = "the earlier output has other options or another input, and was not changed"
        remedy = ("give the earlier", *names, *instead)
        raise XalignError(problem, where=path, found=("a difference in", *names), remedy=remedy)


def is_plain(path: StrPath) -> bool:
    """True for a regular or new file; False for standard output, devices, pipes and open files, which get the lines
    directly.
    """
    if os.fspath(path) == STANDARD_OUTPUT or opened(path) is not None:
        return False
    return os.path.isfile(path) or not os.path.exists(path)


def remove_leftovers(path: str) -> None:
    """Remove a killed run's leftovers next to a complete output: note and lock."""
    part = Path(f"{path}.part")
    with locked_output(part):
        part.with_name(f"{part.name}.json").unlink(missing_ok=True)


def complete_lines(path: Path) -> tuple[int, int]:
    """The number of complete lines of a file, and their bytes."""
    lines = size = position = 0
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            lines += block.count(b"\n")
            size = position + block.rfind(b"\n") + 1 if b"\n" in block else size
            position += len(block)
    return lines, size
