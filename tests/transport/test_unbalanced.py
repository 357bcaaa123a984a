"""Links by transport with a dustbin: which survive, and with what probability."""

import pytest
import torch
from support.links import draw, method_matrices, mutual, similarities

from xalign_fairseq.transport.partners import partners_of_matrix
from xalign_fairseq.transport.sinkhorn.dustbin import dustbin_plan
from xalign_fairseq.transport.unbalanced import Dustbin


@pytest.mark.parametrize("filter", ["argmax", "itermax", "union"])
def test_the_dustbin_keeps_links_that_are_likelier_than_none(filter):
    pairs, hidden, spans = draw(4)
    links, probability = method_matrices(Dustbin(0.45, mu=0.2, iterations=30, filter=filter), hidden, spans)
    dropped = 0
    for k, (src, tgt) in enumerate(pairs):
        cosines = torch.tensor(similarities(src, tgt), dtype=torch.float64) * 2 - 1
        low, high = cosines.min(), cosines.max()
        scores = (cosines - low) / (high - low) if high > low else torch.ones_like(cosines)
        masks = (torch.ones(1, size, dtype=torch.bool) for size in cosines.shape)
        [plan] = dustbin_plan(scores[None], *masks, 0.45, mu=0.2, iterations=30)
        inner = plan[:-1, :-1]
        values = (inner * ((inner > plan[:-1, -1:]) | (inner > plan[-1:, :-1]))).tolist()
        survivors = {(i, j) for i, row in enumerate(values) for j, value in enumerate(row) if value > 0}
        found = {(i, j) for i, j in links[k].nonzero().tolist()}
        assert found <= survivors and mutual(values) & survivors <= found
        if filter == "argmax":
            assert found == mutual(values) & survivors
        dropped += len(mutual(inner.tolist()) - found)
        for i, j in found:
            share = inner[i, j] / (plan[i].sum() * plan[:, j].sum()).sqrt()
            assert float(probability[k, i, j]) == pytest.approx(float(share))
    assert dropped > 3 and links.any()


def test_the_higher_the_dustbin_the_fewer_links_and_the_best_one_stays():
    _, hidden, spans = draw(5)
    counts = [[int(pair.sum()) for pair in method_matrices(Dustbin(z), hidden, spans)[0]] for z in (0.0, 0.3, 0.6, 0.9)]
    totals = [sum(each) for each in counts]
    assert totals == sorted(totals, reverse=True) and totals[0] > totals[-1]
    assert counts[0][0] == 1 and min(counts[1]) >= 1


def test_labels_are_the_links_of_the_batch():
    _, hidden, spans = draw(8)
    method = Dustbin(0.4, filter="itermax")
    links, _ = method_matrices(method, hidden, spans)
    labels = method.labels(hidden, spans)
    assert torch.equal(labels, partners_of_matrix(links, spans, hidden.shape[1])) and (labels >= 0).sum() > 20
    assert torch.equal(method.labels(hidden, spans, sizes=(9, 9)), labels)
