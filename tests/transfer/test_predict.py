import math
from dataclasses import replace

import pytest
import torch
from support import sentences
from support.checkpoints import with_head, with_languages
from support.sentences import ENGLISH, GERMAN

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import HEAD, LanguageMaps
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.evaluation.retrieval import retrieve
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.predict import PRECISIONS, Predictor, evaluate, evaluate_retrieval, load_retrieval
from xalign_fairseq.transfer.task_record import TaskRecord

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
    """A function that loads an untrained model of a benchmark from its file."""

    def load(benchmark, state=state, **options):
        limits = Limits(12, 1) if benchmark in ("pos", "parsing") else Limits(32, 8)  # several windows of words
        spec = TaskRecord(benchmark, LABELS[benchmark], limits, OPTIONS.get(benchmark, {}))
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
    model.batch_tokens = 1
    alone = {language: model.predict(examples) for language, examples in of.items()}
    assert found[0::2] == alone["de"] and found[1::2] == alone["en"]
    assert alone["de"] != alone["en"]
    silent = predictor(benchmark, with_languages(state, "aa", "de", "en", scale=0.0)).predict(mixed)
    assert silent[0::2] == silent[1::2]


def test_states_equal_those_of_direct_encoder_calls(predictor, transfer_data):
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


def test_half_precision_uses_autocast_and_is_logged(predictor, transfer_data):
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
    done, model.batch_tokens = [], 1
    with pytest.raises(XalignError, match=r"fr[\s\S]*aa, de, en"):
        longest = max(examples, key=lambda example: len(example.words))  # of the last batch
        model.predict([*examples, replace(longest, language="fr")], progress=done.append)
    assert not done


@pytest.mark.parametrize("benchmark", LABELS)
def test_states_that_overflow_are_an_error_and_no_wrong_answers(benchmark, predictor, transfer_data):
    model = predictor(benchmark)
    examples = model.benchmark.read(find(model.benchmark, transfer_data, "test", "de"), "de")
    model.encoder.sentence_encoder.layers[-1].final_layer_norm.bias.data[0] = torch.nan
    with pytest.raises(XalignError, match="not finite"):
        model.predict(examples)


def with_maps(state):
    """A checkpoint's content with random linear maps of German."""
    maps = LanguageMaps(["de"], "en", 2, 32)
    torch.manual_seed(0)
    torch.nn.init.normal_(maps.of("de"))
    return {**state, "model": state["model"] | {f"heads.{HEAD}.{key}": x for key, x in maps.state_dict().items()}}


def test_a_frozen_encoder_is_read_through_each_languages_linear_maps(transfer_encoder, transfer_data, tmp_path, caplog):
    def load(frozen):
        spec = TaskRecord("pos", LABELS["pos"], Limits(32, 8), {}, {"feature_based": frozen, "extra_layers": 0})
        torch.save(with_head(with_maps(checkpoint.read(transfer_encoder)), spec), tmp_path / "model.pt")
        return Predictor.load(tmp_path / "model.pt")

    assert load(False).maps is None  # an encoder that was trained has left its maps behind
    model = load(True)
    path = find(model.benchmark, transfer_data, "test", "de")
    of = {language: model.benchmark.read(path, language) for language in ("de", "en")}
    mixed = model.predict([each for both in zip(*of.values(), strict=True) for each in both])
    assert not caplog.records
    finnish = model.predict(model.benchmark.read(path, "fi"))
    assert caplog.text.count("no linear map of fi") == 1
    mapped = model.predict(of["de"])
    model.maps = None
    plain = model.predict(of["en"])
    assert mixed[0::2] == mapped != plain == mixed[1::2] == finnish


encoder, tokenizer = sentences.encoder, sentences.tokenizer


