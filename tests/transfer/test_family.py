"""What all families share: lengths and options that are refused, and which token is in which language."""

from dataclasses import replace

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, WordsExample
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transfer.families.parsing import Parsing
from xalign_fairseq.transfer.family import (
    FAMILIES,
    EncodedExample,
    Limits,
    language_rows,
    require_languages,
    window_languages,
)

LABELS = {"xnli": ("contradiction", "entailment", "neutral"), "pos": ("DET", "NOUN"), "xquad": ()}
SPEAKING = EncoderConfig(60, 2, 16, 32, 2, language_embeddings="aa,de,en")
PAIR = PairExample("1", "en", "the red house", "a dog", "neutral")
QUESTION = QuestionExample("1", "en", "the cat ?", "the cat sees the old red ship . the king likes bread .", None)


@pytest.fixture(scope="module")
def family(transfer_encoder):
    """The function that builds a family for a benchmark's labels."""
    state = checkpoint.read(transfer_encoder)
    tokenizer = load_tokenizer(state, state["model"]["encoder.lm_head.bias"].shape[0])
    names = {"xnli": "classification", "pos": "tagging", "xquad": "qa"}

    def build(benchmark, *limits):
        options = {"max_question_tokens": 6} if benchmark == "xquad" else {}
        return FAMILIES[names[benchmark]](tokenizer, LABELS[benchmark], Limits(*limits or (32, 8)), options)

    return build


def test_every_family_is_registered_under_its_name():
    assert {name: family.name for name, family in FAMILIES.items()} == {
        name: name for name in ("classification", "tagging", "parsing", "qa")
    }
    assert all(family.help.keys() == family.defaults.keys() for family in FAMILIES.values())


@pytest.mark.parametrize("limits", [(32, -1), (2, 0), (32, 8, 3), (32, 8, 0)])
def test_windows_that_cannot_be_cut(limits):
    with pytest.raises(XalignError, match="max_length, overlap, pair_separators"):
        Limits(*limits)


@pytest.mark.parametrize("name", ["tagging", "parsing", "qa"])
def test_windows_that_share_all_of_their_tokens_are_refused(name):
    """They would never come to the end of a text."""
    subject = FAMILIES[name]
    options = {**subject.defaults, "max_question_tokens": 1}
    subject.check(Limits(32, 25), options)
    with pytest.raises(XalignError, match=r"(?s)max_length, overlap\n.*32 tokens, overlap 30"):
        subject.check(Limits(32, 30), options)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("head_dropout", 1.0, "from 0 to below 1"),
        ("head_dropout", -0.1, "from 0 to below 1"),
        ("arc_size", 0, "at least 1"),
        ("max_words", -1, "at least 0"),
    ],
)
def test_options_out_of_bounds(option, value, expected):
    Parsing.check(Limits(), {**Parsing.defaults, "max_words": 0, "head_dropout": 0.0, "arc_size": 1})
    with pytest.raises(XalignError, match=f"(?s){option}.*found: {value}.*{expected}"):
        Parsing.check(Limits(), {**Parsing.defaults, option: value})


def test_the_tokens_of_an_example_are_those_of_all_its_windows():
    assert EncodedExample([torch.zeros(3).numpy(), torch.zeros(5).numpy()]).tokens == 8


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
        mixed = rows[len(encoded.windows) + number, : len(window)].tolist()
        assert mixed == [0] * head + [2] * (len(window) - head)


def test_every_window_of_a_sentence_is_in_its_language(family):
    words = WordsExample("1", "de", ("the", "old", "king", "sees", "the", "house", "."), None)
    encoded = family("pos", 6, 1).encode(words)
    rows = language_rows(SPEAKING, [words], [encoded])
    assert len(rows) == len(encoded.windows) > 1
    assert all(row[: len(window)].eq(1).all() for row, window in zip(rows, encoded.windows, strict=True))


def test_an_encoder_without_language_embeddings_is_given_none_and_asks_for_none(family):
    plain = replace(SPEAKING, language_embeddings="")
    pos = family("pos")
    words = WordsExample("1", "xx", ("the", "house"), None)
    assert language_rows(plain, [words], [pos.encode(words)]) is None
    require_languages(plain, [words])
    with pytest.raises(XalignError, match=r"xx[\s\S]*one of aa, de, en"):
        require_languages(SPEAKING, [words])


def test_every_window_has_the_language_of_its_example(transfer_data):
    class Example:
        def __init__(self, language):
            self.language = language

    windows = [torch.zeros(3).numpy()]
    encoded = [EncodedExample(windows * count) for count in (2, 1, 3)]
    assert window_languages([Example("de"), Example("en"), Example("fr")], encoded) == ["de"] * 2 + ["en"] + ["fr"] * 3
