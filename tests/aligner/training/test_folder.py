import pytest

from xalign_fairseq.aligner.training.folder import RunFolder
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.locks import alone


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.mark.parametrize("trained", [False, True])
def test_a_run_goes_on_only_as_itself(folder, trained):
    assert folder.begun({"seed": 1}) is None
    folder.path.mkdir()
    write_json(folder.run, {"identity": {"seed": 1, "lr": 0.1}, "before": 0.5})
    assert folder.begun({"lr": 0.1, "seed": 1})["before"] == 0.5
    if trained:
        folder.last.touch()
    message = r"of another run[\s\S]*found: lr 0\.1; seed 1[\s\S]*expected: lr null; seed 2"
    with pytest.raises(XalignError, match=message) as error:
        folder.begun({"seed": 2})
    assert ("nothing is trained yet" in str(error.value)) != trained


def test_a_folder_of_something_else_is_refused_and_one_that_a_kill_left_is_not(folder):
    for name in ("data-bin", "data-bin.lock", ".data-bin.7-0123456789ab.tmp", ".run.json.7-0123456789ab.tmp"):
        (folder.path / name).mkdir(parents=True)
    with alone(folder.path):
        folder.require_own()
    (folder.path / "notes.txt").touch()
    with pytest.raises(XalignError, match="other files than a run of train-aligner"):
        folder.require_own()


@pytest.mark.parametrize(("kept", "result"), [(("best", "last"), "best"), (("last",), "last")])
def test_what_is_left_at_the_end(folder, kept, result):
    folder.path.mkdir()
    for name in ("1_4.pt", "1_8.pt.tmp", *(f"{name}.pt" for name in kept)):
        (folder.path / f"checkpoint_{name}").touch()
    assert folder.tidy() == folder.path / f"checkpoint_{result}.pt"
    assert {path.name for path in folder.path.iterdir()} == {f"checkpoint_{name}.pt" for name in kept}
