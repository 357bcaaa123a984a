"""Run a command with a time limit, and end all its processes with it."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

GRACE = 10.0  # seconds between SIGTERM and SIGKILL


def run(command: Sequence[str], log: Path, seconds: float, environment: Mapping[str, str], folder: Path) -> int | None:
    """Run a command in a folder with output to ``log``; return its exit code, or None if its time is over."""
    with open(log, "w") as out:
        try:
            process = subprocess.Popen(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            out.write(f"{error}\n")
            return 127
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:  # also after an interrupt, and if the command left processes behind
            _end(process)


def _end(process: subprocess.Popen) -> None:
    for end in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, end)
            process.wait(GRACE)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
