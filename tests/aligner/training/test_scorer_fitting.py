import math
from functools import partial

import pytest
import torch

from xalign_fairseq.aligner.training.scorer_fitting import Fitting, GoldPair, fit_link_scorer, similarity_loss
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.link_scorer import LinkScorer, Similarity
from xalign_fairseq.transport.pair_features import WordStates

DIM, LAYERS = 16, (1, 2)


def language(seed, pairs=24):
    """Sentences with the source words in another order as target words; some are random and unlinked."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for _ in range(pairs):
        size = int(torch.randint(3, 9, (), generator=generator))
        states = torch.randn(size, 1, DIM, generator=generator).repeat(1, 2, 1)
        unlinked = torch.rand(size, generator=generator) < 0.3
        order = torch.randperm(size, generator=generator)
        other = states[order] + 0.5 * torch.randn(size, 2, DIM, generator=generator)
        other[unlinked[order]] = torch.randn(int(unlinked.sum()), 2, DIM, generator=generator)
        links = {(int(i), j) for j, i in enumerate(order) if not unlinked[i]}
        src, tgt = (
            WordStates(torch.nn.functional.normalize(each, dim=2)[None].half(), torch.ones(1, size))
            for each in (states, other)
        )
        found.append(GoldPair(src, tgt, Gold(frozenset(links), frozenset(links))))
    return found


def aer(scorer, pairs, threshold=0.4):
    links = [
        {tuple(each) for each in (scorer.probabilities(*pair.words())[0] >= threshold).nonzero().tolist()}
        for pair in pairs
    ]
    return score(links, [pair.gold for pair in pairs]).aer


@pytest.fixture(scope="module")
def fitted():
    """A scorer of two languages."""
    new = partial(LinkScorer, DIM, LAYERS, (1,), rank=4, width=8, dropout=0.1)
    return fit_link_scorer([language(1), language(2)], new, Fitting(30, updates=1, lr=0.02))


def test_non_links_transfer_to_another_language(fitted):
    unseen = language(3)
    best = [
        {
            (i, int(j))
            for i, j in enumerate((pair.src.states[0, :, 0].float() @ pair.tgt.states[0, :, 0].float().T).argmax(1))
        }
        for pair in unseen
    ]
    assert score(best, [pair.gold for pair in unseen]).aer > 0.12
    assert aer(fitted, unseen) < 0.06


def test_probabilities_are_calibrated(fitted):
    scores, hits = [], []
    for pair in language(4):
        for i, row in enumerate(fitted.probabilities(*pair.words())[0].tolist()):
            for j, value in enumerate(row):
                if value > 0.05:
                    scores.append(value)
                    hits.append((i, j) in pair.gold.sure)
    assert sum(scores) / len(scores) == pytest.approx(sum(hits) / len(hits), abs=0.1)


def test_the_similarity_learns_from_sure_links():
    torch.manual_seed(1)
    similarity = Similarity(4, 2).eval()
    src, tgt = torch.randn(2, 3, 4), torch.randn(2, 2, 4)
    src[1, 2] = 0
    links = [{(0, 1), (2, 0)}, {(1, 1)}]
    expected = 0.0
    for row, (n, m) in enumerate([(3, 2), (2, 2)]):
        scale = similarity.log_scale.exp().item()
        logits = [
            [scale * similarity(src[row : row + 1, i : i + 1], tgt[row : row + 1, j : j + 1]).item() for j in range(m)]
            for i in range(n)
        ]
        own = 0.0
        for i, j in links[row]:
            own -= logits[i][j] - math.log(sum(math.exp(logits[i][k]) for k in range(m)))
            own -= logits[i][j] - math.log(sum(math.exp(logits[k][j]) for k in range(n)))
        expected += own / len(links[row]) / 2
    assert similarity_loss(similarity, src, tgt, links).item() == pytest.approx(expected, rel=1e-5)
