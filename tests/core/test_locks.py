"""Two processes never write one output. A lock belongs to an open file, so one process can simulate several here."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from xalign_fairseq.core import locks
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import (
    differing_values,
    locked_folder,
    locked_output,
    require_own_folder,
    resumable_folder,
)


def test_one_process_at_a_time_has_the_folder(tmp_path):
    folder = tmp_path / "new/run"
    refused = pytest.raises(XalignError, match=rf"another process is writing this[\s\S]*{folder}")
    with locked_folder(folder), refused, locked_folder(folder):
        pass
    with locked_folder(folder):  # the first block released the lock
        pass


@pytest.mark.parametrize("folder", ["text", "text/run"])
def test_a_file_in_the_place_of_the_folder_is_named_and_kept(folder, tmp_path):
    (tmp_path / "text").write_text("mine")
    with pytest.raises(XalignError, match=rf"(?s)a file is where a folder is needed.*{tmp_path}/text"):
        locked_folder(tmp_path / folder).__enter__()
    assert (tmp_path / "text").read_text() == "mine"


def test_a_folder_that_can_not_be_written_is_an_error():
    with pytest.raises(XalignError, match="/proc/run"):
        locked_folder(Path("/proc/run")).__enter__()
    with pytest.raises(XalignError, match=r"/proc/\.lock"):
        locked_folder(Path("/proc")).__enter__()


def test_a_child_holds_the_lock_as_long_as_it_runs(tmp_path):
    with locked_folder(tmp_path) as lock:
        child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock])
    with pytest.raises(XalignError, match="another process"), locked_folder(tmp_path):
        pass
    child.communicate(b"\n")
    with locked_folder(tmp_path):
        pass


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(XalignError, match=r"has no locks[\s\S]*No locks available"), locked_folder(tmp_path):
        pass


def test_one_process_at_a_time_makes_a_file_and_no_lock_is_left(tmp_path):
    refused = pytest.raises(XalignError, match=rf"another process is writing this[\s\S]*{tmp_path}/links")
    with locked_output(tmp_path / "links"), refused, locked_output(tmp_path / "links"):
        pass
    assert list(tmp_path.iterdir()) == []
    with locked_output(tmp_path / "links"):
        pass


def test_a_removed_lock_does_not_let_two_in(tmp_path, monkeypatch):
    """A process that opened the lock file before its holder removed it would hold an invisible lock."""
    flock, calls = fcntl.flock, []

    def after_it_went(stream, how):
        calls.append(how)
        if len(calls) == 1:
            (tmp_path / "links.lock").unlink()
        flock(stream, how)

    monkeypatch.setattr(fcntl, "flock", after_it_went)
    with locked_output(tmp_path / "links"):
        assert len(calls) == 2 and (tmp_path / "links.lock").exists()
        with pytest.raises(XalignError, match="another process"), locked_output(tmp_path / "links"):
            pass


def test_a_lock_may_disappear_between_two_checks(tmp_path, monkeypatch):
    stat, calls = os.stat, []

    def gone_at_the_second(path, **options):
        calls.extend([path] if str(path).endswith(".lock") else [])
        if len(calls) == 2:
            raise FileNotFoundError(path)
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", gone_at_the_second)
    with locked_output(tmp_path / "links"):
        assert calls


OTHERS = ("thesis", ".begun.json.12-abc.tmp", ".thesis.12-0123456789ab.tmp", "begun.json.part")
OWN = ("begun.json.lock", ".lock", ".begun.json.12-0123456789ab.tmp", "part", ".part.7-0123456789ab.tmp")


@pytest.mark.parametrize("name", OWN)
def test_files_of_a_kill_before_the_note_belong_to_the_output(tmp_path, name):
    (tmp_path / name).touch()
    require_own_folder(tmp_path, "begun.json", "a run", parts=("part",))


@pytest.mark.parametrize("name", OTHERS)
def test_foreign_files_are_refused_and_kept(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(XalignError, match="not from a run"):
        require_own_folder(tmp_path, "begun.json", "a run", parts=("part",))
    with pytest.raises(XalignError, match="not from a run"):
        require_own_folder(tmp_path / name, "begun.json", "a run")
    assert [each.name for each in tmp_path.iterdir()] == [name]
    (tmp_path / "begun.json").touch()
    require_own_folder(tmp_path, "begun.json", "a run")


@pytest.mark.parametrize("names", ["thesis", "part", "note part run/checkpoint_last.pt"])
def test_only_an_output_of_the_same_command_is_replaced(tmp_path, names):
    locks.require_no_loss(tmp_path, True, "note", "part")
    for name in names.split():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(XalignError, match=f"(?s)of other origin.*found: {names.split()[-1]}"):
        locks.require_no_loss(tmp_path, True, "note", "part")


def test_a_folder_resumes_only_with_its_own_command(tmp_path):
    folder = tmp_path / "a/b"
    for _ in range(2):
        with resumable_folder(folder, "begun.json", {"text": "1"}, "a run"):
            assert read_json(folder / "begun.json") == {"text": "1"}
            with (
                pytest.raises(XalignError, match="another process"),
                resumable_folder(folder, "begun.json", {}, "a run"),
            ):
                pass
    with (
        pytest.raises(XalignError, match=r"belongs to another run[\s\S]*run in: text: \"1\", now null\n"),
        resumable_folder(folder, "begun.json", {}, "a run"),
    ):
        pass
    assert [each.name for each in folder.iterdir()] == ["begun.json"]


def test_differing_values_show_no_digests():
    earlier = {"files": {"src": "0123456789abcdef#1", "tgt": "a"}, "seed": 1, "place": "a"}
    now = {"files": {"src": "f" * 16, "tgt": "a"}, "seed": 3, "place": "b"}
    assert differing_values(earlier, now, but=["place"]) == "files (src); seed: 1, now 3"


def test_temporary_files_of_a_killed_process_are_removed(tmp_path):
    (tmp_path / ".begun.json.999999999-0123456789ab.tmp").touch()
    with resumable_folder(tmp_path, "begun.json", {}, "a run"):
        assert sorted(each.name for each in tmp_path.iterdir()) == ["begun.json", "begun.json.lock"]
