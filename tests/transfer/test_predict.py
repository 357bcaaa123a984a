"""Predictions: states asked by hand, and that languages change them and batches do not."""

from dataclasses import replace

import pytest
import torch
from support.checkpoints import with_head, with_languages

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.predict import PRECISIONS, Predictor, evaluate
from xalign_fairseq.transfer.spec import TransferSpec

LABELS = {
    "xnli": ("contradiction", "entailment", "neutral"),
    "pos": ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB"),
    "parsing": ("amod", "det", "nsubj", "obj", "punct", "root"),
    "xquad": (),
}
OPTIONS = {"parsing": {"arc_size": 32, "label_size": 16}, "xquad": {"max_question_tokens": 6}}


@pytest.fixture(scope="module")
def state(transfer_encoder):
    return with_languages(checkpoint.read(transfer_encoder), "aa", "de", "en")


@pytest.fixture(scope="module")
def predictor(state, tmp_path_factory):
    """The function that loads an untrained model of a benchmark from its file."""

    def load(benchmark, state=state, **options):
        spec = TransferSpec(benchmark, LABELS[benchmark], Limits(32, 8), OPTIONS.get(benchmark, {}))
        path = tmp_path_factory.mktemp(benchmark) / "model.pt"
        torch.save(with_head(state, spec), path)
        return Predictor.load(path, **options)

    return load


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
        logits = model.head.output(model.encoder.states(Input(tokens, languages)).layer(-1)[:, 0])
    assert model.predict([mixed]) == [LABELS["xnli"][int(logits.argmax())]]


def test_half_precision_is_autocasts_and_is_told(predictor, transfer_data):
    found, products = {}, {}
    for name, dtype in PRECISIONS.items():
        model = predictor("xnli", dtype=dtype)
        model.encoder.sentence_encoder.layers[0].fc1.register_forward_hook(
            lambda module, given, made, name=name: products.update({name: made.dtype})
        )
        path = find(model.benchmark, transfer_data, "test", "de")
        found[name] = evaluate(model, path, "de").signatures["accuracy"]
        assert {p.dtype for part in (model.encoder, model.head) for p in part.parameters()} == {torch.float32}
    assert products == PRECISIONS
    assert "dtype" not in found["fp32"]
    assert "|dtype:float16|" in found["fp16"] and "|dtype:bfloat16|" in found["bf16"]


def test_a_language_without_an_embedding_stops_before_the_first_batch(predictor, transfer_data):
    model = predictor("pos")
    examples = model.benchmark.read(find(model.benchmark, transfer_data, "test", "de"), "de")
    done = []
    with pytest.raises(XalignError, match=r"fr[\s\S]*aa, de, en"):
        longest = max(examples, key=lambda example: len(example.words))  # of the last batch
        model.predict([*examples, replace(longest, language="fr")], max_tokens=1, progress=done.append)
    assert not done
