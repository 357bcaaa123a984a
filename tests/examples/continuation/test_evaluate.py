"""What a run of the continuation study is measured on, and what is told instead."""

import json
import sys

import pytest
import torch

from tests.examples.continuation.made_up import evaluate
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.transformer import Encoder


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


def test_words_are_normalised_before_the_map_of_layer_0():
    """As the encoder does before layer 0, where the map was learnt; without maps they are read as they are."""
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(vocab_size=12, encoder_layers=1, encoder_embed_dim=8, encoder_attention_heads=2,
                                    encoder_ffn_embed_dim=8, max_positions=8)).eval()  # fmt: skip
    torch.nn.init.normal_(encoder.sentence_encoder.layernorm_embedding.bias)
    torch.nn.init.zeros_(encoder.sentence_encoder.embed_positions.weight)
    model = evaluate.Model.__new__(evaluate.Model)
    model.encoder, model.maps = encoder, None
    assert model.input_embeddings().equal(encoder.sentence_encoder.embed_tokens.weight)
    model.maps = LanguageMaps(["de"], "en", layers=1, dim=8)
    words = torch.tensor([[4, 5, 6]])
    torch.testing.assert_close(model.input_embeddings()[words], encoder.states(words, grad=False).layer(0))


def test_what_has_no_seed_was_not_trained_by_the_study(tmp_path):
    nothing = {"command": "", "commit": "", "updates": 0, "tokens": 0, "minutes": 0.0, "machine": ""}
    assert evaluate.how_trained("procrustes", tmp_path) == nothing
    (tmp_path / "run.json").write_text(json.dumps({"command": "xalign procrustes", "commit": "abc"}))
    found = evaluate.how_trained("procrustes", tmp_path)
    assert found == nothing | {"command": "xalign procrustes", "commit": "abc"}
    assert evaluate.how_trained("none", tmp_path) == nothing
