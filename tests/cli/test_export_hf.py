import json

import pytest
import torch

from xalign_fairseq.cli import main

load_file = pytest.importorskip("safetensors.torch").load_file


def test_a_folder_that_other_programs_read(tiny_checkpoint, tiny_state, tmp_path, capsys):
    assert main(["export-hf", "--model", str(tiny_checkpoint), "--out", str(tmp_path / "hf")]) == 0
    assert (
        capsys.readouterr().out
        == f"{tmp_path / 'hf'}: written from {tiny_checkpoint}; check the model card, README.md, before you share it\n"
    )
    assert {path.name for path in (tmp_path / "hf").iterdir()} == {
        "README.md", "config.json", "model.safetensors", "sentencepiece.bpe.model", "tokenizer.json",
        "tokenizer_config.json", "xalign.json",
    }  # fmt: skip
    config = json.loads((tmp_path / "hf/config.json").read_text())
    assert (config["model_type"], config["num_hidden_layers"], config["hidden_size"]) == ("xlm-roberta", 3, 16)
    words = load_file(tmp_path / "hf/model.safetensors")["roberta.embeddings.word_embeddings.weight"]
    assert torch.equal(words, tiny_state["model"]["encoder.sentence_encoder.embed_tokens.weight"])
    assert (tmp_path / "hf/README.md").read_text().count("# hf\n") == 1
