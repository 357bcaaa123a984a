"""Windows of words: every word once, most context, independent of the other sentences."""

from itertools import pairwise

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import Letters

from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.transfer.family import EncodedExample, Limits
from xalign_fairseq.transfer.word_windows import collate_words, encode_words, word_states


def encode(sentence, tokens, overlap=0):
    return encode_words(Letters(), sentence.split(), Limits(tokens=tokens, overlap=overlap))


def ids(text):
    return [Letters.dictionary.index(c) for c in text]


def test_a_sentence_that_fits_is_one_window():
    windows, window, position = encode("ab c de", 7)
    assert [w.tolist() for w in windows] == [[0, *ids("abcde"), 2]]
    assert window.tolist() == [0, 0, 0]
    assert position.tolist() == [1, 3, 4]


def test_a_word_is_read_where_it_has_most_context():
    # room for 4 tokens: a b c d | c d e f | d e f g would follow; the last reaches back to fill its room
    windows, window, position = encode("a b c d e f g", 6, overlap=2)
    assert [w.tolist()[1:-1] for w in windows] == [ids("abcd"), ids("cdef"), ids("defg")]
    # c: left 2, right 1 in the first window (1), 0 in the second; d: 0 in the first, 1 in the second; e: 1 and 1
    assert window.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert position.tolist() == [1, 2, 3, 2, 3, 3, 4]


def test_words_without_a_token_are_unknown_and_long_words_are_cut():
    windows, window, position = encode("a .. bcdefgh b", 6)
    unknown = Dictionary.unk_index
    assert [w.tolist()[1:-1] for w in windows] == [[*ids("a"), unknown], ids("bcde"), ids("b")]
    assert window.tolist() == [0, 0, 1, 2]
    assert position.tolist() == [1, 2, 1, 1]


def test_an_empty_sentence_has_one_window_and_no_word():
    windows, window, _ = encode("", 6)
    assert [w.tolist() for w in windows] == [[0, 2]]
    assert len(window) == 0


@given(st.lists(st.integers(1, 5), min_size=1, max_size=40), st.integers(5, 9), st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_windows_cover_every_word_and_end(sizes, room, overlap):
    words = ["abcdefgh"[k % 8] * size for k, size in enumerate(sizes)]
    windows, window, position = encode(" ".join(words), room + 2, overlap)
    inside = [each.tolist()[1:-1] for each in windows]
    assert all(0 < len(each) <= room for each in inside) and all(a != b for a, b in pairwise(inside))
    for word, row, column in zip(words, window, position, strict=True):
        assert inside[row][column - 1 : column - 1 + len(word)] == ids(word)
    assert (np.diff(window) >= 0).all() and window[0] == 0 and window[-1] == len(windows) - 1
    assert inside[0][: len(words[0])] == ids(words[0]) and inside[-1][-len(words[-1]) :] == ids(words[-1])


def test_a_sentence_gives_the_same_states_in_any_company():
    sentences = ["a b c d e f g h", "a", "", "bc de .. f"]
    encoded = []
    for sentence in sentences:
        windows, window, position = encode(sentence, 6, 1)
        encoded.append(EncodedExample(windows, {"window": window, "position": position}))
    batch = collate_words(encoded)
    table = torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
    states = word_states(table[batch["tokens"]], batch)
    assert states.shape == (4, 8, 3)
    for i, (sentence, each) in enumerate(zip(sentences, encoded, strict=True)):
        alone = collate_words([each])
        count = len(sentence.split())
        torch.testing.assert_close(states[i, :count], word_states(table[alone["tokens"]], alone)[0])
        assert not states[i, count:].any()
    first = [Letters.dictionary.index(c) for c in "abcdefgh"]
    torch.testing.assert_close(states[0], table[first])
