"""SIGINT, SIGTERM and SIGUSR1, sent to this process itself."""

import signal
import subprocess
import sys

import pytest

from xalign_fairseq.core.signals import (
    INTERRUPTS,
    blocked_interrupts,
    delayed_interrupts,
    interrupted_code,
    signals_as_interrupts,
)


@pytest.fixture(autouse=True)
def handlers(monkeypatch):
    """The handlers of Ctrl-C and SIGTERM are restored after each block."""
    before = [signal.getsignal(number) for number in INTERRUPTS]
    yield
    assert [signal.getsignal(number) for number in INTERRUPTS] == before


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 75)])
def test_a_terminated_driver_stops_like_an_interrupted_one_with_the_signals_code(number, code):
    with pytest.raises(KeyboardInterrupt) as stopped, signals_as_interrupts():
        signal.raise_signal(number)
    assert interrupted_code(stopped.value) == code


def test_delayed_signals_arrive_at_the_end_of_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), delayed_interrupts():
        signal.raise_signal(signal.SIGINT)
        done.append("the block")
    assert done == ["the block"]


def interrupted():
    """The exit code of a process that interrupts itself."""
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); signal.raise_signal(signal.SIGINT)"
    return subprocess.run([sys.executable, "-S", "-c", code]).returncode


def test_processes_started_while_interrupts_are_blocked_never_get_them():
    with blocked_interrupts():
        assert interrupted() == 0
    assert interrupted() == -signal.SIGINT
    with delayed_interrupts():
        assert interrupted() == -signal.SIGINT


def test_blocked_interrupts_arrive_at_the_end_of_the_block():
    done = []

    def block():
        with blocked_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("the block")
        done.append("too late")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert done == ["the block"]
