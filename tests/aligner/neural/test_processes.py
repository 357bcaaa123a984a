import multiprocessing
import os

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
    """To be broken."""
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


@pytest.mark.parametrize(
    ("word", "message"), [("fail", "as asked\n  where: here"), ("die", "killed, probably for lack of memory")]
)
def test_an_error_in_a_worker_is_raised_and_ends_all_workers(pool_of_one, word, message):
    _, process = pool_of_one.ask(processes.device_and_process)
    with pytest.raises(XalignError, match=message) as raised:
        list(pool_of_one.stream([*numbered(5 * FEWEST_PAIRS), ([word, "here"], [])]))
    assert not processes.is_alive(process)
    if word == "fail":
        assert "processes.py" in raised.value.__notes__[0]  # the worker's traceback


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
    with pytest.raises(XalignError, match="no such device"):
        AlignerPool(processes.load, ["none"])
