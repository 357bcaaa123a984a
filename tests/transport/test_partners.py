"""One label for each token, against plain loops over links."""

import pytest
import torch

from xalign_fairseq.transport.partners import last_partners, matrix_of_partners, partners_of_matrix

# <s> 1 2 3 </s> 5 6 </s>; <s> 1 </s> 3 4 5 6 </s>; a pair without a source
SPANS = torch.tensor([[1, 4, 5, 7], [1, 2, 3, 7], [1, 1, 2, 4]])
LENGTH = 9


def loops(links, spans, length):
    """The partner with the highest position of each token."""
    labels = [[-1] * length for _ in spans]
    for row, (src, src_end, tgt, tgt_end) in enumerate(spans.tolist()):
        for i in range(src_end - src):
            for j in range(tgt_end - tgt):
                if links[row, i, j]:
                    labels[row][src + i] = max(labels[row][src + i], tgt + j)
                    labels[row][tgt + j] = max(labels[row][tgt + j], src + i)
    return labels


@pytest.mark.parametrize("seed", range(4))
def test_links_as_matrices_are_those_of_plain_loops_whatever_their_padding(seed):
    generator = torch.Generator().manual_seed(seed)
    n, m = SPANS[:, 1] - SPANS[:, 0], SPANS[:, 3] - SPANS[:, 2]
    inside = (torch.arange(3) < n[:, None])[:, :, None] & (torch.arange(4) < m[:, None])[:, None]
    links = (torch.rand(3, 3, 4, generator=generator) < 0.5) & inside
    labels = partners_of_matrix(links, SPANS, LENGTH)
    assert labels.tolist() == loops(links, SPANS, LENGTH)
    assert labels.dtype == torch.int16 and labels.is_contiguous()
    wider = torch.nn.functional.pad(links, (0, 2, 0, 1), value=False)
    assert torch.equal(partners_of_matrix(wider, SPANS, LENGTH), labels)
    for row in range(3):
        assert torch.equal(partners_of_matrix(links[row : row + 1], SPANS[row : row + 1], LENGTH)[0], labels[row])


@pytest.mark.parametrize("seed", range(4))
def test_partners_of_several_rounds_are_a_matrix_of_links(seed):
    generator = torch.Generator().manual_seed(seed)
    rounds = torch.full((2, 3, LENGTH), -1, dtype=torch.int16)
    both, one_sided = torch.zeros(2, 3, 3, 4, dtype=torch.bool)
    for row, (src, src_end, tgt, tgt_end) in enumerate(SPANS.tolist()):
        for found in rounds[:, row]:
            for i in range(src, src_end):
                if torch.rand((), generator=generator) < 0.5:
                    j = int(torch.randint(tgt, tgt_end, (), generator=generator))
                    found[i] = j
                    both[row, i - src, j - tgt] = one_sided[row, i - src, j - tgt] = True
            for j in range(tgt, tgt_end if src < src_end else tgt):
                if torch.rand((), generator=generator) < 0.5:
                    i = int(torch.randint(src, src_end, (), generator=generator))
                    found[j] = i
                    one_sided[row, i - src, j - tgt] = True
    assert torch.equal(matrix_of_partners(rounds, SPANS, (3, 4)), both)
    assert torch.equal(matrix_of_partners(rounds, SPANS, (3, 4), one_sided=True), one_sided)
    assert not torch.equal(both, one_sided)


@pytest.mark.parametrize("seed", range(4))
def test_links_that_stand_at_one_token_alone_reach_the_other(seed):
    generator = torch.Generator().manual_seed(seed)
    rounds = torch.randint(-1, 8, (2, 3, 8), generator=generator, dtype=torch.int16)
    expected = rounds.amax(0).tolist()
    for found in rounds.tolist():
        for row, partners in enumerate(found):
            for token, partner in enumerate(partners):
                if partner >= 0:
                    expected[row][partner] = max(expected[row][partner], token)
    labels = last_partners(rounds, one_sided=True)
    assert labels.tolist() == expected and labels.dtype == torch.int16
    assert last_partners(rounds).tolist() == rounds.amax(0).tolist()
