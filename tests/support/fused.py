"""Shared by the tests of the fused operators: options, parameters, and a comparison with the reference."""

import pytest
import torch

from support.links import differing, hangs_on_rounding, links_by, pair_matrices
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import fused

RELEASED = Transport()
EXACT = Transport(iterations=0)  # without iterations, the order of sums has no effect
SIZES = (3, 9, 30, 33, 60, 70)  # for each kernel except the longest
ORDERS = pytest.mark.parametrize("order", ["columns-first", "rows-first"])
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
LONGEST = pytest.mark.parametrize("longest", [9, 50, 100, 140])
ON_THE_CPU = pytest.mark.parametrize("on", ["cpu"], indirect=True)


def moved(on, *tensors):
    return [tensor.to(on) for tensor in tensors]


def assert_same_links(on, hidden, spans, options):
    """Check that they are identical, except for pairs whose links float32 cannot decide; return the number of these."""
    expected, expected_shares = links_by("reference", hidden, spans, options)
    found, shares = (x.cpu() for x in pair_matrices(*moved(on, hidden, spans), options))
    different = differing(found, expected)
    if len(different):
        undecided = hangs_on_rounding(hidden[different], spans[different], options)
        assert undecided.all(), (options, different[~undecided].tolist())
    common = found & expected
    torch.testing.assert_close(shares[common], expected_shares[common], atol=5e-5 / min(1, options.mu), rtol=0)
    assert not shares[~found].any()
    return len(different)


def assert_read_whole(hidden, spans, sizes, dtype):
    """Links of states in the middle of a larger tensor are those of their similarities, whatever is around them.

    Rows begin at multiples of 16 bytes, and at others; a neighbour that is read would make a similarity NaN.
    """
    hidden = hidden.mul(4).round()  # float32 adds up products of such numbers exactly, in any order
    count, length, width = hidden.shape
    similarity, _, _ = pair_similarity(hidden, spans, sizes=sizes)
    expected, _ = fused.link_partners_of(similarity, spans, length, EXACT)
    for before, after in ((8, 16 - width % 8), (3, 4)):
        whole = torch.full((count, length + 2, before + width + after), torch.nan, dtype=dtype, device=hidden.device)
        inner = whole[:, 1:-1, before:-after]
        inner.copy_(hidden)
        for row, (_, src_end, _, tgt_end) in zip(inner, spans.tolist(), strict=True):
            row[[src_end, tgt_end]] = torch.nan
        found, _ = fused.link_partners(inner, spans, sizes, EXACT)
        assert torch.equal(found, expected) and (found >= 0).any()
