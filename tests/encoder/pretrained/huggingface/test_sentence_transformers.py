"""Exports for sentence-transformers: the vectors of ``retrieve``, by the library itself where it is installed."""

import json

import pytest
import torch
import torch.nn.functional as F
from support.huggingface_folders import POSITIONS

from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.huggingface.sentence_transformers import cut, write
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer

SENTENCES = ["the red house is big", "a cat sees dogs", "run"]


def vectors(path, layer, pooling):
    """Sentence vectors of length 1."""
    state, where = read_pretrained(path)
    encoder, _ = checkpoint.load_encoder(state, where)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
    return F.normalize(sentence_vectors(encoder, tokenizer, SENTENCES, layer, pooling=pooling), dim=1)


@pytest.mark.parametrize(("layer", "pooling"), [(-1, "mean"), (2, "mean"), (1, "cls")])
def test_the_library_gives_the_same_vectors(folder, tmp_path, layer, pooling):
    library = pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    export(folder, tmp_path / "st", pooling=pooling, layer=layer)
    model = library.SentenceTransformer(str(tmp_path / "st"), device="cpu")
    theirs = model.encode(SENTENCES, convert_to_tensor=True)
    torch.testing.assert_close(theirs, vectors(folder, layer, pooling), rtol=1e-4, atol=1e-5)
    assert model.max_seq_length == POSITIONS


@pytest.mark.parametrize(("layer", "pooling"), [(3, "mean"), (2, "cls")])
def test_the_layer_is_the_last_of_the_folder(folder, tmp_path, layer, pooling):
    out = tmp_path / "st"
    options = ["--sentence-transformers", pooling, "--layer", str(layer)]
    assert main(["export-hf", "--model", str(folder), "--out", str(out), *options]) == 0
    assert json.loads((out / "config.json").read_text())["num_hidden_layers"] == layer
    torch.testing.assert_close(vectors(out, -1, pooling), vectors(folder, layer, pooling))
    modes = json.loads((out / "1_Pooling/config.json").read_text())
    assert modes["word_embedding_dimension"] == 24
    assert [name for name, given in modes.items() if given is True] == [
        f"pooling_mode_{'mean_tokens' if pooling == 'mean' else 'cls_token'}"
    ]
    kinds = [each["type"].rpartition(".")[2] for each in json.loads((out / "modules.json").read_text())]
    assert kinds == ["Transformer", "Pooling", "Normalize"]


def test_a_cut_encoder_has_no_heads():
    body = "encoder.sentence_encoder.layers"
    state = {"model": {f"{body}.{i}.fc1.bias": i for i in range(3)} | {"heads.dwa.x": 1, "encoder.lm_head.bias": 2}}
    assert cut(state, 2)["model"].keys() == {f"{body}.0.fc1.bias", f"{body}.1.fc1.bias", "encoder.lm_head.bias"}


def test_what_is_not_there_is_refused(folder, tmp_path, capsys):
    with pytest.raises(XalignError, match="no such pooling"):
        write(tmp_path, None, "max")
    assert main(["export-hf", "--model", str(folder), "--out", str(tmp_path / "st"), "--layer", "2"]) == 2
    assert "--sentence-transformers" in capsys.readouterr().err
    with pytest.raises(XalignError, match="no such layer"):
        export(folder, tmp_path / "st", pooling="mean", layer=9)
    with pytest.raises(XalignError, match="at least one layer"):
        export(folder, tmp_path / "st", pooling="mean", layer=0)
