import pytest
import torch
from support.links import random_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.similarity import agreement, pair_similarity

SPANS = torch.tensor([[1, 3, 4, 7], [1, 2, 3, 5]])


@pytest.mark.parametrize("sizes", [(2, 3), (4, 5)])
def test_entries_are_dot_products_in_float64_as_given(sizes):
    hidden = torch.randn(2, 8, 4, dtype=torch.float64)
    hidden[0, [0, 3, 7]], hidden[1, [0, 2, 5, 6, 7]] = torch.nan, torch.inf  # tokens outside the spans never count
    similarity, src_mask, tgt_mask = pair_similarity(hidden, SPANS, sizes=sizes)
    for row, (s0, s1, t0, t1) in enumerate(SPANS.tolist()):
        expected = torch.zeros(sizes, dtype=torch.float64)
        expected[: s1 - s0, : t1 - t0] = hidden[row, s0:s1] @ hidden[row, t0:t1].T
        torch.testing.assert_close(similarity[row], expected)
        assert src_mask[row].tolist() == [i < s1 - s0 for i in range(sizes[0])]
        assert tgt_mask[row].tolist() == [j < t1 - t0 for j in range(sizes[1])]
    if sizes == (2, 3):
        assert torch.equal(pair_similarity(hidden, SPANS)[0], similarity)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_input_is_multiplied_and_kept_in_float32(dtype):
    hidden = (20 * torch.randn(2, 8, 256)).to(dtype)
    exact = pair_similarity(hidden.double(), SPANS)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        similarity = pair_similarity(hidden, SPANS)[0]
    assert similarity.dtype == torch.float32
    torch.testing.assert_close(
        similarity.double(), exact, rtol=1e-5, atol=1e-1
    )  # bfloat16 sums are off by more than 10


def plain(hidden, span, temperature):
    """log p and log q of one pair."""
    src, tgt = hidden[span[0] : span[1]], hidden[span[2] : span[3]]
    src, tgt = src / src.norm(dim=1, keepdim=True), tgt / tgt.norm(dim=1, keepdim=True)
    scores = (src @ tgt.T / temperature).exp()
    return (scores / scores.sum(1, keepdim=True)).log(), (scores / scores.sum(0, keepdim=True)).log()


@pytest.mark.parametrize("temperature", [0.1, 2.0])
def test_each_pair_has_its_own_softmaxes(temperature):
    hidden, spans = random_pairs(4, 7, 8)
    hidden = hidden.double().requires_grad_()
    found = agreement(hidden, spans, temperature=temperature)
    total, expected = found.forward.new_zeros(()), found.forward.new_zeros(())
    for b, span in enumerate(spans.tolist()):
        n, m = span[1] - span[0], span[3] - span[2]
        assert found.inside[b].sum() == n * m and [int(each[b]) for each in found.lengths] == [n, m]
        for mine, theirs in zip((found.forward, found.backward), plain(hidden[b], span, temperature), strict=True):
            torch.testing.assert_close(mine[b, :n, :m], theirs)
            weights = torch.arange(n * m).view(n, m) % 5
            total, expected = total + (weights * mine[b, :n, :m]).sum(), expected + (weights * theirs).sum()
    mine, theirs = (torch.autograd.grad(each, hidden, retain_graph=True)[0] for each in (total, expected))
    torch.testing.assert_close(mine, theirs)
    assert mine.abs().max() > 1e-3


@pytest.mark.parametrize("spans", [torch.zeros(2, 3, dtype=torch.long), torch.zeros(1, 4, dtype=torch.long)])
def test_spans_of_another_batch_are_refused(spans):
    with pytest.raises(XalignError, match="states and spans do not match"):
        pair_similarity(torch.randn(2, 8, 4), spans)
