import pytest
import torch
from support.body_folders import MODELS, read_model, write_model
from support.launched import put_lines

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.transport.linking import Linking

SRC = ["The red house is big .", "Bob sees a cat", "Ann likes (the) bread ."] * 4
TGT = ["Der rote Hund ist groß .", "Bob sieht über Nacht", "Ann mag Brot ."] * 4
GOLD = ["0-0 1-1", "0-0", "0-0 2p1"] * 4


@pytest.fixture(scope="module", params=MODELS)
def folder(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param)
    write_model(path / "model", request.param)
    for name, lines in (("src", SRC), ("tgt", TGT), ("gold", GOLD)):
        (path / name).write_text("".join(f"{line}\n" for line in lines))
    return path


# fairseq-train does not depend on the body; this one differs most from ours.
@pytest.mark.slow
@pytest.mark.parametrize("folder", ["deberta-v2"], indirect=True)
def test_an_aligner_is_trained_by_fairseq_train(folder, command, tmp_path, monkeypatch):
    def output(line, log, held=()):
        done = command("fairseq-train", *line)
        assert done.returncode == 0, done.stdout + done.stderr
        yield from (done.stdout + done.stderr).splitlines(keepends=True)

    put_lines(monkeypatch, output)
    files = [str(folder / name) for name in ("src", "tgt", "gold")]
    line = ["train-aligner", "--model", str(folder / "model"), "--src", files[0], "--tgt", files[1], "--valid-src"]
    line += [files[0], "--valid-tgt", files[1], "--valid-gold", files[2], "--updates", "2", "--validate-every", "2"]
    assert main([*line, "--languages", "en-de", "--device", "cpu", "--out", str(tmp_path / "run")]) == 0
    trained, tokenizer = read_model(tmp_path / "run/checkpoint_best.pt")
    start, _ = read_model(folder / "model")
    assert tokenizer.encode("The red house")
    tokens = torch.tensor([[0, 5, 6, 7, 2]])
    assert not torch.equal(*(each.states(tokens, grad=False).layer(-1) for each in (trained, start)))


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_pairs_are_aligned(folder, encoding):
    aligner = Aligner.from_pretrained(folder / "model", linking=Linking("argmax", encoding=encoding), dtype="float32")
    found = aligner.align(SRC, TGT)
    for each, src, tgt in zip(found, SRC, TGT, strict=True):
        assert each.src == src.split() and each.tgt == tgt.split() and each.links
    [alone] = aligner.align(SRC[1:2], TGT[1:2])
    assert alone.links.keys() == found[1].links.keys()
