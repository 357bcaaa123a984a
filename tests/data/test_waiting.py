import time

import pytest

from xalign_fairseq.data.waiting import DataWait


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances only on request."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def take(seconds, result=None):
        now[0] += seconds
        return result

    return take


def test_waiting_and_working_are_told_apart_and_what_is_beside_them_left_out(clock):
    wait = DataWait()
    assert wait.share == 0.0
    for _ in range(2):
        assert wait.wait(clock, 1.0, result="batch") == "batch"
        assert wait.work(clock, seconds=3.0, result="loss") == "loss"
        clock(100.0)
    assert (wait.waiting, wait.working, wait.seconds) == (2.0, 6.0, 8.0)
    assert wait.share == 0.25
    wait.reset()
    assert wait.seconds == 0.0


def test_the_end_of_the_data_is_waited_for_too(clock):
    wait = DataWait()

    def ends():
        clock(2.0)
        raise StopIteration

    with pytest.raises(StopIteration):
        wait.wait(ends)
    assert wait.waiting == 2.0
