"""Whether processes that were started by others still run."""

import os
import time


def is_alive(pid):
    """Whether there is such a process, and it has not ended."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:  # ended, but its parent has not looked yet
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_for(condition, seconds=20):
    """Wait until it holds; an error if it doesn't in time."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    assert condition()
