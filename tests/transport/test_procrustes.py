"""Procrustes by accumulated sums, against scipy's on the whole matrices."""

import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.procrustes import Procrustes

scipy_linalg = pytest.importorskip("scipy.linalg")


def vectors(layers=3, pairs=200, dim=6, rank=6, seed=0):
    rng = np.random.default_rng(seed)
    s, t = rng.normal(size=(2, layers, pairs, dim))
    basis = rng.normal(size=(rank, dim))
    return torch.from_numpy(s), torch.from_numpy(t[..., :rank] @ basis if rank < dim else t)


def solved(s, t, batch=None):
    problem = Procrustes(len(s), s.shape[2])
    for start in range(0, s.shape[1], batch or s.shape[1]):
        part = slice(start, start + (batch or s.shape[1]))
        problem.add(s[:, part], t[:, part])
    return problem


def test_the_map_is_scipys():
    s, t = vectors()
    for w, a, b in zip(solved(s, t).solve(), t, s, strict=True):
        expected, _ = scipy_linalg.orthogonal_procrustes(a.numpy(), b.numpy())
        np.testing.assert_allclose(w, expected, atol=1e-10)


@pytest.mark.parametrize(("pairs", "rank"), [(200, 2), (3, 6), (1, 6)])
def test_maps_are_orthogonal_where_the_pairs_leave_directions_open(pairs, rank):
    s, t = vectors(pairs=pairs, rank=rank)
    problem = solved(s, t)
    w = problem.solve()
    torch.testing.assert_close(w @ w.mT, torch.eye(6).double().expand(3, 6, 6), atol=1e-10, rtol=0)
    for layer in range(3):  # the last bits decide which of the best maps it is, not how good it is
        expected, _ = scipy_linalg.orthogonal_procrustes(t[layer].numpy(), s[layer].numpy())
        best = ((t[layer].numpy() @ expected - s[layer].numpy()) ** 2).sum(1).mean()
        assert problem.distance(w)[layer].item() == pytest.approx(best, rel=1e-9)


def test_the_distance_is_the_mean_over_the_pairs():
    s, t = vectors()
    problem = solved(s, t, 30)
    w = problem.solve()
    for maps, mapped in ((None, t), (w, t @ w)):
        torch.testing.assert_close(problem.distance(maps), (s - mapped).square().sum(2).mean(1))
    assert (problem.distance(w.float()) < problem.distance()).all()


def test_sums_of_half_precision_vectors_are_in_float64():
    s, t = (each.half() for each in vectors(pairs=3000))
    torch.testing.assert_close(solved(s, t, 100).solve(), solved(s.double(), t.double()).solve(), atol=1e-12, rtol=0)


def test_nothing_to_learn_from():
    with pytest.raises(XalignError, match=r"de(.|\n)*no linked words"):
        Procrustes(2, 3).solve("de")
    problem = Procrustes(1, 3)
    problem.add(torch.full((1, 2, 3), float("nan")), torch.ones(1, 2, 3))
    with pytest.raises(XalignError, match="not finite"):
        problem.solve("de")
