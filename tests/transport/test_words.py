"""From subword links to word links, by hand and by plain loops."""

import random

import pytest
import torch
from support.links import joined_words

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.token_links import links_of_matrix
from xalign_fairseq.transport.words import word_links, word_scores


def test_words_are_aligned_if_any_of_their_subwords_are():
    # un|believ|able cats -> in|croyables chats, and the same with a subword of no word before each side
    links = torch.zeros(2, 5, 4).bool()
    links[0, [0, 2, 3], [0, 1, 2]] = links[1, [0, 1, 3, 4, 2], [0, 1, 2, 3, 0]] = True
    words = torch.tensor([[0, 0, 0, 1, -1], [-1, 0, 0, 0, 1]]), torch.tensor([[0, 0, 1, -1], [-1, 0, 0, 1]])
    found = word_links(links_of_matrix(links, torch.rand(links.shape)), *words)
    assert [each.keys() for each in found] == [{(0, 0), (1, 1)}] * 2


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


def test_batches_without_links_and_misfits():
    none = links_of_matrix(torch.zeros(2, 0, 3).bool(), torch.zeros(2, 0, 3))
    assert word_links(none, torch.zeros(2, 0).long(), torch.zeros(2, 3).long()) == [{}, {}]
    link = links_of_matrix(torch.eye(2).bool()[None], torch.eye(2)[None])
    for src, tgt in (((1, 1), (1, 2)), ((1, 2), (1, 1)), ((0, 2), (0, 2))):
        with pytest.raises(XalignError, match="do not belong together"):
            word_links(link, torch.zeros(*src).long(), torch.zeros(*tgt).long())


def test_two_words_have_the_largest_score_of_their_subwords():
    # un|believ|able cats -> in|croyables chats, the first and the last subword are of no word
    scores = torch.tensor([[[0.9, 0.1, 0.2, 0.3], [0.4, 0.5, 0.1, 0.0], [0.2, 0.6, 0.7, 0.8]]])
    src_words, tgt_words = torch.tensor([[-1, 0, 2]]), torch.tensor([[0, 0, 1, -1]])
    expected = [[[0.5, 0.1], [0.0, 0.0], [0.6, 0.7]]]
    torch.testing.assert_close(word_scores(scores, src_words, tgt_words), torch.tensor(expected))
    assert word_scores(scores[:, :0], src_words[:, :0], tgt_words).shape == (1, 0, 2)
