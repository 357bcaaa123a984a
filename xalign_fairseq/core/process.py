"""Run commands as processes: start them, read their output, stop them and their child processes."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Text, XalignError
from xalign_fairseq.core.signals import delayed_interrupts

# Runs in the new process before the command. Linux then ends the process when its parent is killed (the request
# survives the exec). Other systems let it continue.
_FOLLOW_PARENT = """
import ctypes, os, signal, sys
prctl = getattr(ctypes.CDLL(None), "prctl", None)
if prctl is not None:
    prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit(128 + signal.SIGTERM)
os.execvp(sys.argv[2], sys.argv[2:])
"""
_PYTHON = sys.executable
# Seconds for a process to end after a request.
PATIENCE = 10.0
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)  # exit codes of a killed process, and of a shell that ran it
TAIL_LINES = 15
LONGEST_LINE = 400


def start(command: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start a command without input in a new process group, which :func:`stop` ends.

    Ctrl-C then reaches only this process, which ends the other. If this process or the calling thread is killed, the
    child gets SIGTERM.
    """
    if shutil.which(command[0]) is None:
        raise XalignError("a program does not exist, or is not executable", where=shlex.join(command))
    line = [_PYTHON, "-I", "-S", "-c", _FOLLOW_PARENT, str(os.getpid()), *command]
    return subprocess.Popen(line, stdin=subprocess.DEVNULL, start_new_session=True, **options)


def stop(processes: Sequence["subprocess.Popen[Any]"]) -> None:
    """Ask process groups to end, then kill the remaining processes."""
    for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, PATIENCE)):
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            _signal(process, number)
        until = time.monotonic() + patience
        while any(process.poll() is None for process in alive) and time.monotonic() < until:
            time.sleep(0.05)
    for process in processes:
        _signal(process, signal.SIGKILL)
    if any(process.poll() is None for process in processes):
        print("warning: a process could not be ended", file=sys.stderr)


@contextmanager
def running(command: Sequence[str], **options: object) -> Iterator["subprocess.Popen[Any]"]:
    """A process from :func:`start` that ends with the block at the latest."""
    started: list[subprocess.Popen[Any]] = []
    try:
        with delayed_interrupts():  # a process missing from the list would not be ended
            started.append(start(command, **options))
        yield started[0]
    finally:
        stop(started)


@contextmanager
def run_logged(
    command: Sequence[str], log: Path, held: Sequence[int] = ()
) -> Iterator[tuple["subprocess.Popen[Any]", Iterator[str]]]:
    """Run a command; yield the process and an iterator over its output lines, errors included, which go to ``log``.

    Leaving the block early (Ctrl-C) ends the command. The command also holds the open files ``held``, such as a lock.
    """
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "pass_fds": held}
    text: dict[str, Any] = {"text": True, "encoding": "utf-8", "errors": "replace"}
    with running(command, **options, **text) as process, open(log, "a", encoding="utf-8") as stream:

        def lines() -> Iterator[str]:
            for line in process.stdout or ():
                stream.write(line)
                stream.flush()
                yield line

        yield process, lines()


def exit_text(code: int) -> str:
    """The meaning of an exit code; SIGKILL usually means that memory ran out."""
    return "killed, probably for lack of memory" if code in KILLED else f"exit code {code}"


def failure(program: str, where: object, code: int, output: str, remedy: Text) -> XalignError:
    """The error for a program with a nonzero exit code; a negative code is a signal."""
    if code in KILLED:
        return XalignError(f"{program} was killed", where=where, found="probably for lack of memory", remedy=remedy)
    found = f"exit code {code}; the end of its output:\n{output}"
    return XalignError(f"{program} failed", where=where, found=found, remedy=remedy)


def tail(log: Path, lines: int = TAIL_LINES, longest: int = LONGEST_LINE) -> str:
    """The last lines of a log, for error reports; lines are cut after ``longest`` characters."""
    if not log.is_file():
        return ""
    with open(log, "rb") as stream:
        stream.seek(max(0, log.stat().st_size - longest * lines))
        last = stream.read().decode(errors="replace").splitlines()[-lines:]
    return "\n".join(line if len(line) <= longest else f"{line[:longest]} ..." for line in last)


def _signal(process: "subprocess.Popen[Any]", number: int) -> None:
    """Send a signal to a process's whole group, if any process is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
