"""Tools of others as processes of their own: started, watched, ended with us, and heard when they fail."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from xalign_fairseq.core.process import failure, running

TAIL_BYTES = 2000


def run_tool(command: Sequence[str], folder: Path, stdout: str | None = None, echo: bool = False) -> None:
    """Run a command in a folder until it ends.

    Args:
        command: program and arguments.
        folder: the working folder, also for the tool's temporary files.
        stdout: file of the folder that takes the output; ``None`` discards it.
        echo: show what the tool says of its progress (on stderr) on ours.

    Raises:
        XalignError: the program can't be started, or ends with another exit code than 0; the error has the end of its
        stderr.

    Example::

        run_tool(["fast_align", "-i", "text", "-d", "-o", "-v"], folder, stdout="forward")
    """
    with open(folder / stdout if stdout else os.devnull, "wb") as out:
        environment = {**os.environ, "TMPDIR": os.path.abspath(folder)}
        # Without a buffer: progress is shown when it is made.
        with running(command, cwd=folder, stdout=out, stderr=subprocess.PIPE, bufsize=0, env=environment) as process:
            tail = _listen(process, echo)
            code = process.wait()
    if code:
        remedy = "run it by hand on a few lines of the text; see that there is enough memory and disk space"
        raise failure(Path(command[0]).name, shlex.join(command), code, tail or "(nothing)", remedy)


def _listen(process: "subprocess.Popen[bytes]", echo: bool) -> str:
    """Read stderr until its end; return the last of it."""
    assert process.stderr is not None
    tail = b""
    with process.stderr as stream:
        while chunk := stream.read(4096):
            tail = (tail + chunk)[-TAIL_BYTES:]
            if echo:
                sys.stderr.write(chunk.decode("utf-8", "replace"))
                sys.stderr.flush()
    return tail.decode("utf-8", "replace").strip()
