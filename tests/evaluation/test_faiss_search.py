"""Searches on faiss find what the exact ones find, also where margins are decided far from a query's neighbours."""

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation import faiss_search, retrieval


@pytest.fixture
def faiss():
    return pytest.importorskip("faiss")


def clouds(n, m, width, mean=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(size, width, generator=generator) + mean for size in (n, m))


@pytest.mark.parametrize(("n", "m"), [(30, 200), (200, 30), (5, 3), (1, 1), (40, 17)])
@pytest.mark.parametrize("mean", [1.0, 0.0])  # without a mean, cosines and denominators are negative too
def test_results_are_those_of_the_exact_search(faiss, n, m, mean):
    queries, candidates = clouds(n, m, 6, mean)
    assert faiss_search.by_cosine(queries, candidates).tolist() == retrieval.by_cosine(queries, candidates).tolist()
    assert faiss_search.by_margin(queries, candidates).tolist() == retrieval.by_margin(queries, candidates).tolist()


def test_vectors_of_zeros_are_found_as_by_the_exact_search(faiss):
    queries, candidates = torch.tensor([[0.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    assert faiss_search.by_margin(queries, candidates).tolist() == [0, 0]
    assert retrieval.by_margin(queries, candidates).tolist() == [0, 0]


def test_the_best_margin_may_be_beyond_the_nearest(faiss, monkeypatch):
    queries, candidates = clouds(60, 300, 3)
    exact = retrieval.by_margin(queries, candidates)
    nearest = (torch.nn.functional.normalize(queries) @ torch.nn.functional.normalize(candidates).T).topk(4).indices
    assert not (nearest == exact[:, None]).any(1).all()  # a search among the neighbours alone would be wrong
    monkeypatch.setattr(faiss_search, "DEPTH", 4)
    monkeypatch.setattr(faiss_search, "CHUNK", 7)
    assert faiss_search.by_margin(queries, candidates).tolist() == exact.tolist()


def test_of_equal_candidates_the_first_is_found(faiss):
    queries, candidates = clouds(20, 20, 33)
    twice = torch.cat([candidates, 3 * candidates])
    for search in (faiss_search.by_cosine, faiss_search.by_margin):
        assert search(queries, twice).max() < 20


def test_retrieval_by_either_backend_is_the_same(faiss):
    foreign, english = clouds(50, 50, 4)
    exact, fast = (retrieval.retrieve(foreign, english, backend) for backend in ("exact", "faiss"))
    assert {name: rows.tolist() for name, rows in exact.items()} == {name: rows.tolist() for name, rows in fast.items()}


def test_auto_takes_faiss_where_it_pays(monkeypatch):
    monkeypatch.setattr(faiss_search, "installed", lambda: True)
    assert [retrieval.choose_backend("auto", n) for n in (9_999, 10_000)] == ["exact", "faiss"]
    monkeypatch.setattr(faiss_search, "installed", lambda: False)
    assert retrieval.choose_backend("auto", 10_000) == "exact"
    with pytest.raises(XalignError, match=r"pip install faiss-cpu"):
        retrieval.choose_backend("faiss", 10)
    with pytest.raises(XalignError, match="exact or faiss or auto"):
        retrieval.choose_backend("annoy", 10)
