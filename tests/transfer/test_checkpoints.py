"""The encoders of a study: what is converted and when, and files without an encoder."""

import shutil

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.checkpoints import open_checkpoint

CONVERT = "xalign_fairseq.transfer.checkpoints.convert"


def test_a_hugging_face_folder_is_converted_once(transfer_encoder, tmp_path, monkeypatch):
    converted = []

    def convert(folder, target, overwrite):
        converted.append(folder)
        shutil.copy(transfer_encoder, target)

    monkeypatch.setattr(CONVERT, convert)
    folder, cache = tmp_path / "hf", tmp_path / "out/checkpoints"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    first = open_checkpoint("hf", folder, cache)
    assert first.path == cache / "hf.pt" and first.config.encoder_layers == 2
    assert open_checkpoint("hf", folder, cache) == first and converted == [folder]
    (folder / "model.safetensors").write_bytes(b"other weights")
    assert open_checkpoint("hf", folder, cache).digest != first.digest and len(converted) == 2

    def killed(folder, target, overwrite):
        convert(folder, target, overwrite)
        raise KeyboardInterrupt

    monkeypatch.setattr(CONVERT, killed)
    (folder / "model.safetensors").write_bytes(b"third weights")
    with pytest.raises(KeyboardInterrupt):
        open_checkpoint("hf", folder, cache)
    monkeypatch.setattr(CONVERT, convert)
    (folder / "model.safetensors").write_bytes(b"other weights")
    open_checkpoint("hf", folder, cache)
    assert len(converted) == 4  # the file there was the third's


def test_checkpoints_that_are_none(tmp_path):
    with pytest.raises(XalignError, match="does not exist"):
        open_checkpoint("x", tmp_path / "absent.pt", tmp_path)
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(XalignError, match="not a checkpoint"):
        open_checkpoint("x", tmp_path / "text.pt", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(XalignError, match="folder has no checkpoint"):
        open_checkpoint("x", tmp_path / "empty", tmp_path)
