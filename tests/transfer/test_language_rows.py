"""Encoders with language embeddings in transfer: which token has which, and that nothing else changes a prediction."""

from dataclasses import replace

import pytest
import torch
from speaking import with_languages

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.errors import XalignError
from xalign_fairseq.labelled.bitext import read_bitext
from xalign_fairseq.labelled.code_switching import code_switch
from xalign_fairseq.labelled.examples import PairExample, QuestionExample, WordsExample
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.family import Limits, language_rows, require_languages
from xalign_fairseq.transfer.predict import Predictor
from xalign_fairseq.transfer.spec import TransferSpec

LABELS = {
    "xnli": ("contradiction", "entailment", "neutral"),
    "pos": ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB"),
    "parsing": ("amod", "det", "nsubj", "obj", "punct", "root"),
    "xquad": (),
}
OPTIONS = {"parsing": {"arc_size": 32, "label_size": 16}, "xquad": {"max_question_tokens": 6}}
SPEAKING = EncoderConfig(60, 2, 16, 32, 2, language_embeddings="aa,de,en")
PAIR = PairExample("1", "en", "the red house", "a dog", "neutral")
QUESTION = QuestionExample("1", "en", "the cat ?", "the cat sees the old red ship . the king likes bread .", None)


@pytest.fixture(scope="module")
def state(transfer_encoder):
    return with_languages(checkpoint.read(transfer_encoder), "aa", "de", "en")


@pytest.fixture(scope="module")
def family(state):
    """The function that builds a benchmark's family."""
    tokenizer = load_tokenizer(state, state["model"]["encoder.lm_head.bias"].shape[0])

    def build(benchmark, *limits):
        limits = Limits(*limits or (32, 8))
        return TransferSpec(benchmark, LABELS[benchmark], limits, OPTIONS.get(benchmark, {})).build_family(tokenizer)

    return build


@pytest.fixture(scope="module")
def predictor(state, tmp_path_factory):
    """The function that loads an untrained model of a benchmark from its file."""

    def load(benchmark, state=state):
        spec = TransferSpec(benchmark, LABELS[benchmark], Limits(32, 8), OPTIONS.get(benchmark, {}))
        encoder, _ = checkpoint.load_encoder(state)
        torch.manual_seed(1)
        head = spec.build_head(spec.build_family(load_tokenizer(state, encoder.config.vocab_size)), encoder.config)
        weights = {f"heads.{spec.head_name}.{key}": value for key, value in head.state_dict().items()}
        task_state = {**state["task_state"], "transfer": spec.to_state()}
        path = tmp_path_factory.mktemp(benchmark) / "model.pt"
        torch.save({**state, "model": {**state["model"], **weights}, "task_state": task_state}, path)
        return Predictor.load(path)

    return load


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


def test_what_files_say_of_the_languages_of_texts(tmp_path):
    (tmp_path / "en-de.de").write_text("das Haus\n")
    (tmp_path / "en-de.en").write_text("the house\n")
    assert read_bitext(tmp_path / "en-de.de", "de")[0].languages == ("de", "en")
    german = replace(PAIR, language="de")
    ((first, second),) = code_switch({"en": [PAIR], "de": [german]})
    assert (first.languages, second.languages) == (("de", "en"), ("en", "de"))
    ((first, second),) = code_switch({"en": [QUESTION], "de": [replace(QUESTION, language="de")]})
    assert (first.languages, second.languages) == (("de", "en"), ("en", "de"))  # question, context


@pytest.mark.parametrize("benchmark", LABELS)
def test_a_language_changes_predictions_and_batches_do_not(benchmark, predictor, state, transfer_data):
    model = predictor(benchmark)
    path = find(BENCHMARKS[benchmark], transfer_data, "test", "de")
    of = {language: model.benchmark.read(path, language) for language in ("de", "en")}
    mixed = [each for both in zip(*of.values(), strict=True) for each in both]
    found = model.predict(mixed)
    alone = {language: model.predict(examples, max_tokens=1) for language, examples in of.items()}
    assert found[0::2] == alone["de"] and found[1::2] == alone["en"]
    assert alone["de"] != alone["en"]
    silent = predictor(benchmark, with_languages(state, "aa", "de", "en", scale=0.0)).predict(mixed)
    assert silent[0::2] == silent[1::2]


def test_states_are_those_of_the_encoder_asked_by_hand(predictor, transfer_data):
    model = predictor("xnli")
    example = model.benchmark.read(find(model.benchmark, transfer_data, "test", "de"), "de")[0]
    mixed = replace(example, second_language="en")
    encoded = model.family.encode(mixed)
    begin = encoded.second
    languages = torch.tensor([[1] * begin + [2] * (encoded.tokens - begin)])
    tokens = torch.from_numpy(encoded.windows[0])[None]
    with torch.inference_mode():
        hidden = model.encoder.states(Input(tokens, languages)).layer(-1)
        logits = model.head.output(hidden[:, 0])
    assert model.predict([mixed]) == [LABELS["xnli"][int(logits.argmax())]]


def test_a_language_without_an_embedding_stops_before_the_first_batch(predictor, transfer_data):
    model = predictor("pos")
    examples = model.benchmark.read(find(model.benchmark, transfer_data, "test", "de"), "de")
    done = []
    with pytest.raises(XalignError, match=r"fr[\s\S]*aa, de, en"):
        longest = max(examples, key=lambda example: len(example.words))  # of the last batch
        model.predict([*examples, replace(longest, language="fr")], max_tokens=1, progress=done.append)
    assert not done
