"""What the commands do with every family that transformers runs: align, compare layers, retrieve, and 8 bits."""

import json

import pytest
import torch
from support.body_folders import MODELS, write_model

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.transport.linking import Linking

SRC = ["The red house is big .", "Bob sees a cat", "Ann likes (the) bread ."]
TGT = ["Der rote Hund ist groß .", "Bob sieht über Nacht", "Ann mag Brot ."]


@pytest.fixture(scope="module", params=MODELS)
def folder(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param)
    write_model(path / "model", request.param)
    for name, lines in (("src", SRC), ("tgt", TGT), ("gold", ["0-0 1-1", "0-0", "0-0 2p1"])):
        (path / name).write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_pairs_are_aligned(folder, encoding):
    aligner = Aligner.from_pretrained(folder / "model", linking=Linking("argmax", encoding=encoding), dtype="float32")
    found = aligner.align(SRC, TGT)
    for pair, src, tgt in zip(found, SRC, TGT, strict=True):
        assert pair.src == src.split() and pair.tgt == tgt.split() and pair.links
    [alone] = aligner.align(SRC[1:2], TGT[1:2])
    assert alone.links.keys() == found[1].links.keys()


def test_bfloat16_is_near(folder):
    def states(dtype):
        aligner = Aligner.from_pretrained(folder / "model", linking=Linking("argmax", layers=(-1,)), dtype=dtype)
        assert aligner.dtype == dtype
        ids = aligner.tokenizer.encode("The red house is big .")
        return aligner.encoder.states(torch.tensor([[0, *ids, 2]]), grad=False).layer(-1).float()

    exact = states("float32")
    assert torch.cosine_similarity(states("bfloat16"), exact, dim=2).min() > 0.98


# These do not look into the body; the two are the least like ours.
@pytest.mark.parametrize("folder", ["mt5", "deberta-v2"], indirect=True)
def test_layers_are_compared_and_translations_retrieved(folder, capsys):
    src, tgt, gold = (str(folder / name) for name in ("src", "tgt", "gold"))
    options = ["--set", src, tgt, gold, "--method", "argmax", "--dtype", "float32", "--quiet", "--json"]
    assert main(["layers", "--model", str(folder / "model"), *options]) == 0
    assert json.loads(capsys.readouterr().out)
    options = ["--src", src, "--tgt", tgt, "--bootstrap", "10", "--json", "--quiet"]
    assert main(["retrieve", "--model", str(folder / "model"), *options]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"] == 3
