import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation import retrieval
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary, alignment_counts
from xalign_fairseq.evaluation.embedding_comparison import pair_cosines
from xalign_fairseq.evaluation.retrieval import RETRIEVAL_METRICS, by_cosine, by_margin, retrieval_counts, retrieve


def vectors(*rows):
    return torch.tensor(rows, dtype=torch.float32)


def test_cosines_ignore_lengths_and_are_exact_beyond_float32():
    assert by_cosine(vectors([1, 0.1], [0, 5]), vectors([0, 0.01], [2, 0], [100, 100])).tolist() == [1, 0]
    assert by_cosine(vectors([1, 0]), vectors([1, 2e-4], [1, 1e-4])).tolist() == [1]


def loops(queries, candidates, k):
    x, y = (np.asarray(v, dtype=np.float64) / np.linalg.norm(v, axis=1, keepdims=True) for v in (queries, candidates))
    cosine = x @ y.T
    found = []
    for i in range(len(x)):
        scores = []
        for j in range(len(y)):
            near_x = sorted(cosine[i], reverse=True)[:k]
            near_y = sorted(cosine[:, j], reverse=True)[:k]
            mean = sum(near_x) / (2 * len(near_x)) + sum(near_y) / (2 * len(near_y))
            scores.append(cosine[i, j] / mean)
        found.append(int(np.argmax(scores)))
    return found


@pytest.mark.parametrize(("n", "m", "k"), [(30, 30, 4), (7, 41, 4), (41, 3, 4), (5, 5, 1), (1, 1, 4), (40, 40, 9)])
def test_margin_is_that_of_loops(n, m, k):
    generator = torch.Generator().manual_seed(n + m)
    mean = torch.randn(6, generator=generator) * 2
    queries, candidates = (torch.randn(size, 6, generator=generator) + mean for size in (n, m))
    assert by_margin(queries, candidates, neighbours=k).tolist() == loops(queries, candidates, k)


@pytest.mark.parametrize("search", [by_cosine, by_margin])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_chunks_change_nothing(search, dtype, monkeypatch):
    generator = torch.Generator().manual_seed(2)
    queries, candidates = ((torch.randn(101, 33, generator=generator) + 0.5).to(dtype) for _ in range(2))
    whole = search(queries, candidates)
    for chunk in (1, 7, 100, 101, 1000):
        monkeypatch.setattr(retrieval, "CHUNK", chunk)
        assert search(queries, candidates).tolist() == whole.tolist()


@pytest.mark.parametrize("chunk", [1, 16, 50])  # other sizes use other kernels, which round differently
@pytest.mark.parametrize("search", [by_cosine, by_margin])
def test_of_equal_candidates_the_first_is_found(search, chunk, monkeypatch):
    monkeypatch.setattr(retrieval, "CHUNK", chunk)
    generator = torch.Generator().manual_seed(3)
    different = torch.randn(50, 65, generator=generator) + 0.5
    copies = torch.randint(0, 50, (173,), generator=generator)
    lengths = 2.0 ** torch.randint(-2, 3, (173, 1), generator=generator)
    found = search(different, different[copies] * lengths).tolist()
    order = copies.tolist()
    assert found == [order.index(order[i]) for i in found]
    if search is by_cosine:
        assert [order[i] for i, query in zip(found, range(50), strict=True) if query in order] == sorted(set(order))


def test_both_directions_and_metrics():
    # 20 and 22 degrees: the English line 0 is the nearest of both foreign lines; each is the nearest of its own
    foreign = vectors([1, 0.0], [1, 0.3])
    english = vectors([1, 0.1], [1, 2.0])
    found = retrieve(foreign, english)
    assert {name: lines.tolist() for name, lines in found.items()} == {
        "accuracy": [0, 0],
        "accuracy-from-en": [0, 1],
        "margin-accuracy": by_margin(foreign, english).tolist(),
        "margin-accuracy-from-en": by_margin(english, foreign).tolist(),
    }
    assert [metric.name for metric in RETRIEVAL_METRICS] == list(found)
    predictions = [{name: str(lines[i].item()) for name, lines in found.items()} for i in range(2)]
    scores = [m.score(m.counts(["0", "1"], predictions, "de")) for m in RETRIEVAL_METRICS]
    assert scores[:2] == [0.5, 1.0]
    counts = retrieval_counts(foreign, english)
    assert [metric.score(counts[metric.name]) for metric in RETRIEVAL_METRICS] == scores
    assert counts["accuracy"].tolist() == [[1, 1], [0, 1]]
    with pytest.raises(XalignError, match="2 and 1"):
        retrieval_counts(foreign, english[:1])
    with pytest.raises(XalignError, match="no sentence"):
        retrieval_counts(foreign[:0], english[:0])


@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf])
def test_a_spoilt_model_has_no_score(spoilt):
    """No sentence found them, so they counted as wrong."""
    good, bad = torch.eye(3), torch.eye(3)
    bad[1, 2] = spoilt
    words = BilingualDictionary.collect([("a", "x"), ("b", "y"), ("c", "z")])
    for score in (
        lambda: retrieve(bad, good),
        lambda: retrieve(good, bad),
        lambda: alignment_counts(bad, good, words.to_tgt),
        lambda: pair_cosines(words, bad, good),
    ):
        with pytest.raises(XalignError, match=r"(?s)not finite.*1 of 3, the first of them number 2"):
            score()
