import logging
from types import SimpleNamespace

import pytest
import torch
from fairseq import checkpoint_utils

from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat.damaged_checkpoint import _repaired

compat.apply()


def write(path, updates):
    torch.save({"model": {}, "args": None, "optimizer_history": [{"num_updates": updates}]}, path)


def load(folder, rank=0, suffix="", restore_file="checkpoint_last.pt"):
    """What fairseq would read, by the patched function."""
    cfg = SimpleNamespace(restore_file=restore_file, save_dir=str(folder))
    trainer = SimpleNamespace(data_parallel_rank=rank, checkpoint_suffix=suffix)
    return _repaired(lambda cfg, trainer: updates_of(folder / "checkpoint_last.pt"))(cfg, trainer)


@pytest.fixture
def run(tmp_path):
    """A run whose last checkpoint, a copy of that of update 8, was broken off."""
    write(tmp_path / "checkpoint1.pt", 4)
    write(tmp_path / "checkpoint_2_8.pt", 8)
    whole = (tmp_path / "checkpoint_2_8.pt").read_bytes()
    (tmp_path / "checkpoint_last.pt").write_bytes(whole[: len(whole) // 2])
    return tmp_path


def test_it_stands_before_fairseqs_own():
    assert checkpoint_utils.load_checkpoint.__name__ == "load_checkpoint"
    assert "damaged checkpoint" in checkpoint_utils.load_checkpoint._xalign_patches


def test_training_goes_on_from_the_newest_whole_checkpoint_and_says_so(run, caplog):
    with caplog.at_level(logging.WARNING):
        assert load(run) == 8
    assert "checkpoint_last.pt is damaged: checkpoint_2_8.pt, of update 8, takes its place" in caplog.text


def test_the_checkpoint_of_an_epoch_will_do(run):
    (run / "checkpoint_2_8.pt").unlink()
    assert load(run) == 4


def test_other_damaged_files_are_left(run):
    (run / "checkpoint_mine.pt").write_bytes(b"half")
    assert load(run) == 8
    assert (run / "checkpoint_mine.pt").read_bytes() == b"half"


@pytest.mark.parametrize("other", [{"rank": 1}, {"suffix": "-shard0"}, {"restore_file": "checkpoint_2_8.pt"}])
def test_other_processes_shards_and_files_are_left_to_fairseq(run, other):
    assert load(run, **other) is None


def test_where_nothing_is_whole_the_damaged_file_stays_and_is_named_by_fairseqs_reader(run):
    for name in ("checkpoint1.pt", "checkpoint_2_8.pt"):
        (run / name).unlink()
    assert load(run) is None and (run / "checkpoint_last.pt").is_file()


def test_a_new_run_has_nothing_to_repair(tmp_path):
    assert load(tmp_path / "new") is None


def test_a_best_model_without_training_is_not_replaced(run):
    torch.save({"model": {"weight": torch.ones(2)}}, run / "checkpoint_best.pt")  # as untrim and import-hf write it
    before = (run / "checkpoint_best.pt").read_bytes()
    assert load(run) == 8
    assert (run / "checkpoint_best.pt").read_bytes() == before
