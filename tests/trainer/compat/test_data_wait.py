import time
from types import SimpleNamespace

import pytest
from fairseq.data import iterators
from fairseq.logging import metrics

from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat import data_wait

compat.apply()


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on where it is told to alone."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    data_wait.CLOCK.reset()

    def take(seconds):
        now[0] += seconds

    return take


def test_the_log_has_the_share_of_the_time_that_passed_in_waiting(clock):
    def batches():
        for seconds in (1, 1, 4):
            clock(seconds)
            yield seconds

    counted = iterators.CountingIterator(batches(), total=3)
    train_step = data_wait._logged(lambda trainer, samples: clock(3 if samples == [1, 1] else 1))
    shares = []
    with metrics.aggregate(new_root=True) as log:
        # Two micro-batches and then one, as fairseq groups them for --update-freq 2.
        for samples in iterators.GroupedIterator(counted, 2):
            train_step(SimpleNamespace(), samples)
            clock(1000)  # validation
            shares.append(log["data_wait"].val)
        assert shares == pytest.approx([40, 80])
        assert log["data_wait"].avg == pytest.approx(60)


def test_an_update_that_fails_is_clocked_too(clock):
    def fails(trainer, samples):
        clock(1)
        raise ZeroDivisionError

    with metrics.aggregate(new_root=True) as log:
        with pytest.raises(ZeroDivisionError):
            data_wait._logged(fails)(SimpleNamespace(), [1])
        assert log["data_wait"].avg == 0 and log["data_wait"].count == 1


def test_the_iterator_is_still_fairseqs():
    grouped = iterators.GroupedIterator([1, 2, 3], 2)
    assert list(grouped) == [[1, 2], [3]] and not grouped.has_next() and len(grouped) == 2
