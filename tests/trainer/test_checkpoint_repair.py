"""Which checkpoint replaces a damaged one.

Here a file holds its number of updates, 0 for an untrained model, and an empty file is damaged.
"""

from unittest.mock import Mock

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.trainer.checkpoint_repair import repair_run


def updates_of(path):
    text = path.read_text()
    return int(text) if text else None


@pytest.fixture(autouse=True)
def files(monkeypatch):
    """Files with a number simulate checkpoints."""
    monkeypatch.setattr(checkpoint, "updates_of", updates_of)


def write(folder, updates):
    folder.mkdir()
    for name, number in updates.items():
        (folder / f"checkpoint_{name}.pt").write_text("" if number is None else str(number))


def read(folder):
    return {path.stem.removeprefix("checkpoint_"): updates_of(path) for path in folder.glob("*.pt")}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"1_8": 8, "best": 4, "last": 8}, {"1_8": 8, "best": 4, "last": 8}, []),
        ({"1_8": 8, "best": 4, "last": None}, {"1_8": 8, "best": 4, "last": 8}, ["last.pt is damaged: checkpoint_1_8"]),
        (
            {"1_4": 4, "1_8": 8, "best": None, "last": 4},
            {"1_4": 4, "1_8": 8, "best": 8, "last": 4},
            ["best.pt is damaged: checkpoint_1_8.pt, of update 8,"],
        ),
        # the checkpoint of an epoch's end, which has no copy
        (
            {"1_4": 4, "best": 8, "last": None},
            {"1_4": 4, "best": 8, "last": 8},
            ["last.pt is damaged: checkpoint_best"],
        ),
        ({"1_8": None, "last": 4}, {"last": 4}, ["1_8.pt is damaged, or not a training checkpoint"]),
        # a model put there by hand, without training state
        ({"1_8": 8, "best": 0, "last": 8}, {"1_8": 8, "best": 0, "last": 8}, []),
        ({"1_8": 8, "best": 0, "last": None}, {"1_8": 8, "best": 0, "last": 8}, ["last.pt is damaged: checkpoint_1_8"]),
        (
            {"1_8": None, "best": None, "last": None},
            {},
            ["1_8.pt is damaged", "best.pt is", "last.pt is", "has no intact checkpoint: training starts"],
        ),
        ({}, {}, []),
    ],
)
def test_the_newest_intact_checkpoint_replaces_a_damaged_one(tmp_path, before, after, said):
    write(tmp_path / "run", before)
    lines = []
    assert repair_run(tmp_path / "run", lines.append) == bool(after)
    assert read(tmp_path / "run") == after
    assert len(lines) == len(said)
    assert all(any(each in line for line in lines) for each in said), lines
    aside = {path.name.removesuffix(".pt.unreadable") for path in (tmp_path / "run").glob("*.unreadable")}
    assert aside == {f"checkpoint_{name}" for name in before.keys() - after.keys()}


def test_a_file_that_can_not_be_read_now_is_not_damaged(tmp_path, monkeypatch):
    monkeypatch.undo()
    torch.save({"model": {}}, tmp_path / "checkpoint_last.pt")
    monkeypatch.setattr(torch, "load", Mock(side_effect=OSError(5, "Input/output error")))
    with pytest.raises(XalignError, match=r"checkpoint_last\.pt"):
        repair_run(tmp_path, print)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint_last.pt"]


def test_without_a_last_checkpoint_training_restarts(tmp_path):
    """Killed before the first checkpoint was copied: it is unknown whether it was the best one."""
    write(tmp_path / "run", {"1_4": 4})
    assert not repair_run(tmp_path / "run", print)


def test_a_model_without_training_is_kept_and_not_resumed(tmp_path):
    write(tmp_path / "run", {"best": 0, "last": None})
    assert not repair_run(tmp_path / "run", print)
    assert read(tmp_path / "run") == {"best": 0}


def test_a_checkpoint_with_wrong_checksums_is_damaged(tmp_path, monkeypatch):
    write(tmp_path / "run", {"1_4": 4, "1_8": 8, "1_9": 9, "last": 9})
    changed = {"checkpoint_last.pt", "checkpoint_1_9.pt"}
    monkeypatch.setattr(checkpoint, "is_intact", lambda path: path.name not in changed)
    lines = []
    assert repair_run(tmp_path / "run", lines.append)
    assert read(tmp_path / "run")["last"] == 8 and "checkpoint_1_8.pt, of update 8," in lines[0]


def test_a_readable_checkpoint_is_kept_if_no_intact_one_can_replace_it(tmp_path, monkeypatch):
    write(tmp_path / "run", {"last": 9})
    monkeypatch.setattr(checkpoint, "is_intact", lambda path: False)
    lines = []
    assert repair_run(tmp_path / "run", lines.append)
    assert read(tmp_path / "run") == {"last": 9} and "checksums" in lines[0]
