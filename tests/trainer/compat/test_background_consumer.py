import threading

import pytest
from fairseq.data import iterators

from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat import background_consumer


@pytest.fixture(autouse=True)
def consumers():
    """A function that returns the threads that have fetched batches since the test began."""
    compat.apply()
    before = set(threading.enumerate())

    def running():
        return [each for each in set(threading.enumerate()) - before if isinstance(each, iterators.BackgroundConsumer)]

    return running


def test_batches_arrive_unchanged_and_the_thread_ends(consumers):
    assert list(iterators.BufferedIterator(3, list(range(50)))) == list(range(50))
    for consumer in consumers():
        consumer.join(10)
    assert not consumers()


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
def test_stopping_in_mid_epoch_joins_the_thread(consumers, size):
    made = []

    class Source:
        def __len__(self):
            return 10_000

        def __iter__(self):
            for number in range(10_000):
                made.append(number)
                yield number

    assert next(iterators.BufferedIterator(size, Source())) == 0
    (consumer,) = consumers()  # waiting for space in the queue
    consumer.stop()
    assert not consumers()
    assert len(made) < 100


def test_the_exit_handler_stops_running_threads(consumers):
    release = threading.Event()

    class Source:
        def __len__(self):
            return 2

        def __iter__(self):
            yield 1
            release.wait(10)  # a batch still unfinished when the interpreter exits
            yield 2

    next(iterators.BufferedIterator(1, Source()))
    threading.Timer(0.2, release.set).start()
    background_consumer.stop_all()
    assert release.is_set()
    assert not consumers()
