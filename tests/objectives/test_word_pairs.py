import pytest
import torch
from support.word_pair_batches import DE, EN, RU, SENTENCES, bitext

from xalign_fairseq.objectives.word_pairs import WordPairs

PIVOT = torch.tensor([0, 1, 1, 0])


def states(given, width=4):
    """Hidden states that encode row, side and token of each position."""
    return lambda side: torch.stack(
        [given.side(side).double() * (1 + k) + 1000 * side for k in range(width)], -1
    ).requires_grad_()


def test_the_pivot_side_comes_first_in_either_direction():
    pairs = WordPairs(bitext(), PIVOT)
    assert pairs.rows.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3]
    assert pairs.words.tolist() == [[0, 1], [1, 0], [2, 2], [0, 0], [1, 2], [1, 3], [0, 0], [2, 1], [0, 0]]
    assert pairs.languages.tolist() == [[EN, DE]] * 3 + [[EN, RU]] * 3 + [[EN, DE]] * 2 + [[EN, RU]]
    s, t = pairs.vectors(states(bitext(), 1), "first")
    assert (s[:, 0] % 1000).tolist() == [5, 7, 8, 7, 9, 9, 7, 5, 12]
    assert (t[:, 0] % 1000).tolist() == [21, 20, 24, 40, 43, 45, 20, 25, 46]
    assert (s[:, 0] >= 1000).tolist() == [False] * 3 + [True] * 5 + [False]
    assert ((s >= 1000) != (t >= 1000)).all()


def test_mean_pooling_averages_all_tokens_of_a_word():
    s, t = WordPairs(bitext(), PIVOT).vectors(states(bitext(), 1), "mean")
    assert (s[:, 0] % 1000).tolist() == [5.5, 7, 8, 7, 9, 9, 7, 5.5, 12]
    assert (t[:, 0] % 1000).tolist() == [22, 20, 24, 40.5, 43.5, 45, 20, 25, 46]


@pytest.mark.parametrize("gold", [True, False])
@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_a_batch_without_links_has_no_pairs_and_still_a_gradient(gold, pooling):
    given = bitext([((EN, DE), [[5]], [[20], [21]], [], gold), ((EN, DE), [], [], [], gold)])
    hidden = [torch.randn(*given.side(side).shape, 3, requires_grad=True) for side in (0, 1)]
    pairs = WordPairs(given, torch.tensor([0, 0]))
    s, t = pairs.vectors(hidden.__getitem__, pooling)
    assert len(pairs) == 0 and s.shape == t.shape == (0, 3)
    (s.sum() + t.sum()).backward()
    assert all(each.grad is not None and not each.grad.any() for each in hidden)
    assert [each.shape for each in pairs.identities()] == [(0,), (0,)]


def test_words_are_identified_by_language_and_tokens_in_any_position():
    sentences = (*SENTENCES, ((DE, EN), [[7], [5, 6], [6, 5], [5]], [[9], [7], [5], [6]], [(k, k) for k in range(4)]))
    s, t = WordPairs(bitext(sentences), torch.tensor([0, 1, 1, 0, 1])).identities()
    types = []
    for langs, src, tgt, links in sentences:
        pivot = langs.index(EN)
        for link in links:
            types.append([(langs[k], *(src, tgt)[k][link[k]]) for k in (pivot, 1 - pivot)])
    flat, numbers = [word for column in (0, 1) for word in [two[column] for two in types]], torch.cat([s, t])
    assert len(set(flat)) < len(flat)
    expected = torch.tensor([[a == b for b in flat] for a in flat])
    assert torch.equal(numbers[:, None] == numbers[None, :], expected)