@pytest.fixture
def bitext(tmp_path):
    for name, lines in (("deu", GERMAN), ("eng", ENGLISH)):
        (tmp_path / f"tatoeba.deu-eng.{name}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path / "tatoeba.deu-eng.deu"


def test_scores_are_those_of_cosines_in_a_loop(encoder, tokenizer, bitext):
    evaluation = evaluate_retrieval(encoder, tokenizer, None, bitext, "de")

    def vector(sentence):
        return encoder.states(torch.tensor([[0, *tokenizer.encode(sentence), 2]])).layer(2)[0].mean(0).double()

    sides = [[vector(line).detach() for line in lines] for lines in (GERMAN, ENGLISH)]
    cosine = [[(a @ b / a.norm() / b.norm()).item() for b in sides[1]] for a in sides[0]]
    to_english = [str(row.index(max(row)) + 1) for row in cosine]
    columns = list(map(list, zip(*cosine, strict=True)))
    # the first and the last German line are equal
    from_english = [str(next(i for i, c in enumerate(col) if math.isclose(c, max(col))) + 1) for col in columns]
    assert evaluation.items == 6
    assert evaluation.ids == evaluation.golds == ["1", "2", "3", "4", "5", "6"]
    assert [each["accuracy"] for each in evaluation.predictions] == to_english
    assert [each["accuracy-from-en"] for each in evaluation.predictions] == from_english
    right = [float(i == j) for i, j in zip(evaluation.ids, to_english, strict=True)]
    assert evaluation.counts["accuracy"].tolist() == [[hit, 1.0] for hit in right]
    assert evaluation.scores["accuracy"] == pytest.approx(sum(right) / 6)
    assert set(evaluation.scores) == {"accuracy", "accuracy-from-en", "margin-accuracy", "margin-accuracy-from-en"}
    signature = evaluation.signatures["margin-accuracy"]
    assert f"benchmark:tatoeba|language:de|layer:2|pooling:mean|data:sha256-{evaluation.digest}|" in signature
    assert len(set(evaluation.signatures.values())) == 4


def test_a_pretrained_model_is_opened_with_its_maps(transfer_encoder, bitext, tmp_path):
    encoder, tokenizer, maps = load_retrieval(transfer_encoder)
    assert maps is None
    found = evaluate_retrieval(encoder, tokenizer, maps, bitext, "de", layer=-1)
    assert found.signatures == evaluate_retrieval(encoder, tokenizer, maps, bitext, "de", layer=2).signatures
    torch.save(with_maps(checkpoint.read(transfer_encoder)), tmp_path / "mapped.pt")
    mapped = load_retrieval(tmp_path / "mapped.pt")
    assert mapped[2].languages == ("de",)
    assert evaluate_retrieval(*mapped, bitext, "de", layer=2).predictions != found.predictions


def test_the_foreign_side_is_read_through_its_linear_map(encoder, tokenizer, bitext, caplog):
    maps = LanguageMaps(["de"], "en", 3, 16)
    torch.manual_seed(0)
    with torch.no_grad():
        maps.of("de").normal_()
    evaluation = evaluate_retrieval(encoder, tokenizer, maps, bitext, "de", layer=2)
    foreign = sentence_vectors(encoder, tokenizer, GERMAN, 2) @ maps.of("de")[2].detach()
    found = retrieve(foreign, sentence_vectors(encoder, tokenizer, ENGLISH, 2))
    assert [each["accuracy"] for each in evaluation.predictions] == [str(k + 1) for k in found["accuracy"].tolist()]
    assert not caplog.records
    evaluate_retrieval(encoder, tokenizer, maps, bitext, "gl", layer=2)
    assert "no linear map of gl" in caplog.text


def test_each_side_is_read_in_its_language(tokenizer, bitext, encoder):
    torch.manual_seed(0)
    speaking = Encoder(replace(encoder.config, language_embeddings="de,en,fr")).eval()
    speaking.load_state_dict(encoder.state_dict(), strict=False)
    torch.nn.init.normal_(speaking.sentence_encoder.embed_languages.weight)
    german, english = (
        sentence_vectors(speaking, tokenizer, side, 2, language_row=row) for row, side in enumerate((GERMAN, ENGLISH))
    )
    evaluation = evaluate_retrieval(speaking, tokenizer, None, bitext, "de", layer=2)
    for name, lines in retrieve(german, english).items():
        assert [each[name] for each in evaluation.predictions] == [str(1 + int(line)) for line in lines]
    with pytest.raises(XalignError, match=r"gl[\s\S]*expected: de, en, fr"):
        evaluate_retrieval(speaking, tokenizer, None, bitext, "gl")
