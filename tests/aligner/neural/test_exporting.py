"""The encoder as a program of torch.export and as ONNX gives the same states and links."""

from dataclasses import replace

import pytest
import torch

from xalign_fairseq.aligner.neural import exporting
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.exporting import OnnxEncoder, export_onnx, export_program
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking

PAIRS = [("the old house", "the house"), ("Ann sees the river .", "the king finds Oslo ."), ("Ann", "the house")]


@pytest.fixture
def aligner(tiny_checkpoint):
    return Aligner.from_pretrained(tiny_checkpoint, linking=Linking("argmax", layers=(1, 2)), dtype="float32")


def test_the_program_takes_any_number_of_sentences_of_any_length(aligner):
    program = export_program(aligner).module()
    pad, positions = aligner.encoder.config.pad, aligner.encoder.config.max_positions
    for rows, length in ((1, 2), (3, 7), (2, positions)):
        tokens = torch.randint(4, 20, (rows, length))
        tokens[-1, length // 2 + 1 :] = pad
        states = aligner.encoder.states(tokens, grad=False)
        for made, layer in zip(program(tokens), (1, 2), strict=True):
            inside = tokens != pad
            torch.testing.assert_close(made[inside], states.layer(layer)[inside], rtol=1e-5, atol=1e-5)


def test_onnxruntime_gives_the_same_links_and_different_links_are_an_error(aligner, tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime", reason="the extra onnx")
    pytest.importorskip("onnxscript", reason="the extra onnx")
    monkeypatch.setattr(exporting, "CHECKED", PAIRS)
    made = []
    export = torch.onnx.export
    monkeypatch.setattr(torch.onnx, "export", lambda *given, **more: made.append(export(*given, **more)) or made[0])
    export_onnx(aligner, tmp_path / "onnx")
    other = replace(aligner, encoder=OnnxEncoder(tmp_path / "onnx", aligner.encoder))
    sides = list(zip(*PAIRS, strict=True))
    for mine, theirs in zip(aligner.align(*sides), other.align(*sides), strict=True):
        assert mine.links == pytest.approx(theirs.links, abs=1e-4) and mine.links

    right = OnnxEncoder.states

    def wrong(self, given, **more):
        found = right(self, given, **more)
        found._run._found = {layer: each.roll(1, 1) for layer, each in found._run._found.items()}
        return found

    monkeypatch.setattr(OnnxEncoder, "states", wrong)
    monkeypatch.setattr(exporting, "export_program", lambda aligner: None)
    monkeypatch.setattr(torch.onnx, "export", lambda *_, **__: made[0])
    with pytest.raises(XalignError, match="links by onnxruntime differ"):
        export_onnx(aligner, tmp_path / "wrong")
    assert not (tmp_path / "wrong").exists()


def test_another_precision_is_an_error(tiny_checkpoint, tmp_path):
    aligner = Aligner.from_pretrained(tiny_checkpoint, dtype="bfloat16")
    with pytest.raises(XalignError, match="exported in float32"):
        export_program(aligner)
