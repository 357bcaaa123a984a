"""Runs first in every Python process of scripts/faults_operations.py: records its file operations and dies at one."""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PLACES = {  # the arguments of an event that are paths, and which of them is the folder that the path is relative to
    "os.rename": ((0, 2), (1, 3)), "os.link": ((0, 2), (1, 3)), "os.remove": ((0, 1),), "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),), "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.utime": ((0, 3),),
}  # fmt: skip


class Operations:
    """Records the file operations of all processes of a command, and kills these processes at one.

    Args:
        folder: operations elsewhere do not count.
        record: a file with one line per operation; ``RECORD.pids`` has the processes.
        number: the operation to die before, from 1; 0: none.
    """

    def __init__(self, folder: str, record: str, number: int):
        self.folder, self.number = os.path.realpath(folder), number
        self.record, self.pids = Path(record), Path(f"{record}.pids")
        self.busy = False
        self.enter()
        os.register_at_fork(after_in_child=self.enter)
        sys.addaudithook(self.heard)

    def enter(self) -> None:
        """Add this process to those that die together."""
        busy, self.busy = self.busy, True
        self._add(self.pids, str(os.getpid()))
        self.busy = busy

    def heard(self, event: str, given: tuple[Any, ...]) -> None:
        """An audit hook."""
        if self.busy:
            return
        self.busy = True
        try:
            if text := self._text(event, given):
                self._count(text)
        finally:
            self.busy = False

    def _text(self, event: str, given: tuple[Any, ...]) -> str:
        """The description of an operation, or "" for one that does not count."""
        if event == "open":
            path, _, flags = given
            names = [self._below(path)] if isinstance(flags, int) and flags & WRITES else []
        elif event in PLACES:
            names = [self._below(given[at], given[start] if start else None) for at, start in PLACES[event]]
        elif event == "ctypes.dlsym" and given[1] == "renameat2":
            return "exchange"
        else:
            return ""
        return " ".join([event.removeprefix("os."), *map(str, names)]) if any(names) else ""

    def _below(self, path: Any, start: Any = None) -> str:
        """A path relative to the folder, or "" elsewhere."""
        if not isinstance(path, str | bytes | os.PathLike):
            return ""
        above = f"/proc/self/fd/{start}" if isinstance(start, int) and start >= 0 else os.getcwd()
        name = os.path.join(os.path.realpath(above), os.fsdecode(path))
        whole = os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))
        return os.path.relpath(whole, self.folder) if whole.startswith(self.folder + os.sep) else ""

    def _count(self, text: str) -> None:
        self._add(self.record, text)
        if self.number and len(self.record.read_text().splitlines()) >= self.number:
            mine = os.getpid()
            for process in map(int, self.pids.read_text().split()):
                if process != mine:
                    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                        os.kill(process, signal.SIGKILL)
            os.kill(mine, signal.SIGKILL)

    def _add(self, path: Path, line: str) -> None:
        with open(path, "a") as out:
            out.write(f"{line}\n")


if "XALIGN_FAULTS" in os.environ:
    Operations(**json.loads(os.environ["XALIGN_FAULTS"]))
