"""Lengths of 1, and models that have lost their way."""

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary, alignment_counts, rank_counts
from xalign_fairseq.evaluation.linked_words import pair_cosines
from xalign_fairseq.evaluation.retrieval import retrieve
from xalign_fairseq.evaluation.unit_vectors import unit


def test_lengths_are_1_and_zeros_stay():
    vectors = torch.tensor([[3.0, 4.0], [0.0, 0.0], [-1e-3, 0.0]], dtype=torch.float64)
    assert torch.equal(unit(vectors), torch.tensor([[0.6, 0.8], [0, 0], [-1, 0]], dtype=torch.float64))
    assert unit(vectors.float()).dtype == torch.float32


@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf])
def test_a_spoilt_model_has_no_score(spoilt):
    """Its sentences were found by none, and counted as wrong."""
    good, bad = torch.eye(3), torch.eye(3)
    bad[1, 2] = spoilt
    words = BilingualDictionary.collect([("a", "x"), ("b", "y"), ("c", "z")])
    for score in (
        lambda: retrieve(bad, good),
        lambda: retrieve(good, bad),
        lambda: alignment_counts(bad, good, words.to_tgt),
        lambda: rank_counts(good, bad, words.to_tgt),
        lambda: pair_cosines(words, bad, good),
    ):
        with pytest.raises(XalignError, match=r"(?s)not finite.*1 of 3, the first of them number 2.*command doctor"):
            score()


def test_a_spoilt_model_has_no_score_by_faiss():
    pytest.importorskip("faiss")
    with pytest.raises(XalignError, match="not finite"):
        retrieve(torch.full((2, 3), torch.nan), torch.ones(2, 3), "faiss")
