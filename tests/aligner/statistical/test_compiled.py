"""The compiled passes against the reference and against all paths in float64."""

import numpy as np
import pytest
from support.units import drawn, tables_of

from xalign_fairseq.aligner.statistical import compiled, reference
from xalign_fairseq.aligner.statistical.sentences import cell_starts, cut_words, number_words, unit_text
from xalign_fairseq.aligner.statistical.tables import FIRST, posteriors, word_factors

RTOL = 2e-5  # float32 sums in another order


def make_text(seed, lengths=(0, 1, 2, 7, 15, 16, 17, 33, 70)):
    """Pairs of many lengths; words have none to three units of 40; one pair does not fit."""
    draw = np.random.default_rng(seed)
    pairs = [
        tuple([f"{word}" for word in draw.integers(0, 60, draw.choice(lengths))] for _ in range(2)) for _ in range(90)
    ]
    words = number_words([*pairs, (["1"] * 5000, ["2"])])
    return words, unit_text(
        *(
            cut_words(side, [draw.integers(0, 40, size).tolist() for size in draw.integers(0, 4, len(side.different))])
            for side in words
        )
    )


def make_tables(jumps):
    """40 units per side; some pairs and the last unit are unknown."""
    units = [[f"{number}" for number in range(39)]]
    tables = drawn(tables_of(units, units), 1, jumps)
    keep = np.random.default_rng(1).random(len(tables.targets)) < 0.7
    starts = np.append(0, np.cumsum(keep))[tables.starts]
    pairs = tables.pairs[np.append([True] * FIRST, keep)]
    return type(tables)(tables.src, tables.tgt, starts, tables.targets[keep], pairs, tables.null, tables.jumps)


def factors_of(words, guided):
    draw = np.random.default_rng(3)
    sizes = [side.lengths for side in words]
    return word_factors(
        (lambda line: None if line % 5 == 0 else draw.random((sizes[0][line], sizes[1][line]))) if guided else None,
        cell_starts(words),
        sizes[1],
    )


@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize("jumps", [False, True])
def test_expected_counts_equal_the_reference(jumps, guided):
    words, text = make_text(1)
    tables, factors = make_tables(jumps), factors_of(words, guided)
    found, expected = (module.expected_counts(tables, text, factors) for module in (compiled, reference))
    np.testing.assert_allclose(found.links[FIRST:], expected.links[FIRST:], rtol=RTOL, atol=1e-9)
    for one, other in zip(found.alone, expected.alone, strict=True):
        np.testing.assert_allclose(one[:-1], other[:-1], rtol=RTOL)  # the last is padding's
    for one, other in zip(found.jumps, expected.jumps, strict=True):
        np.testing.assert_allclose(one, other, rtol=RTOL, atol=1e-9)
        assert (one.sum() > 0) == jumps


@pytest.mark.parametrize("guided", [False, True])
def test_word_scores_equal_the_reference(guided):
    words, text = make_text(2)
    tables, factors, cells = make_tables(True), factors_of(words, guided), cell_starts(words)
    found, expected = (np.full(cells[-1], 0.25, np.float32) for _ in range(2))
    for module, scores in ((compiled, found), (reference, expected)):
        module.add_scores(tables, text, cells, scores, 0.5, factors)
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=1e-6)
    assert (found[cells[-2] :] == 0.25).all() and found.max() > 0.5


@pytest.mark.parametrize("length", [1, 16, 300])
def test_posteriors_against_float64(length):
    """One pair with words as units, in float64 by the reference's recursion, which all paths test."""
    side = [[f"{number}" for number in range(length)]]
    tables = drawn(tables_of(side, side), 5, jumps=True)
    words = number_words(zip(side, side, strict=True))
    text = unit_text(*(cut_words(each, [[number] for number in range(length)]) for each in words))
    emitted, ones = np.float64(tables.pairs[FIRST:]).reshape(length, length, 2), np.ones((1, length))
    null, jumps = ([np.float64(each) for each in both] for both in (tables.null, tables.jumps))
    forward, backward = (
        posteriors(each[:, None], null[side][:length, None], ones, jumps[side], ones.T).partner[:, 0]
        for side, each in enumerate((emitted[..., 0].T, emitted[..., 1]))
    )
    counts = compiled.expected_counts(tables, text)
    np.testing.assert_allclose(
        counts.links[FIRST:].reshape(length, length), forward.T * backward, rtol=1e-4, atol=1e-12
    )


def test_results_are_bitwise_equal_for_any_threads_and_parts(monkeypatch):
    """Also texts of more cells than are held at once."""
    words, text = make_text(4, lengths=(90, 150))
    tables, cells = make_tables(True), cell_starts(words)
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(compiled.torch, "get_num_threads", lambda threads=threads: threads)
        counts, scores = compiled.expected_counts(tables, text), np.zeros(cells[-1], np.float32)
        compiled.add_scores(tables, text, cells, scores, 1.0)
        results.append([counts.links, *counts.alone, *counts.jumps, scores])
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            np.testing.assert_array_equal(one, other)
    n, m = (side.lengths for side in text.sides)
    assert (n * m)[text.fits].sum() > 1 << 21
