"""Checks of checkpoints against tokenizers and data-bins."""

import argparse
from pathlib import Path

import pytest
import torch
from support.data_bins import only, symbols_of, train_model, write_data_bin

from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.diagnosis import look_at
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state


@pytest.fixture(scope="module")
def model():
    return train_model()


@pytest.fixture
def data_bin(tmp_path, model):
    return write_data_bin(tmp_path / "data-bin", model)


@pytest.fixture
def checkpoint(tmp_path, model):
    def save(vocab_size, **changes):
        encoder = Encoder(
            EncoderConfig(vocab_size, encoder_layers=1, encoder_embed_dim=8, encoder_ffn_embed_dim=8,
                          encoder_attention_heads=2, max_positions=16)
        )  # fmt: skip
        state = {
            "args": argparse.Namespace(encoder_attention_heads=2, data=None),
            "model": {f"encoder.{name}": weight for name, weight in encoder.state_dict().items()},
        }
        torch.save(state | changes, tmp_path / "checkpoint.pt")
        return str(tmp_path / "checkpoint.pt")

    return save


def test_an_encoder_of_another_size(data_bin, checkpoint):
    rows = DataBin(data_bin).dictionary.embedding_size
    found = only(look_at([checkpoint(rows + 8), str(data_bin)]))
    assert f"found: {rows + 8} embeddings" in found
    assert f"expected: {rows}" in found


def test_a_checkpoint_that_carries_its_tokenizer(data_bin, checkpoint, model):
    own = Dictionary(symbols_of(model))
    path = checkpoint(own.embedding_size, task_state={"tokenizer": tokenizer_state(own, model)})
    assert [finding.level for finding in look_at([path])] == ["ok", "ok", "ok"]
    Dictionary(list(reversed(symbols_of(model)))).save(data_bin / "dict.txt")  # as many symbols, in another order
    assert "but other ones" in only(look_at([path, str(data_bin)]))


def test_the_data_bin_that_a_checkpoint_was_trained_on(data_bin, checkpoint):
    args = argparse.Namespace(encoder_attention_heads=2, data=f"/gone:{data_bin}")
    path = checkpoint(7, args=args)
    assert f"dictionary of {data_bin}" in only(look_at([path]))
    args.data = "/gone"
    assert "no dictionary to compare" in only(look_at([checkpoint(7, args=args)]), "note")


def test_a_folder_named_like_the_data_bin_in_the_current_folder_is_ignored(data_bin, checkpoint, tmp_path, monkeypatch):
    (tmp_path / "elsewhere/data-bin").mkdir(parents=True)
    Dictionary(["a"]).save(tmp_path / "elsewhere/data-bin/dict.txt")
    monkeypatch.chdir(tmp_path / "elsewhere")
    args = argparse.Namespace(encoder_attention_heads=2, data="data-bin")
    found = look_at([checkpoint(DataBin(data_bin).dictionary.embedding_size, args=args)])
    assert [finding.level for finding in found] == ["ok", "ok"] and str(data_bin) in found[1].text


def test_weights_that_are_not_finite(checkpoint):
    weights = torch.load(checkpoint(7), weights_only=False)["model"]
    weights["encoder.sentence_encoder.layers.0.fc1.bias"][0] = float("nan")
    assert "layers.0.fc1.bias" in only(look_at([checkpoint(7, model=weights)]))


def test_a_damaged_data_bin_is_reported_and_the_rest_is_checked(data_bin, checkpoint):
    path = data_bin / "train.en-de.de.bin"
    path.write_bytes(path.read_bytes()[:-2])
    found = look_at([str(data_bin), checkpoint(7)])
    assert found[0].level == "WRONG" and "truncated" in found[0].line() and len(found) > 1


def test_a_file_that_is_not_a_checkpoint(tmp_path):
    (tmp_path / "model.pt").write_text("hello")
    assert "not a checkpoint" in only(look_at([str(tmp_path / "model.pt")]))


def test_a_folder_of_a_model_and_a_missing_path(data_bin, checkpoint, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    rows = DataBin(data_bin).dictionary.embedding_size
    Path(checkpoint(rows)).rename(run / "checkpoint_last.pt")
    found = look_at([str(run), str(data_bin)])
    assert found[-1].level == "ok" and f"{run}: fits the dictionary of {data_bin}" in found[-1].line()
    assert "there is no such data-bin or checkpoint" in only(look_at([str(tmp_path / "none")]))
