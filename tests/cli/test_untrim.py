import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


def call(*line):
    return main([str(each) for each in line])


def test_a_trained_model_gets_the_whole_vocabulary_back(tiny_checkpoint, tiny_text, tmp_path, capsys):
    text, small, whole = tiny_text / "text.en", tmp_path / "small.pt", tmp_path / "whole.pt"
    (tmp_path / "line").write_text("a cat\n")
    assert call("trim", "--model", tiny_checkpoint, "--text", tmp_path / "line", "--floor", 0, "--out", small) == 0
    state, _ = read_pretrained(small)
    name = "encoder.sentence_encoder.embed_tokens.weight"
    trained = {**state["model"], name: state["model"][name] + 1, "encoder.lm_head.weight": state["model"][name] + 1}
    torch.save({**state, "model": trained}, tmp_path / "trained.pt")
    capsys.readouterr()
    assert call("untrim", "--model", tmp_path / "trained.pt", "--original", tiny_checkpoint, "--out", whole) == 0
    before, after = (read_pretrained(path)[0] for path in (tiny_checkpoint, whole))
    ids = len(before["model"][name])
    assert capsys.readouterr().out.startswith(f"{whole}: {ids} ids (before: {len(state['model'][name])}), ")
    assert "trimmed" not in after["task_state"]
    assert 0 < (after["model"][name] != before["model"][name]).all(1).sum() == len(state["model"][name]) < ids
    links = ["--src", text, "--tgt", tiny_text / "text.xx", "--quiet"]
    assert call("align", "--model", whole, *links, "--out", tmp_path / "links") == 0
