import pytest
import torch
from fairseq import checkpoint_utils

from xalign_fairseq.trainer import compat

compat.apply()


@pytest.mark.parametrize("there", [True, False])
def test_a_link_with_the_temporarys_name_is_not_written_through(tmp_path, there):
    path, other = tmp_path / "checkpoint_last.pt", tmp_path / "other"
    if there:
        other.write_text("mine")
    (tmp_path / "checkpoint_last.pt.tmp").symlink_to(other)
    checkpoint_utils.torch_persistent_save({"a": torch.arange(3)}, str(path))
    assert torch.equal(torch.load(path)["a"], torch.arange(3)) and not path.is_symlink()
    assert other.read_text() == "mine" if there else not other.exists()
    assert not (tmp_path / "checkpoint_last.pt.tmp").is_symlink()


def test_leftovers_of_a_killed_run_are_replaced_and_other_targets_are_fairseqs(tmp_path):
    path = tmp_path / "checkpoint_last.pt"
    path.write_text("old")
    (tmp_path / "checkpoint_last.pt.tmp").write_text("half")
    checkpoint_utils.torch_persistent_save({"a": 1}, str(path))
    assert torch.load(path) == {"a": 1} and [each.name for each in tmp_path.iterdir()] == [path.name]
    with open(tmp_path / "stream", "wb") as stream:
        checkpoint_utils._torch_persistent_save({"a": 2}, stream)
    assert torch.load(tmp_path / "stream") == {"a": 2}
