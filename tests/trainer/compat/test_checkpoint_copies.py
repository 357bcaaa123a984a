import shutil

import pytest
from fairseq.file_io import PathManager

from xalign_fairseq.trainer import compat

compat.apply()


@pytest.fixture
def checkpoints(tmp_path):
    """A new checkpoint, and the last one, which it will replace."""
    new, last = tmp_path / "checkpoint_1_8.pt", tmp_path / "checkpoint_last.pt"
    new.write_bytes(b"new" * 1000)
    last.write_bytes(b"old")
    return new, last


def test_a_copy_is_complete(checkpoints):
    new, last = checkpoints
    assert PathManager.copy(str(new), str(last), overwrite=True)
    assert last.read_bytes() == new.read_bytes() == b"new" * 1000
    assert len(list(last.parent.iterdir())) == 2


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_copy_keeps_the_old_file(checkpoints, monkeypatch, end):
    new, last = checkpoints

    def half(source, target, length=0):
        target.write(source.read(1500))
        target.flush()
        raise end

    monkeypatch.setattr(shutil, "copyfileobj", half)
    with pytest.raises(type(end) if isinstance(end, OSError) else end):
        PathManager.copy(str(new), str(last), overwrite=True)
    assert last.read_bytes() == b"old"
    assert len(list(last.parent.iterdir())) == 2
