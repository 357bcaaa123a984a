from types import SimpleNamespace

import pytest
from fairseq import checkpoint_utils

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat import missing_restore_file

compat.apply()


def load(name, suffix=""):
    """What fairseq is asked for, by the patched function."""
    cfg, trainer = SimpleNamespace(restore_file=str(name)), SimpleNamespace(checkpoint_suffix=suffix)
    return missing_restore_file._required(lambda cfg, trainer: cfg.restore_file)(cfg, trainer)


def test_a_file_that_does_not_exist_is_an_error(tmp_path):
    path = tmp_path / "checkpoint_lst.pt"
    with pytest.raises(XalignError, match=r"(?s)does not exist.*restore_file.*checkpoint_lst.pt"):
        load(path)
    path.touch()
    assert load(path) == str(path)


@pytest.mark.parametrize("given", [{"name": "checkpoint_last.pt"}, {"name": "gone.pt", "suffix": "-shard0"}])
def test_a_run_s_own_checkpoint_and_shards_are_left_to_fairseq(given):
    assert load(**given) == given["name"]


def test_it_stands_before_fairseqs_own():
    assert missing_restore_file.needed()
    assert missing_restore_file.NAME in checkpoint_utils.load_checkpoint._xalign_patches
