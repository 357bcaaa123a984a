import os

import numpy as np
import pytest

from xalign_fairseq.aligner import combined
from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.aligner.statistical.choice import USUAL
from xalign_fairseq.aligner.statistical.folder import TrainedModels
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import open_pairs


class Encoder:
    """Gives each pair its listed scores, whatever its words."""

    def __init__(self, scores, too_long=False):
        self.scores, self.too_long = scores, too_long

    def describe(self):
        return "an encoder"

    def stream(self, pairs, progress=None, matrices=False):
        for src, tgt in pairs:
            matrix = np.zeros((len(src), len(tgt)), np.float32)
            for (i, j), score in self.scores.items():
                matrix[i : i + 1, j : j + 1] = score
            yield Alignment(src, tgt, {}, too_long=self.too_long, matrix=None if self.too_long else matrix)
            if progress:
                progress(1)


class Model:
    """A statistical model with the same scores for each pair; none if longer than ``most``."""

    name = "fixed"

    def __init__(self, scores, most=9):
        self.scores, self.most = np.array(scores, np.float32), most
        self.guided = {}

    def add_scores(self, words, cells, scores, share, factors):
        sizes = [side.lengths.tolist() for side in words]
        fits = [0 < n <= self.most and m > 0 for n, m in zip(*sizes, strict=True)]
        for line, (n, m) in enumerate(zip(*sizes, strict=True)):
            src = words[0].items[words[0].starts[line] : words[0].starts[line + 1]]
            self.guided[tuple(words[0].different[word] for word in src)] = factors.of(line)
            if fits[line]:
                scores[cells[line] : cells[line + 1]] += share * self.scores[:n, :m].ravel()
        return np.array(fits)


@pytest.fixture(autouse=True)
def no_tables(monkeypatch):
    """``Model`` has no words to compare with those of the text."""
    monkeypatch.setattr(combined, "judged", lambda model, text: text)


def aligner(scores, statistics, too_long=False, most=9, **options):
    trained = TrainedModels([Model(statistics, most)], USUAL)
    return CombinedAligner(Encoder(scores, too_long), trained, **options)


PAIR = (["a", "b"], ["A", "B"])
ONE = ([PAIR[0]], [PAIR[1]])
CHOICE = {"threshold": 0.45, "growth": 0.4}  # weaker ones from 0.18 on


def test_both_by_hand():
    # (0, 0) 0.4 * 0.9 + 0.6 * 0.5 = 0.66; (1, 1) 0.4 * 0.3 + 0.6 * 0.4 = 0.36, which grows; (1, 0) 0.6 * 0.2 = 0.12.
    both = aligner({(0, 0): 0.9, (0, 1): 0.1, (1, 1): 0.3}, [[0.5, 0.0], [0.2, 0.4]], **CHOICE)
    [found] = both.align(*ONE)
    assert found.links == pytest.approx({(0, 0): 0.66, (1, 1): 0.36})
    np.testing.assert_allclose(found.matrix, [[0.66, 0.04], [0.12, 0.36]], rtol=1e-6)
    assert next(both.stream([PAIR])).matrix is None
    assert (found.src, found.tgt, found.too_long) == (*PAIR, False)
    assert "an encoder; 60% of each score is from statistics that the encoder guides (fixed)" in both.describe()
    np.testing.assert_allclose(both._models[0].guided["a", "b"], [[1.0, 0.04], [0.01, 0.16]], rtol=1e-6)


def test_a_link_scorer_has_a_weight_of_its_own():
    # (0, 0) 0.5 * 0.9 + 0.5 * 0.5 = 0.7; (1, 1) 0.5 * 0.3 + 0.5 * 0.4 = 0.35, which grows; (1, 0) 0.5 * 0.2 = 0.1.
    both = aligner({(0, 0): 0.9, (1, 1): 0.3}, [[0.5, 0.0], [0.2, 0.4]], method="scored")
    [found] = both.align(*ONE)
    assert found.links == pytest.approx({(0, 0): 0.7, (1, 1): 0.35})
    np.testing.assert_allclose(found.matrix, [[0.7, 0.0], [0.1, 0.35]], rtol=1e-6)


def test_which_links_grow_and_from_which_threshold():
    # (1, 1): 0.4 * 0.3 + 0.6 * 0.2 = 0.24
    scores, statistics = {(0, 0): 0.49, (1, 1): 0.3}, [[0.49, 0.0], [0.0, 0.2]]
    assert aligner(scores, statistics, **CHOICE).align(*ONE)[0].links == pytest.approx({(0, 0): 0.49, (1, 1): 0.24})
    assert aligner(scores, statistics).align(*ONE)[0].links == pytest.approx({(0, 0): 0.49, (1, 1): 0.24})
    assert aligner(scores, statistics, growth=1.0).align(*ONE)[0].links == pytest.approx({(0, 0): 0.49})
    assert aligner(scores, statistics, threshold=0.5, growth=1.0).align(*ONE)[0].links == {}
    for options, links in (({}, {(0, 0): 0.4 * 0.1}), ({"growth": 1.0}, {})):  # one word on each side
        assert aligner({(0, 0): 0.1}, [[0.0]], **options).align(["a"], ["A"])[0].links == pytest.approx(links)
    assert "links with a score of at least 0.42, next to others 0.15" in aligner(scores, statistics).describe()


def test_pairs_too_long_for_statistics_or_encoder():
    scores = {(0, 0): 0.4}  # 0.4 of it are below 0.18
    [found] = aligner(scores, [[0.0, 0.0], [0.0, 0.0]], most=1, **CHOICE).align(*ONE)
    assert found.links == pytest.approx(scores)
    assert aligner(scores, [[0.0, 0.0], [0.0, 0.0]], **CHOICE).align(*ONE)[0].links == {}
    [lost] = aligner(scores, [[1.0, 0.0], [0.0, 1.0]], too_long=True).align(*ONE)
    assert lost.links == {} and lost.matrix is None
    assert lost.too_long


def test_order_empty_sides_and_progress_over_several_chunks(monkeypatch):
    monkeypatch.setattr(combined, "AT_ONCE", 2)
    both = aligner({(0, 0): 1.0, (1, 1): 1.0}, [[1.0, 0.0], [0.0, 1.0]])
    pairs = [PAIR, (["a"], ["A", "B"]), ([], ["A"]), PAIR, (["b"], ["B"])]
    told = []
    found = list(both.stream(pairs, told.append))
    assert [(each.src, each.tgt) for each in found] == pairs
    assert [set(each.links) for each in found] == [{(0, 0), (1, 1)}, {(0, 0)}, set(), {(0, 0), (1, 1)}, {(0, 0)}]
    assert sum(told) == 5


def test_pairs_of_a_pipe_are_answered_one_by_one(tmp_path):
    os.mkfifo(tmp_path / "pairs")
    writer = os.open(tmp_path / "pairs", os.O_RDWR)
    stream = aligner({(0, 0): 1.0}, [[1.0]]).stream(open_pairs(tmp_path / "pairs"))
    for number in "12":
        os.write(writer, f"a ||| {number}\n".encode())
        assert next(stream).tgt == [number]
    os.close(writer)
    assert list(stream) == []


@pytest.mark.parametrize("option", ["threshold", "growth"])
@pytest.mark.parametrize("value", [0, 1.01])
def test_invalid_shares(option, value):
    with pytest.raises(XalignError, match=option):
        aligner({}, [[0.0]], **{option: value})
