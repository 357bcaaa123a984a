import random

import pytest
import torch
from support.links import joined_words, matrices, random_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.token_links import (
    last_partners,
    links_of_matrix,
    links_of_partners,
    matrix_of_partners,
    partners_of_matrix,
    word_links,
    word_scores,
)


@pytest.mark.parametrize("one_sided", [False, True])
def test_partners_and_matrix_agree(one_sided):
    _, spans = random_pairs(3, 12, 9)
    n, m = (spans[:, 1] - spans[:, 0]).max().item(), (spans[:, 3] - spans[:, 2]).max().item()
    draw = torch.Generator().manual_seed(5)
    rounds = 1 if one_sided else 3
    partners = torch.full((rounds, len(spans), int(spans.max()) + 2), -1, dtype=torch.int16)
    shares = torch.zeros(partners.shape)
    expected = {}
    for pair, (s0, s1, t0, t1) in enumerate(spans.tolist()):
        for i in range(s0, s1):
            for turn, j in enumerate(torch.randperm(t1 - t0, generator=draw)[:rounds].tolist()):
                partners[turn, pair, i] = t0 + j
                shares[turn, pair, i] = expected[pair, i - s0, j] = round(float(torch.rand((), generator=draw)), 3)
        for j in range(t0, t1) if one_sided else ():  # backward links, some of them also forward
            i = int(torch.randint(s1 - s0, (), generator=draw))
            partners[0, pair, j] = s0 + i
            shares[0, pair, j] = expected.setdefault((pair, i, j - t0), 0.5)
    links = links_of_partners(partners, shares, spans, (n, m), one_sided=one_sided)
    keys = list(zip(links.pair.tolist(), links.src.tolist(), links.tgt.tolist(), strict=True))
    assert keys == sorted(expected) and len(keys) > 50
    assert links.probability.tolist() == pytest.approx([expected[key] for key in keys])
    found, probability = matrices(links, len(spans), (n, m))
    assert all(map(torch.equal, links_of_matrix(found, probability), links))
    assert torch.equal(matrix_of_partners(partners, spans, (n, m), one_sided=one_sided), found)


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
def test_link_matrices_equal_plain_loops_for_every_padding(seed):
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
def test_links_stored_at_one_token_reach_the_other(seed):
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


def test_the_batch_agrees_with_single_pairs_and_takes_the_largest_probability():
    rng = random.Random(0)
    generator = torch.Generator().manual_seed(0)
    links = torch.rand(20, 7, 9, generator=generator) < 0.2
    prob = torch.rand(20, 7, 9, generator=generator, dtype=torch.float64)
    src_words, tgt_words = (
        torch.tensor([sorted(rng.randint(-1, 4) for _ in range(size)) for _ in range(20)]) for size in (7, 9)
    )
    found = word_links(links_of_matrix(links, prob), src_words, tgt_words)
    for row in range(20):
        subwords = [(i, j) for i, j in links[row].nonzero().tolist()]
        words = joined_words(subwords, src_words[row].tolist(), tgt_words[row].tolist())
        largest = {
            word: max(prob[row, i, j].item() for i, j in subwords if (src_words[row, i], tgt_words[row, j]) == word)
            for word in words
        }
        assert found[row] == largest


def test_two_words_have_the_largest_score_of_their_subwords():
    # un|believ|able cats -> in|croyables chats; the outer subwords belong to no word
    scores = torch.tensor([[[0.9, 0.1, 0.2, 0.3], [0.4, 0.5, 0.1, 0.0], [0.2, 0.6, 0.7, 0.8]]])
    src_words, tgt_words = torch.tensor([[-1, 0, 2]]), torch.tensor([[0, 0, 1, -1]])
    expected = [[[0.5, 0.1], [0.0, 0.0], [0.6, 0.7]]]
    torch.testing.assert_close(word_scores(scores, src_words, tgt_words), torch.tensor(expected))
    assert word_scores(scores[:, :0], src_words[:, :0], tgt_words).shape == (1, 0, 2)


def test_batches_without_links_and_mismatched_inputs():
    none = links_of_matrix(torch.zeros(2, 0, 3).bool(), torch.zeros(2, 0, 3))
    assert word_links(none, torch.zeros(2, 0).long(), torch.zeros(2, 3).long()) == [{}, {}]
    link = links_of_matrix(torch.eye(2).bool()[None], torch.eye(2)[None])
    for src, tgt in (((1, 1), (1, 2)), ((1, 2), (1, 1)), ((0, 2), (0, 2))):
        with pytest.raises(XalignError, match="word indices do not match"):
            word_links(link, torch.zeros(*src).long(), torch.zeros(*tgt).long())
