import threading

import pytest
from fairseq.data import iterators

from xalign_fairseq import compat
from xalign_fairseq.compat import background_consumer


@pytest.fixture(autouse=True)
def applied():
    compat.apply()


def test_batches_arrive_unchanged_and_the_thread_ends():
    buffered = iterators.BufferedIterator(3, list(range(50)))
    assert list(buffered) == list(range(50))
    buffered._consumer.join(10)
    assert not buffered._consumer.is_alive()


def test_fewer_batches_on_request():
    assert list(iterators.BufferedIterator(3, list(range(50))).take(7)) == list(range(7))


def test_an_error_in_a_batch_reaches_the_trainer():
    class Source:
        def __len__(self):
            return 5

        def __iter__(self):
            yield 1
            raise KeyError("broken")

    buffered = iterators.BufferedIterator(3, Source())
    assert next(buffered) == 1
    with pytest.raises(KeyError, match="broken"):
        next(buffered)


@pytest.mark.parametrize("size", [1, 4])
def test_stopping_in_mid_epoch_joins_the_thread(size):
    made = []

    class Source:
        def __len__(self):
            return 10_000

        def __iter__(self):
            for number in range(10_000):
                made.append(number)
                yield number

    buffered = iterators.BufferedIterator(size, Source())
    assert next(buffered) == 0
    consumer = buffered._consumer
    assert consumer.is_alive()  # waiting for room in the queue
    consumer.stop()
    assert not consumer.is_alive()
    assert len(made) < 100


def test_the_exit_handler_stops_what_still_runs():
    release = threading.Event()

    class Source:
        def __len__(self):
            return 2

        def __iter__(self):
            yield 1
            release.wait(10)  # a batch that is still being made when the interpreter wants to go
            yield 2

    buffered = iterators.BufferedIterator(1, Source())
    next(buffered)
    threading.Timer(0.2, release.set).start()
    background_consumer._stop_all()
    assert release.is_set()
    assert not buffered._consumer.is_alive()
