"""Token links from matrices and from partners: the same entries, in one order."""

import pytest
import torch
from support.links import matrices, random_pairs

from xalign_fairseq.transport.token_links import links_of_matrix, links_of_partners


def test_entries_of_a_matrix_by_hand():
    links = torch.tensor([[[0, 1], [1, 0]], [[0, 0], [0, 0]], [[0, 0], [1, 1]]]).bool()
    found = links_of_matrix(links, torch.arange(12.0).view(3, 2, 2))
    assert [column.tolist() for column in found] == [[0, 0, 2, 2], [0, 1, 1, 1], [1, 0, 0, 1], [1, 2, 10, 11]]


@pytest.mark.parametrize("one_sided", [False, True])
def test_partners_say_what_the_matrix_says(one_sided):
    _, spans = random_pairs(3, 12, 9)
    n, m = (spans[:, 1] - spans[:, 0]).max().item(), (spans[:, 3] - spans[:, 2]).max().item()
    draw = torch.Generator().manual_seed(5)
    rounds = 1 if one_sided else 3
    partners = torch.full((rounds, len(spans), int(spans.max()) + 2), -1, dtype=torch.int16)
    shares = torch.zeros(partners.shape)
    expected = {}
    for pair, (s0, s1, t0, t1) in enumerate(spans.tolist()):
        for i in range(s0, s1):
            targets = torch.randperm(t1 - t0, generator=draw)[:rounds].tolist()
            for turn, j in enumerate(targets):
                partners[turn, pair, i] = t0 + j
                shares[turn, pair, i] = expected[pair, i - s0, j] = round(float(torch.rand((), generator=draw)), 3)
        for j in range(t0, t1) if one_sided else ():  # backward links, some of which are forward ones, too
            i = int(torch.randint(s1 - s0, (), generator=draw))
            partners[0, pair, j] = s0 + i
            shares[0, pair, j] = expected.setdefault((pair, i, j - t0), 0.5)
    links = links_of_partners(partners, shares, spans, (n, m), one_sided=one_sided)
    keys = list(zip(links.pair.tolist(), links.src.tolist(), links.tgt.tolist(), strict=True))
    assert keys == sorted(expected) and len(keys) > 50
    assert links.probability.tolist() == pytest.approx([expected[key] for key in keys])
    found, probability = matrices(links, len(spans), (n, m))
    assert all(map(torch.equal, links_of_matrix(found, probability), links))
