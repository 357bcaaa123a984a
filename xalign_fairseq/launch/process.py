"""A command whose output goes into a log and comes line by line."""

import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path

from xalign_fairseq.errors import XalignError
from xalign_fairseq.launch.scheduler import stop, tail


def output(command: Sequence[str], log: Path, held: Sequence[int] = ()) -> Generator[str, None, None]:
    """Run a command; yield each line of its output, errors included, after adding it to ``log``.

    The command leads a process group of its own, which is ended if the iteration is left early (Ctrl-C).

    Args:
        command: what to run.
        log: is appended to.
        held: open files that the command holds too for as long as it runs, such as a lock.

    Raises:
        XalignError: the command failed; the end of its output is told.

    Example::

        for line in output(["fairseq-train", "data-bin"], Path("train.log")):
            print(line)
    """
    process = subprocess.Popen(
        list(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, pass_fds=held, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    assert process.stdout is not None
    try:
        with open(log, "a", encoding="utf-8") as stream:
            for line in process.stdout:
                stream.write(line)
                stream.flush()
                yield line
        code = process.wait()
    finally:
        stop([process])
    if code:
        raise XalignError(
            "fairseq-train failed",
            where=log,
            found=f"exit code {code}; the end of its output:\n{tail(log)}",
            next="mend what it names and run the same command again",
        )
