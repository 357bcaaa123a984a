import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest
from support import processes

from xalign_fairseq.aligner.neural.processes import AHEAD, FEWEST_PAIRS, MOST_PAIRS, AlignerPool
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import open_pairs

GET_CONTEXT = multiprocessing.get_context


@pytest.fixture(scope="module", autouse=True)
def forked():
    """Workers are forked from a server with torch imported; each import takes seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda method=None: context)
        yield


@pytest.fixture(scope="module")
def pool(forked):
    with AlignerPool(processes.load, ["one", "two"]) as pool:
        yield pool


@pytest.fixture
def pool_of_one(forked):
    """For tests that break it."""
    with AlignerPool(processes.load, ["one"]) as pool:
        yield pool


def numbered(count):
    return [(["w"] * (number % 7), [str(number)]) for number in range(count)]


def expected(pairs):
    return [(src, tgt, len(src), len(tgt)) for src, tgt in pairs]


def test_order_sizes_devices_and_reuse(pool):
    pairs = numbered(3 * MOST_PAIRS)
    told = []
    assert list(pool.stream(pairs, told.append)) == expected(pairs)
    assert sum(told) == len(pairs) and max(told) <= MOST_PAIRS
    slow = [(["sleep", "0.3"], ["late"]), *numbered(10 * FEWEST_PAIRS)]  # the other process has continued
    assert list(pool.stream(slow)) == expected(slow)
    assert list(pool.stream([])) == []
    assert [pair[0] for pair in pool.stream(iter([("a  b", ["c"])]))] == [["a", "b"]]
    assert pool.ask(processes.device_and_process)[0] == "one"
    assert pool.ask(processes.threads) == 1


def test_pairs_of_a_pipe_are_answered_one_by_one(pool, tmp_path):
    os.mkfifo(tmp_path / "pairs")
    writer = os.open(tmp_path / "pairs", os.O_RDWR)
    stream = pool.stream(open_pairs(tmp_path / "pairs"))
    for number in range(3):
        os.write(writer, b"a ||| %d\n" % number)
        assert next(stream)[:2] == (["a"], [str(number)])
    os.close(writer)
    assert list(stream) == []


def test_unknown_tokens_of_all_processes(pool):
    before = pool.unknown()
    pairs = numbered(8 * FEWEST_PAIRS)
    list(pool.stream(pairs))
    after = pool.unknown()
    assert after.unknown - before.unknown == after.scripts["Thai"] - before.scripts["Thai"] == len(pairs)
    assert after.tokens - before.tokens == sum(len(src) for src, _ in pairs)


def test_memory_stays_bounded_and_an_abandoned_stream_ends_the_processes():
    read = 0

    def endless():
        nonlocal read
        yield ["sleep", "0.5"], []  # enough for dozens of chunks in the other process
        while True:
            read += 1
            yield ["w"], ["w"]

    with AlignerPool(processes.load, ["one", "two"]) as pool:
        _, process = pool.ask(processes.device_and_process)
        stream = pool.stream(endless())
        next(stream)
        assert read < 2 * AHEAD * 2 * MOST_PAIRS
        stream.close()
        assert not processes.is_alive(process)


@pytest.mark.parametrize("pairs", [[(["fail", "here"], [])], (1 / 0 for _ in "a")])
def test_after_an_error_the_pool_reads_no_late_answers(pool, pairs):
    """Of a worker, whose traceback is in a note, or of the caller's pairs."""
    with pytest.raises((XalignError, ZeroDivisionError), match=r"as asked\n  where: here|by zero") as raised:
        list(pool.stream(chain(numbered(5 * FEWEST_PAIRS), pairs, numbered(5 * FEWEST_PAIRS))))
    assert raised.type is ZeroDivisionError or "processes.py" in raised.value.__notes__[0]
    assert list(pool.stream(numbered(3 * FEWEST_PAIRS))) == expected(numbered(3 * FEWEST_PAIRS))
    assert pool.ask(processes.device_and_process)[0] == "one"


def test_an_answer_that_cannot_be_sent_is_an_error(pool):
    with pytest.raises(Exception, match=r"pickle|local object"):
        pool.ask(processes.no_answer)
    assert pool.ask(processes.device_and_process)[0] == "one"


def test_an_interrupt_while_late_answers_are_awaited_closes_the_pool(pool_of_one, monkeypatch):
    def interrupted(worker):
        raise KeyboardInterrupt

    monkeypatch.setattr("xalign_fairseq.aligner.neural.processes._Worker.discard", interrupted)
    with pytest.raises(XalignError, match="as asked"):
        list(pool_of_one.stream([*numbered(5 * FEWEST_PAIRS), (["fail", "here"], [])]))
    with pytest.raises(XalignError, match="is closed"):
        pool_of_one.describe()


def test_a_killed_worker_closes_the_pool(pool_of_one):
    with pytest.raises(XalignError, match="killed, probably for lack of memory"):
        list(pool_of_one.stream([*numbered(5 * FEWEST_PAIRS), (["die", "here"], [])]))
    with pytest.raises(XalignError, match="is closed"):
        pool_of_one.describe()


def test_concurrent_calls_are_refused(pool):
    """Otherwise each would read the other's answers."""
    stream = pool.stream(numbered(5))
    next(stream)
    for call in (pool.unknown, pool.signature, lambda: pool.align([["a"]], [["b"]])):
        with pytest.raises(XalignError, match="in use by another call"):
            call()
        with ThreadPoolExecutor() as threads, pytest.raises(XalignError, match="in use by another call"):
            threads.submit(call).result()
    assert len(list(stream)) == 4
    assert pool.ask(processes.device_and_process)[0] == "one"


def test_loading_warns_once_and_aligning_warns_each_time(capfd, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_context", GET_CONTEXT)  # a server has a standard error of its own
    with AlignerPool(processes.load, ["one", "two"]) as pool:
        list(pool.stream([(["warn"], [])] * (2 * FEWEST_PAIRS)))  # a chunk for each process
    said = capfd.readouterr().err
    assert said.count("the model's head is left out") == 1
    assert said.count("a pair is odd") == 2 * FEWEST_PAIRS


def test_an_error_that_cannot_be_pickled_is_sent_as_text(pool_of_one):
    with pytest.raises(RuntimeError, match=r"(?s)processes.py.*Local: lost"):
        list(pool_of_one.stream([(["lose"], [])]))


def test_a_loading_error_is_raised_before_any_work():
    with pytest.raises(XalignError, match="unknown device"):
        AlignerPool(processes.load, ["none"])
