"""What a process of scripts/faults_operations.py does besides its work: list its file operations, and end at one."""

import contextlib
import ctypes
import io
import mmap
import os
import runpy
import signal
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PLACES = {  # which arguments of an event are a path, and which of them is the folder that it begins at
    "os.rename": ((0, 2), (1, 3)), "os.link": ((0, 2), (1, 3)), "os.remove": ((0, 1),), "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),), "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.utime": ((0, 3),),
}  # fmt: skip


class Operations:
    """Counts the file operations of a process and of those that it forks, and kills all of them at one.

    Args:
        folder: operations elsewhere do not count.
        record: file that each is added to, by a line.
        number: of the operation to die before, from 1 on; 0: none.
    """

    def __init__(self, folder: str, record: str, number: int):
        self.folder, self.number = os.path.realpath(folder), number
        self.shared = mmap.mmap(-1, 8 * 64)  # the operations and the processes of all
        self.record = os.open(record, os.O_WRONLY | os.O_APPEND)
        self.busy = False
        self.enter()
        sys.addaudithook(self.heard)

    def enter(self) -> None:
        """This process belongs to those that die together."""
        count = self._read(1) + 1
        self._write(1, count)
        self._write(1 + count, os.getpid())

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
        """What an operation is; "" for none of those that count."""
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
        """A path's name below the folder; "" elsewhere."""
        if not isinstance(path, str | bytes | os.PathLike):
            return ""
        above = f"/proc/self/fd/{start}" if isinstance(start, int) and start >= 0 else os.getcwd()
        name = os.path.join(os.path.realpath(above), os.fsdecode(path))
        whole = os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))
        return os.path.relpath(whole, self.folder) if whole.startswith(self.folder + os.sep) else ""

    def _count(self, text: str) -> None:
        count = self._read(0) + 1
        self._write(0, count)
        os.write(self.record, f"{text}\n".encode())
        if count == self.number:
            mine = os.getpid()
            for each in range(self._read(1)):
                if (process := self._read(2 + each)) != mine:
                    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                        os.kill(process, signal.SIGKILL)
            os.kill(mine, signal.SIGKILL)

    def _read(self, place: int) -> int:
        return struct.unpack_from("q", self.shared, 8 * place)[0]

    def _write(self, place: int, value: int) -> None:
        struct.pack_into("q", self.shared, 8 * place, value)


def fork_what_is_started(operations: Operations) -> None:
    """The package's processes of this interpreter are forks of it, which count on and need not import torch again."""
    from xalign_fairseq.core import process
    from xalign_fairseq.transfer import scheduler

    def start(command: Sequence[str], **options: Any) -> Any:
        return Fork(command, operations, **options) if command[0] == sys.executable else first(command, **options)

    first = process.start
    process.start = scheduler.start = start  # type: ignore[assignment]


class Fork:
    """A process with the names of ``subprocess.Popen`` that are used."""

    def __init__(self, command: Sequence[str], operations: Operations, **options: Any):
        self.args, self.returncode = command, None
        given = options.get("stdout")
        reader, writer = os.pipe() if given == subprocess.PIPE else (None, given.fileno())
        sys.stdout.flush(), sys.stderr.flush()
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            self._become(command, operations, writer, options.get("env"), parent)
        if reader is not None:
            os.close(writer)
            self.stdout = io.TextIOWrapper(os.fdopen(reader, "rb"), encoding="utf-8", errors="replace")

    def _become(self, command: Sequence[str], operations: Operations, out: int, env: Any, parent: int) -> None:
        code = 1
        try:
            os.setsid()
            operations.enter()
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            if os.getppid() != parent:
                return
            for stream in (1, 2):
                os.dup2(out, stream)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
                signal.signal(number, signal.SIG_DFL)
            os.environ.update(env or {})
            become(list(command[1:]))
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(code)

    def poll(self) -> int | None:
        if self.returncode is None:
            process, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if process else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        until = time.monotonic() + (timeout or 1e9)
        while self.poll() is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            time.sleep(0.01)
        return self.returncode  # type: ignore[return-value]

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def become(command: list[str]) -> None:
    """Run ``-m MODULE``, ``-c CODE`` or a file with its options, as a new interpreter would."""
    if command[0] == "-m":
        sys.argv = command[1:]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    elif command[0] == "-c":
        sys.argv = ["-c", *command[2:]]
        exec(command[1], {"__name__": "__main__"})
    else:
        sys.argv = command
        sys.path.insert(0, str(Path(command[0]).parent))
        runpy.run_path(command[0], run_name="__main__")
