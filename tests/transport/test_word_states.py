"""States of words: means over tokens by plain loops, tokens of no word, gradients."""

import torch
from support.links import DIM, SIZES, draw

from xalign_fairseq.transport.word_states import word_states

WORDS = torch.tensor([[0, 0, 2, -1, 2, 3, 5]])  # 1 and 4 have no token


def test_states_are_means_of_tokens_of_each_layer():
    _, hidden, spans = draw(1)
    hidden, spans = hidden[8:9].float(), spans[8:9]
    assert SIZES[8] == (7, 3)
    found = word_states(hidden, spans, 0, WORDS, layers=2)
    assert found.states.shape == (1, 6, 2, DIM // 2) and found.tokens.tolist() == [[2, 0, 2, 1, 0, 1]]
    assert found.lengths.tolist() == [6]
    for word in (0, 2, 3, 5):
        tokens = [at for at, owner in enumerate(WORDS[0].tolist()) if owner == word]
        mean = torch.stack([hidden[0, 1 + at] for at in tokens]).mean(0)
        for layer, own in enumerate(mean.split(DIM // 2)):
            torch.testing.assert_close(found.states[0, word, layer], own / own.norm())
    assert not found.states[0, [1, 4]].any()


def test_tokens_beyond_the_side_are_of_no_word():
    _, hidden, spans = draw(1)
    words = torch.arange(6).expand(len(SIZES), -1)  # also where a side is shorter
    found = word_states(hidden, spans, 1, words, layers=1)
    assert found.lengths.tolist() == [m for _, m in SIZES]
    assert [int(each.any(2).sum()) for each in found.states] == [m for _, m in SIZES]
