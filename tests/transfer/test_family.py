from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, WordsExample
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transfer.families.parsing import Parsing
from xalign_fairseq.transfer.family import TASK_FAMILIES, Limits, encode_words, language_rows, require_languages

LABELS = {"xnli": ("contradiction", "entailment", "neutral"), "pos": ("DET", "NOUN"), "xquad": ()}
SPEAKING = EncoderConfig(60, 2, 16, 32, 2, language_embeddings="aa,de,en")
PAIR = PairExample("1", "en", "the red house", "a dog", "neutral")
QUESTION = QuestionExample("1", "en", "the cat ?", "the cat sees the old red ship . the king likes bread .", None)


@pytest.fixture(scope="module")
def family(transfer_encoder):
    """A function that builds a family for a benchmark's labels."""
    state = checkpoint.read(transfer_encoder)
    tokenizer = load_tokenizer(state, state["model"]["encoder.lm_head.bias"].shape[0])
    names = {"xnli": "classification", "pos": "tagging", "xquad": "qa"}

    def build(benchmark, *limits):
        options = {"max_question_tokens": 6} if benchmark == "xquad" else {}
        return TASK_FAMILIES[names[benchmark]](tokenizer, LABELS[benchmark], Limits(*limits or (32, 8)), options)

    return build


def test_every_family_is_registered_under_its_name():
    assert {name: family.name for name, family in TASK_FAMILIES.items()} == {
        name: name for name in ("classification", "tagging", "parsing", "qa")
    }
    assert all(family.help.keys() == family.defaults.keys() for family in TASK_FAMILIES.values())


@pytest.mark.parametrize("name", ["tagging", "parsing", "qa"])
def test_windows_that_share_all_of_their_tokens_are_refused(name):
    """They would never reach the end of a text."""
    subject = TASK_FAMILIES[name]
    options = {**subject.defaults, "max_question_tokens": 1}
    subject.check(Limits(32, 25), options)
    with pytest.raises(XalignError, match=r"(?s)max_length, overlap\n.*32 tokens, overlap 30"):
        subject.check(Limits(32, 30), options)


@pytest.mark.parametrize(
    ("option", "value", "expected"), [("arc_size", 0, "at least 1"), ("max_words", -1, "at least 0")]
)
def test_options_out_of_bounds(option, value, expected):
    Parsing.check(Limits(), {**Parsing.defaults, "max_words": 0, "arc_size": 1})
    with pytest.raises(XalignError, match=f"(?s){option}.*found: {value}.*{expected}"):
        Parsing.check(Limits(), {**Parsing.defaults, option: value})


@pytest.mark.parametrize("separators", [1, 2])
def test_separators_count_to_the_first_text(family, separators):
    pairs = family("xnli", 32, 8, separators)
    english, mixed = PAIR, replace(PAIR, first="the ship", second_language="de")
    encoded = [pairs.encode(each) for each in (english, mixed)]
    rows = language_rows(SPEAKING, (english, mixed), encoded)
    tokens = pairs.collate(encoded)["tokens"]
    assert rows.shape == tokens.shape and set(rows[0, : len(encoded[0].windows[0])].tolist()) == {2}
    first, second = (len(pairs.tokenizer.encode(text)) for text in ("the ship", "a dog"))
    expected = [2] * (1 + first + separators) + [1] * (second + 1)
    assert rows[1, : len(expected)].tolist() == expected


def test_a_question_has_its_own_language_in_every_window(family):
    qa = family("xquad", 16, 4)
    example = replace(QUESTION, question_language="aa")
    encoded = qa.encode(example)
    assert len(encoded.windows) > 1
    head = 1 + min(len(qa.tokenizer.encode(example.question)), 6) + 2
    rows = language_rows(SPEAKING, [QUESTION, example], [encoded, encoded])
    for number, window in enumerate(encoded.windows):
        assert rows[number, : len(window)].tolist() == [2] * len(window)
        assert rows[len(encoded.windows) + number, : len(window)].tolist() == [0] * head + [2] * (len(window) - head)


def test_an_encoder_without_language_embeddings_gets_and_needs_no_languages(family):
    plain = replace(SPEAKING, language_embeddings="")
    pos = family("pos")
    words = WordsExample("1", "xx", ("the", "house"), None)
    assert language_rows(plain, [words], [pos.encode(words)]) is None
    require_languages(plain, [words])
    with pytest.raises(XalignError, match=r"xx[\s\S]*expected: aa, de, en"):
        require_languages(SPEAKING, [words])


def encode(sentence, tokens, overlap=0):
    return encode_words(Letters(), sentence.split(), Limits(tokens=tokens, overlap=overlap))


def ids(text):
    return [Letters.dictionary.index(c) for c in text]


@pytest.mark.parametrize(
    ("sentence", "tokens", "overlap", "parts", "window", "position"),
    [
        ("ab c de", 7, 0, ["abcde"], [0, 0, 0], [1, 3, 4]),
        # Room for 4 tokens: a b c d | c d e f | the last reaches back to fill its room. A word is read where it has
        # most context. c: left 2, right 1 in the first window (1), 0 in the second; d: 0, then 1; e: 1 and 1.
        ("a b c d e f g", 6, 2, ["abcd", "cdef", "defg"], [0, 0, 0, 1, 1, 2, 2], [1, 2, 3, 2, 3, 3, 4]),
        ("a .. bcdefgh b", 6, 0, ["a?", "bcde", "b"], [0, 0, 1, 2], [1, 2, 1, 1]),  # an unknown word, and a cut one
        ("", 6, 0, [""], [], []),
    ],
)
def test_words_are_split_into_windows(sentence, tokens, overlap, parts, window, position):
    windows, *found = encode(sentence, tokens, overlap)
    unknown = Dictionary.unk_index
    expected = [[0, *(unknown if c == "?" else ids(c)[0] for c in part), 2] for part in parts]
    assert [each.tolist() for each in windows] == expected
    assert [each.tolist() for each in found] == [window, position]


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


@pytest.mark.parametrize("limits", [(32, -1), (2, 0), (32, 8, 3), (32, 8, 0)])
def test_windows_that_cannot_be_cut(limits):
    with pytest.raises(XalignError, match="max_length, overlap, pair_separators"):
        Limits(*limits)
