import pytest
import torch

from xalign_fairseq.aligner.training.folder import RunFolder, read_json, updates_of, write_json
from xalign_fairseq.errors import XalignError


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


def checkpoint(folder, name, updates, keep=None):
    """A checkpoint after so many updates, of which the first bytes alone are kept."""
    folder.path.mkdir(exist_ok=True)
    path = folder.path / f"checkpoint_{name}.pt"
    torch.save({"model": {}, "optimizer_history": [{"num_updates": updates}]}, path)
    path.write_bytes(path.read_bytes()[:keep])


def updates(folder):
    return {path.stem.removeprefix("checkpoint_"): updates_of(path) for path in folder.path.glob("checkpoint_*.pt")}


def test_a_run_goes_on_only_as_itself(folder):
    assert folder.begun({"seed": 1}) is None
    folder.path.mkdir()
    write_json(folder.run, {"identity": {"seed": 1, "lr": 0.1}, "before": 0.5})
    assert folder.begun({"lr": 0.1, "seed": 1})["before"] == 0.5
    with pytest.raises(
        XalignError, match=r"of another run[\s\S]*found: lr 0\.1; seed 1[\s\S]*expected: lr null; seed 2"
    ):
        folder.begun({"seed": 2})


def test_a_folder_of_something_else_is_refused(folder):
    folder.require_own()
    (folder.path / "data-bin").mkdir(parents=True)
    with folder.alone():
        pass
    folder.require_own()  # broken off before there was a run.json
    (folder.path / "notes.txt").touch()
    with pytest.raises(XalignError, match="something else"):
        folder.require_own()
    write_json(folder.run, {})
    folder.require_own()
    with pytest.raises(XalignError, match="something else"):
        RunFolder(folder.path / "notes.txt").require_own()


def test_two_processes_do_not_make_one_run(folder):
    with folder.alone(), pytest.raises(XalignError, match="another process"), folder.alone():
        pass
    with folder.alone():
        pass


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"1_8": 8, "best": 4, "last": 8}, {"1_8": 8, "best": 4, "last": 8}),
        ({"1_8": 8, "best": 4, "last": None}, {"1_8": 8, "best": 4, "last": 8}),
        ({"1_4": 4, "1_8": 8, "best": None, "last": 4}, {"1_4": 4, "1_8": 8, "best": 8, "last": 4}),
        ({"1_4": 4, "best": 8, "last": None}, {"1_4": 4, "best": 8, "last": 8}),  # at the end of an epoch
        ({"1_8": None, "last": 4}, {"last": 4}),
        ({"best": None, "last": None}, {}),
        ({}, {}),
    ],
)
def test_half_copies_are_made_again(folder, before, after):
    folder.path.mkdir()
    for name, number in before.items():
        checkpoint(folder, name, number or 0, keep=None if number else 300)
    assert folder.mend() == bool(after)
    assert updates(folder) == after


@pytest.mark.parametrize(("kept", "result"), [(("best", "last"), "best"), (("last",), "last")])
def test_what_is_left_at_the_end(folder, kept, result):
    for name in ("1_4", *kept):
        checkpoint(folder, name, 4)
    (folder.path / "checkpoint_1_8.pt.tmp").touch()
    assert folder.tidy() == folder.path / f"checkpoint_{result}.pt"
    assert set(updates(folder)) == set(kept)
    assert not list(folder.path.glob("*.tmp"))


def test_json_comes_back(folder):
    write_json(folder.result, {"aer": 0.5, "name": "größer"})
    assert read_json(folder.result) == {"aer": 0.5, "name": "größer"}
