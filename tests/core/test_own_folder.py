"""A folder of a command that goes on: its own, whatever a kill left in it, and nobody else's."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.own_folder import begun_folder, require_own_folder

OTHERS = ("thesis", ".begun.json.12-abc.tmp", ".thesis.12-0123456789ab.tmp", "begun.json.part")
OWN = ("begun.json.lock", ".lock", ".begun.json.12-0123456789ab.tmp", "part", ".part.7-0123456789ab.tmp")


@pytest.mark.parametrize("name", OWN)
def test_what_a_kill_leaves_before_the_note_is_its_own(tmp_path, name):
    (tmp_path / name).touch()
    require_own_folder(tmp_path, "begun.json", "a run", parts=("part",))


@pytest.mark.parametrize("name", OTHERS)
def test_what_else_is_there_is_refused_and_left(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(XalignError, match="other files than a run"):
        require_own_folder(tmp_path, "begun.json", "a run", parts=("part",))
    with pytest.raises(XalignError, match="other files than a run"):
        require_own_folder(tmp_path / name, "begun.json", "a run")
    assert [each.name for each in tmp_path.iterdir()] == [name]
    (tmp_path / "begun.json").touch()
    require_own_folder(tmp_path, "begun.json", "a run")


def test_a_folder_goes_on_only_as_what_it_was_begun(tmp_path):
    folder = tmp_path / "a/b"
    for _ in range(2):
        with begun_folder(folder, "begun.json", {"text": "1"}, "a run"):
            assert read_json(folder / "begun.json") == {"text": "1"}
            with pytest.raises(XalignError, match="another process"), begun_folder(folder, "begun.json", {}, "a run"):
                pass
    with (
        pytest.raises(XalignError, match=r"belongs to another run[\s\S]*found: text \"1\"\n"),
        begun_folder(folder, "begun.json", {}, "a run"),
    ):
        pass
    assert [each.name for each in folder.iterdir()] == ["begun.json"]


def test_what_a_killed_process_was_writing_goes(tmp_path):
    (tmp_path / ".begun.json.999999999-0123456789ab.tmp").touch()
    with begun_folder(tmp_path, "begun.json", {}, "a run"):
        assert sorted(each.name for each in tmp_path.iterdir()) == ["begun.json", "begun.json.lock"]
