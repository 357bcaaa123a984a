"""An encoder in four bits with fewer pieces has exactly the weights of the complete one."""

import pytest
import torch
from support import four_bit_files

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
