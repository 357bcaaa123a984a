import numpy as np
import pytest
import torch
from support.links import DIM, SIZES, draw, method_matrices

from xalign_fairseq.transport.extraction import link_probability
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.method import WordMethod
from xalign_fairseq.transport.methods import Cosine, Grown, Released, Scored, Softmax, Transport, method_label
from xalign_fairseq.transport.sinkhorn import backend


def random_scorer():
    """Two layers, each half the states of :func:`draw`."""
    torch.manual_seed(2)
    made = LinkScorer(DIM // 2, (1, 3), (1,), rank=4, width=8).eval()
    made.calibration.copy_(torch.tensor([30.0, 0.0]))
    return made


ALL = [
    Transport(),
    Cosine(),
    Cosine("itermax", rounds=3),
    Cosine("match"),
    Softmax(0.05),
    Released(),
    Grown(0.2, 0.3),
    Scored(threshold=0.3, measure=random_scorer()),
]


WAYS = [*ALL, *(Transport(filter=filter, rounds=3) for filter in ("argmax", "union", "itermax-paper"))]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("method", WAYS, ids=method_label)
def test_the_matrix_has_the_links(method, dtype):
    _, hidden, spans = draw(4)
    hidden = hidden.to(dtype)
    for sizes in (None, (7, 6), (9, 11)):
        links = method_matrices(method, hidden, spans, sizes)[0]
        assert links.any() and torch.equal(method.matrix(hidden, spans, sizes=sizes), links)


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_padding_sizes_and_other_pairs_change_nothing(method):
    _, hidden, spans = draw(2)
    links, probability = method_matrices(method, hidden, spans)
    assert links.dtype == torch.bool and links.shape == probability.shape == (len(SIZES), 7, 6)
    assert all(map(torch.equal, method_matrices(method, hidden, spans, (7, 6)), (links, probability)))
    wide_links, wide_probability = method_matrices(method, hidden, spans, (9, 11))
    assert not wide_links[:, 7:].any() and not wide_links[:, :, 6:].any()
    for k, (n, m) in enumerate(SIZES):
        alone, share = method_matrices(method, hidden[k : k + 1, : 3 + n + m], spans[k : k + 1])
        assert torch.equal(alone[0], links[k, :n, :m]) and torch.equal(alone[0], wide_links[k, :n, :m])
        torch.testing.assert_close(share[0], probability[k, :n, :m])
        torch.testing.assert_close(share[0], wide_probability[k, :n, :m])
        assert links[k].sum() == alone.sum() > 0
    assert (probability >= 0).all() and (probability <= 1).all()


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_non_finite_states_give_no_links(method):
    _, hidden, spans = draw(3)
    expected = method_matrices(method, hidden, spans)[0]
    for value in (float("nan"), float("inf")):
        broken = hidden.clone()
        broken[5, 2, 0] = value
        links, probability = method_matrices(method, broken, spans)
        assert not links[5].any() and probability[5].isfinite().all()
        assert torch.equal(links[[0, 1, 2, 3, 4, 6, 7, 8]], expected[[0, 1, 2, 3, 4, 6, 7, 8]])


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_narrow_states_empty_sides_and_no_gradient(method):
    _, hidden, spans = draw(6)
    links, probability = method_matrices(method, hidden.bfloat16().requires_grad_(), spans)
    assert probability.dtype == torch.float32 and not probability.requires_grad and links.any()
    empty = torch.tensor([[1, 1, 2, 4], [1, 3, 4, 4]])
    assert not len(method(hidden[:2], empty).pair)
    assert not len(method(hidden[:1], torch.tensor([[1, 1, 2, 2]])).pair)


@pytest.mark.parametrize("method", WAYS, ids=method_label)
def test_scores_of_all_words_come_with_the_same_links(method):
    _, hidden, spans = draw(6)
    src_words = torch.arange(7).div(2, rounding_mode="floor").expand(len(SIZES), -1).clone()
    tgt_words = torch.arange(6).clamp(max=4).expand(len(SIZES), -1).clone()
    for row, (n, m) in enumerate(SIZES):
        src_words[row, n:], tgt_words[row, m:] = -1, -1
    of = (hidden.float(), spans, src_words, tgt_words)
    links, scores = method.links(*of, scores=True)
    assert (links, None) == method.links(*of) and any(links)
    tokens = None if isinstance(method, WordMethod) else method.with_scores(*of[:2])[1]
    for row, (n, m) in enumerate(SIZES):
        for (i, j), value in np.ndenumerate(scores[row]):
            own = [(a, b) for a in range(n) for b in range(m) if src_words[row, a] == i and tgt_words[row, b] == j]
            if tokens is not None:
                assert value == max((tokens[row, a, b].item() for a, b in own), default=0.0)
            elif not own:
                assert value == 0
            probability = links[row].get((i, j), 0.0)
            assert probability <= value + 1e-6 and (tokens is not None or probability in (0.0, value))


@pytest.mark.parametrize("backend_name", ["reference", "auto"])
def test_transport_scores_come_from_the_plan_for_every_filter(backend_name):
    _, hidden, spans = draw(7)
    with backend.using(backend_name):
        links, probability = Transport().with_scores(hidden.float(), spans)
    expected = link_probability(Transport()._reference(hidden.float(), spans, None)[1])
    torch.testing.assert_close(probability, expected)
    torch.testing.assert_close(links.probability, expected[links.pair, links.src, links.tgt], rtol=1e-4, atol=1e-5)
