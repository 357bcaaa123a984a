"""An encoder in four bits with fewer pieces has exactly the weights of the complete one."""

import pytest
import torch
from support import four_bit_files

from xalign_fairseq.encoder.pretrained.four_bit import FourBitFile
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trim


@pytest.fixture
def whole(tmp_path):
    (tmp_path / "whole.bin").write_bytes(four_bit_files.make().content())
    return tmp_path / "whole.bin"


def test_it_equals_the_output_of_xalign_trim(gpu_script, whole, tmp_path, monkeypatch, capsys):
    script = gpu_script("pack_encoder")
    text = tmp_path / "text"
    text.write_text("the house\nthe houses\n")
    monkeypatch.setattr(script, "find", lambda: whole)
    monkeypatch.setattr(script.sys, "argv", ["pack_encoder.py", str(tmp_path / "small.bin"), str(text)])
    script.main()
    small, _ = read_pretrained(tmp_path / "small.bin")
    expected = trim(*read_pretrained(whole), [text], floor=0)
    said = capsys.readouterr().out
    assert said == f"whole.bin: {len(small['model']['encoder.sentence_encoder.embed_tokens.weight'])} of 13 pieces\n"
    assert small["model"].keys() == expected["model"].keys()
    for name, value in expected["model"].items():
        assert torch.equal(small["model"][name], value), name
    symbols = small["task_state"]["tokenizer"]["symbols"]
    assert symbols == expected["task_state"]["tokenizer"]["symbols"] and "▁Haus" not in symbols
    assert (tmp_path / "small.bin").stat().st_size < whole.stat().st_size


def test_rows_scores_and_all_else_stay(gpu_script, whole, tmp_path):
    rows = [0, 1, 2, 3, 5, 9, 12]
    gpu_script("pack_encoder").subset(whole, rows, tmp_path / "small.bin")
    before, after = FourBitFile(whole), FourBitFile(tmp_path / "small.bin")
    assert after.symbols == [before.symbols[row] for row in rows]
    assert after.scores == [before.scores[row] for row in rows]
    hidden = before.sizes.hidden
    wide = before.matrix("emb.word", before.sizes.rows, hidden)
    assert (after.matrix("emb.word", len(rows), hidden) == wide[rows]).all()
    assert (after.matrix("l1.q.w", hidden, hidden) == before.matrix("l1.q.w", hidden, hidden)).all()
    assert (after.numbers("l1.oln.b", hidden) == before.numbers("l1.oln.b", hidden)).all()
