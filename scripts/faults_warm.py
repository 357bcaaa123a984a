#!/usr/bin/env python3
"""Processes forked from one that has imported torch and fairseq, which takes longer than the runs of scripts/faults.py.

The server imports nothing of xalign_fairseq: that comes by the command itself, as for users. It runs no thread, so that
a fork is safe. It makes one process at a time.
"""

import contextlib
import importlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # -P leaves it out
import faults_killing

READY = "ready\n"


class Warm:
    """A server of forked Python commands, to be used as ``subprocess.Popen`` is.

    With ``preload`` it imports the package, too, which users' processes do themselves.

    Example::

        process = Warm().start([sys.executable, "-m", "xalign_fairseq", "--help"], Path("log"))
        process.wait(10)
    """

    def __init__(self, preload: bool = False) -> None:
        command = [sys.executable, "-P", __file__, *["--preload"] * preload]
        # Without a buffer, in which an exit code that comes with the process's number would hide from select.
        self.server = subprocess.Popen(command, stdin=-1, stdout=-1, bufsize=0)
        assert self.server.stdout and self.server.stdout.readline() == READY.encode()  # it has imported all

    def start(self, command: Sequence[str], log: Path, **limits: Any) -> "Forked":
        """Start a command of this interpreter, at the head of a session of its own.

        Args:
            command: ``[python, "-m", module, ...]``, ``[python, "-c", code, ...]`` or ``[python, file, ...]``.
            log: what it says goes here.
            limits: ``file_size`` (bytes), of files that it writes; ``operation``, of faults_killing.py's Operations.
        """
        log.write_bytes(b"")  # what an earlier one has said is not taken for this one's
        assert command[0] == sys.executable and self.server.stdin and self.server.stdout
        asked = {"command": list(command[1:]), "log": str(log), **limits}
        self.server.stdin.write(f"{json.dumps(asked)}\n".encode())
        return Forked(int(self.server.stdout.readline()), self.server.stdout)


class Forked:
    """A process of :class:`Warm`, with ``subprocess.Popen``'s names."""

    def __init__(self, pid: int, answers: Any):
        self.pid, self._answers = pid, answers
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; :class:`subprocess.TimeoutExpired` if there is none in time."""
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("the command", timeout or 0)
            self.returncode = int(self._answers.readline())
        return self.returncode

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None


def serve() -> None:
    """Fork for every line of the input; print the process's number, and its exit code at its end."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the import logs to the standard output
    import fairseq_cli.train  # noqa: F401
    import sentencepiece  # noqa: F401
    import torch._dynamo  # noqa: F401  (what torch.optim imports at its first optimizer)
    import tqdm  # noqa: F401

    if "--preload" in sys.argv:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        import xalign_fairseq

        xalign_fairseq.register()
        for path in sorted(Path(xalign_fairseq.__file__).parent.rglob("*.py")):
            name = ".".join(path.relative_to(Path(xalign_fairseq.__file__).parents[1]).with_suffix("").parts)
            if path.stem not in ("__init__", "__main__"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
    print(READY, end="", file=answers, flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return become(**json.loads(line))
        print(child, file=answers, flush=True)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(BrokenPipeError):  # who asked has ended, and so does this
            print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def become(command: list[str], log: str, file_size: int | None = None, operation: dict[str, Any] | None = None) -> None:
    """Run a command as a new interpreter would, to its end."""
    os.setsid()
    streams = [os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)]
    for number, stream in enumerate([*streams, streams[1]]):
        os.dup2(stream, number)
    if file_size is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    if operation is not None:
        faults_killing.fork_what_is_started(faults_killing.Operations(**operation))
    faults_killing.become(command)


if __name__ == "__main__":
    serve()
