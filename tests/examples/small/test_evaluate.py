"""The measures of a run of the study of small encoders, and its errors."""

import json
import random
import sys

import pytest
import torch
from support import transfer_data as made_up

from tests.examples.small.made_up import evaluate, study
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.sweep import sweep_links
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.transport.linking import Linking


def test_dictionary_words_are_single_known_and_different(tmp_path):
    lines = ["house\tHaus", "hand\tHand", "house\tHeim", "red house\tRothaus", "rare\tselten", "cat\tKatze", "u2\tU"]
    (tmp_path / "dict").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "en").write_text("house hand red u2 cat\n" * 5 + "rare\n")
    (tmp_path / "de").write_text("Haus Hand Rothaus selten Heim U\n" * 5 + "Katze\n" * 4)
    pairs = evaluate.read_dictionary(tmp_path / "dict", tmp_path / "en", tmp_path / "de")
    assert (pairs.src, pairs.tgt) == (["house"], ["Haus", "Heim"])


@pytest.mark.parametrize("pair", ["de-fr", "en-xx", "en", "de-en-fr", "en-en"])
def test_a_pair_that_can_not_be_measured_is_told(pair, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["evaluate.py", "model.pt", "none", "benchmark", "text", "--pair", pair])
    assert evaluate.main() == 2 and f"found: {pair}" in capsys.readouterr().err


def test_a_name_or_a_file_that_is_not_there_is_told(tmp_path, monkeypatch, capsys):
    for name, message in (("tml-1", "no such run"), ("none", "does not exist")):
        monkeypatch.setattr(sys, "argv", ["evaluate.py", "model.pt", name, str(tmp_path), str(tmp_path)])
        assert evaluate.main() == 2 and message in capsys.readouterr().err


def write_model(path, encoder_path, maps=False):
    """An encoder with other biases than zero, positions that are zero, and maps that are no identity."""
    state = torch.load(encoder_path, weights_only=False)
    torch.manual_seed(1)
    weights = state["model"]
    prefix = "encoder.sentence_encoder"
    weights[f"{prefix}.layernorm_embedding.bias"] = torch.randn(made_up.SIZES["encoder_embed_dim"])
    weights[f"{prefix}.embed_positions.weight"] = torch.zeros_like(weights[f"{prefix}.embed_positions.weight"])
    if maps:
        head = LanguageMaps(
            ["de"], "en", layers=made_up.SIZES["encoder_layers"], dim=made_up.SIZES["encoder_embed_dim"]
        )
        for parameter in head.parameters():
            torch.nn.init.normal_(parameter)
        weights |= {f"heads.linear_mapping.{key}": value for key, value in head.state_dict().items()}
    torch.save(state, path)
    return path


def test_words_are_normalised_before_the_map_of_layer_0(tmp_path, transfer_encoder):
    """As the encoder does before layer 0, where the map was learnt; without maps they are read as they are."""
    bare = evaluate.Model(write_model(tmp_path / "bare.pt", transfer_encoder), ("de", "en"), "cpu")
    mapped = evaluate.Model(write_model(tmp_path / "maps.pt", transfer_encoder, maps=True), ("de", "en"), "cpu")
    assert bare.input_embeddings().equal(bare.encoder.sentence_encoder.embed_tokens.weight)
    words = torch.tensor([[4, 5, 6]])
    torch.testing.assert_close(mapped.input_embeddings()[words], mapped.encoder.states(words, grad=False).layer(0))


@pytest.fixture
def texts(tmp_path):
    """TEXT and BENCHMARK of de-en, where a word is translated by its letters in reverse."""
    rng = random.Random(0)
    lines = [[word for word, *_ in made_up.sentence(rng)] for _ in range(60)]
    benchmark, text = tmp_path / "benchmark", tmp_path / "text/de-en"
    links = [" ".join(f"{i}-{i}" for i in range(len(words))) for words in lines]
    for prefix, gold, part in (
        (text / "train", "links", slice(0, 60)),
        (text / "valid", "links", slice(0, 8)),
        (benchmark / "gold/simalign-testsets/de-en", "gold", slice(8, 20)),
        (benchmark / "bitext/tatoeba-laser-test/en-de", None, slice(20, 35)),
    ):
        english = [" ".join(words) for words in lines[part]]
        made_up.write(prefix.with_name(f"{prefix.name}.en"), "".join(f"{line}\n" for line in english))
        german = [" ".join(word[::-1] for word in words) for words in lines[part]]
        made_up.write(prefix.with_name(f"{prefix.name}.de"), "".join(f"{line}\n" for line in german))
        if gold:
            made_up.write(prefix.with_name(f"{prefix.name}.{gold}"), "".join(f"{line}\n" for line in links[part]))
    entries = "".join(f"{word}\t{word[::-1]}\n" for word in made_up.NOUNS)
    made_up.write(benchmark / "dict/freedict/eng-deu.tsv", entries)
    return benchmark, tmp_path / "text"


@pytest.mark.parametrize("maps", [False, True])
def test_all_measures_of_a_checkpoint(texts, tmp_path, transfer_encoder, maps, monkeypatch, capsys):
    model, name = write_model(tmp_path / "model.pt", transfer_encoder, maps), "procrustes" if maps else "none"
    arguments = [model, name, *texts, "--device", "cpu", "--results", tmp_path / "results"]
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *map(str, arguments)])
    assert evaluate.main() == 0
    assert capsys.readouterr().out.startswith(f"{name}: AER ")

    [[run]] = study.read(tmp_path / "results").values()
    # through maps sentences are read by themselves
    assert run.counts.keys() == study.MEASURES.keys() - ({"aer-joint"} if maps else set())
    assert run.record["scores"] == {measure: round(run.score(measure), 4) for measure in run.counts}
    assert {len(table) for measure, table in run.counts.items() if measure.startswith("aer")} == {12}
    assert {len(table) for measure, table in run.counts.items() if "accuracy" in measure} == {15}
    how = run.record["how"]
    assert how["alignment"] == {"en": len(made_up.NOUNS), "de": len(made_up.NOUNS)}
    assert ("maps:de-en" in how["aer"]["signature"]) is maps
    # of all layers and methods the one that is best on silver links was chosen
    chosen = {"languages": ("de", "en") if maps else None, "maps": maps, "dtype": "float32"}
    encodings = ("separate",) if maps else ("joint", "separate")
    aligners = [Aligner.from_pretrained(model, linking=Linking(encoding=each), **chosen) for each in encodings]
    filters = ("argmax", "itermax", "union")
    places = [Linking("transport", {"filter": each}, (layer,)) for layer in range(3) for each in filters]
    sides = [(texts[1] / f"de-en/valid.{lang}").read_text().splitlines() for lang in ("de", "en")]
    golds = read_gold(texts[1] / "de-en/valid.links")
    swept = [links for each in aligners for links in sweep_links(each, zip(*sides, strict=True), places)]
    assert how["aer"]["silver_aer"] == round(min(score(links, golds).aer for links in swept), 4)


def test_what_has_no_seed_was_not_trained_by_the_study(tmp_path):
    nothing = {"command": "", "commit": "", "updates": 0, "tokens": 0, "minutes": 0.0, "machine": ""}
    assert evaluate.how_trained("procrustes", tmp_path) == nothing
    (tmp_path / "run.json").write_text(json.dumps({"command": "xalign procrustes", "commit": "abc"}))
    found = evaluate.how_trained("procrustes", tmp_path)
    assert found == nothing | {"command": "xalign procrustes", "commit": "abc"}
    assert evaluate.how_trained("none", tmp_path) == nothing
