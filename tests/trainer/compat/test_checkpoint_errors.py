import pytest
import torch
from fairseq import checkpoint_utils

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer import compat

compat.apply()


@pytest.mark.parametrize("content", [b"hello\n", b"", b"PK\x03\x04 cut off"], ids=["text", "empty", "half a zip"])
def test_a_file_that_is_no_checkpoint_is_named(tmp_path, content):
    (tmp_path / "model.pt").write_bytes(content)
    with pytest.raises(XalignError, match=r"not a checkpoint, or it is damaged\n  where: .*model.pt"):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "model.pt"))


def test_other_errors_are_unchanged(tmp_path):
    torch.save({"model": {}, "args": None}, tmp_path / "model.pt")
    with pytest.raises(KeyError):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "model.pt"), {"data": "elsewhere"})
