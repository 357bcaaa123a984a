import numpy as np
import pytest

from xalign_fairseq.aligner import kept_scores
from xalign_fairseq.aligner.kept_scores import KeptScores
from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SentencePairs

LINES = [("a b", "x"), ("", "y"), ("c", "x y z"), ("too long", "x"), ("d", "y z"), ("a b", "x")]


class Encoder:
    """A word's score is its position over the other's; it counts reads, and fails at a word.

    A stream abandoned before its end closes it, like a pool.
    """

    def __init__(self, falls_at=None):
        self.read, self.falls_at, self.closed = [], falls_at, False

    def stream(self, pairs, progress=None, matrices=False):
        try:
            yield from self._stream(pairs, progress)
        except GeneratorExit:
            self.closed = True
            raise

    def _stream(self, pairs, progress):
        for src, tgt in pairs:
            if self.falls_at in src:
                raise MemoryError
            self.read.append(" ".join(src))
            matrix = np.zeros((len(src), len(tgt)), np.float32)
            for i, j in np.argwhere(matrix == 0):
                matrix[i, j] = (i + 1) / (j + 2) if i != j else 9e-4  # too little to be saved
            lost = src == ["too", "long"]
            yield Alignment(src, tgt, {}, too_long=lost, matrix=None if lost else matrix)
            if progress:
                progress(1)


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch):
    monkeypatch.setattr(kept_scores, "AT_ONCE", 2)


@pytest.fixture
def text(tmp_path):
    for side, name in enumerate(("src", "tgt")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in LINES))
    return SentencePairs(tmp_path / "src", tmp_path / "tgt")


def test_lines_are_read_once_and_interrupted_runs_resume(text, tmp_path):
    first = Encoder(falls_at="d")
    with pytest.raises(MemoryError):
        KeptScores(first, tmp_path).read(text)
    assert first.read == ["a b", "", "c", "too long"]
    second, told = Encoder(), []
    kept = KeptScores(second, tmp_path)
    assert len(kept) == 4
    kept.read(text, told.append)
    assert second.read == ["d", "a b"]
    assert told == [4, 1, 1]
    assert len(kept) == 6
    third = Encoder()
    KeptScores(third, tmp_path).read(text)
    assert third.read == []


def test_scores_of_lines(text, tmp_path):
    kept = KeptScores(Encoder(), tmp_path)
    kept.read(text)
    np.testing.assert_allclose(kept.guide(0), [[0.0], [1.0]])
    assert kept.guide(1).shape == (0, 1)
    np.testing.assert_allclose(kept.guide(2), [[0, 1 / 3, 1 / 4]])
    assert kept.guide(3) is None
    np.testing.assert_allclose(kept.guide(5), kept.guide(0))


def test_pairs_of_the_text_and_others_in_any_order(text, tmp_path):
    encoder = Encoder()
    kept = KeptScores(encoder, tmp_path)
    pairs = [("d", "y z"), ("new", "x y"), ("too long", "x"), ("a b", "x"), ("d", "z y")]
    expected = list(Encoder().stream((src.split(), tgt.split()) for src, tgt in pairs))
    for _ in range(2):  # before the text is read, and after that
        told = []
        for each, right in zip(kept.stream(pairs, told.append), expected, strict=True):
            assert (each.src, each.tgt, each.too_long) == (right.src, right.tgt, right.too_long)
            np.testing.assert_equal(kept_scores.kept_scores(each.matrix), kept_scores.kept_scores(right.matrix))
        assert sum(told) == 5
        encoder.read.clear()
        kept.read(text)
        encoder.read.clear()
    list(kept.stream(pairs))
    assert encoder.read == ["new", "d"]


def test_a_pool_stays_open_between_streams(text, tmp_path):
    encoder = Encoder()
    kept = KeptScores(encoder, tmp_path)
    kept.read(text)
    encoder.read.clear()
    for pairs in ([("new", "x y")] * 3, [("d", "y z")], [("a b", "x"), ("new", "x"), ("d", "y z"), ("c", "x y z")]):
        assert len(list(kept.stream(pairs))) == len(pairs)
    assert encoder.read == ["new"] * 4 and not encoder.closed


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("score", lambda each: each[:-1]),
        ("score", lambda each: each * np.float32(np.nan)),
        ("count", lambda each: each - 5),
        ("place", lambda each: each - 1),
        ("place", lambda each: each + 3),
        ("shape", lambda each: each - 1),
    ],
)
def test_inconsistent_scores(text, tmp_path, name, change):
    KeptScores(Encoder(), tmp_path).read(text)
    path = tmp_path / "scores-00001.npz"
    arrays = dict(np.load(path))
    np.savez_compressed(path, **{**arrays, name: change(arrays[name])})
    with pytest.raises(XalignError, match="stored scores are inconsistent"):
        KeptScores(Encoder(), tmp_path)
