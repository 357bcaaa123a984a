import json
import os
import subprocess
from datetime import UTC, datetime

import pytest
from support.damage import damaged

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__
from xalign_fairseq.trainer import train_record
from xalign_fairseq.trainer.train_record import commit, machine


def test_sessions_are_in_order(tmp_path):
    with train_record.session(tmp_path, ["a:b", "--cpu", "--save-dir", "my run"]) as ended:
        [session] = json.loads((tmp_path / "training.json").read_text())["sessions"]
        assert session["ended"] is None and session["exit"] is None  # as a killed process leaves it
        ended.code = 1
    assert session["command"] == "fairseq-train a:b --cpu --save-dir 'my run'"
    assert session["versions"]["xalign_fairseq"] in (__version__, "") and "torch" in session["versions"]
    assert "CPU" in session["machine"]
    with pytest.raises(KeyboardInterrupt), train_record.session(tmp_path, ["a:b", "--cpu"]):
        raise KeyboardInterrupt
    found = json.loads((tmp_path / "training.json").read_text())
    assert [each["exit"] for each in found["sessions"]] == [1, None]
    assert all(each["begun"] <= each["ended"] for each in found["sessions"])
    data = found["sessions"][-1]["data"]
    assert [path.rpartition("/")[2] for path in data] == ["a", "b"] and data[0].startswith("/")


def begun(folder, *line):
    with train_record.session(folder, line) as ended:
        ended.code = 0
    (folder / "checkpoint_last.pt").touch()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (["a", "--seed", "2", "--lr", "1"], "seed 1, now 2"),
        (["a", "--seed=1", "--objectives", "mlm"], "objectives default, now mlm"),
        (["c", "--seed", "1"], "/a, now "),
        (["a", "--seed", "1", "--criterion", "weam"], "restore_file='FILE' with reset_optimizer to say where"),
    ],
)
def test_the_checkpoints_of_another_run_are_not_gone_on_from(tmp_path, other, told):
    train_record.require_same(tmp_path, other)
    begun(tmp_path, "a", "--seed", "1", "--lr", "1")
    with pytest.raises(XalignError, match="the checkpoints of another run") as caught:
        train_record.require_same(tmp_path, other)
    assert told in str(caught.value)
    train_record.require_same(tmp_path, [*other, "--restore-file", "x.pt"])
    (tmp_path / "checkpoint_last.pt").unlink()
    train_record.require_same(tmp_path, other)


def test_the_same_data_by_another_name_are_the_same_run(tmp_path, monkeypatch):
    for folder in ("work", "data", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to("data")
    monkeypatch.chdir(tmp_path / "work")
    begun(tmp_path, "../data", "--seed", "1")
    monkeypatch.chdir(tmp_path)
    for same in ("data", "./data/", "link", "work/../data:other"):
        train_record.require_same(tmp_path, [same, "--seed", "1"])
    with pytest.raises(XalignError, match="the checkpoints of another run"):
        train_record.require_same(tmp_path, ["other", "--seed", "1"])


def test_a_command_that_wrote_no_checkpoint_is_not_the_run(tmp_path):
    """For example a mistyped option, which failed before training: afterwards the correct run was refused."""
    begun(tmp_path, "a", "--seed", "1")
    past = (tmp_path / train_record.NAME).stat().st_mtime - 5
    os.utime(tmp_path / "checkpoint_last.pt", (past, past))
    record = json.loads((tmp_path / train_record.NAME).read_text())
    record["sessions"][0]["begun"] = datetime.fromtimestamp(past - 5, UTC).isoformat(timespec="seconds")
    (tmp_path / train_record.NAME).write_text(json.dumps(record))
    with train_record.session(tmp_path, ["b", "--seed", "2", "--reset-dataloadr"]) as ended:
        ended.code = 2
    train_record.require_same(tmp_path, ["a", "--seed", "1"])
    with pytest.raises(XalignError, match=r"(?s)seed 1, now 2.*/a, now .*/b"):
        train_record.require_same(tmp_path, ["b", "--seed", "2"])


def test_the_usual_seed_may_be_given_or_not(tmp_path):
    begun(tmp_path, "a")
    train_record.require_same(tmp_path, ["a", "--seed", "1"])
    with pytest.raises(XalignError, match="seed 1, now 2"):
        train_record.require_same(tmp_path, ["a", "--seed", "2"])


def test_the_same_run_goes_on_with_more_updates_and_more_data(tmp_path):
    begun(tmp_path, "a", "--seed", "1", "--max-update", "5")
    train_record.require_same(tmp_path, ["a:b", "--seed=1", "--max-update", "9", "--lr", "2"])


def test_a_record_of_another_form_is_named(tmp_path):
    begun(tmp_path, "a", "--seed", "1")
    path = tmp_path / train_record.NAME
    for content in damaged(json.loads(path.read_text())):
        path.write_text(json.dumps(content))
        try:
            train_record.require_same(tmp_path, ["a", "--seed", "1"])
        except XalignError as error:
            assert path.name in str(error) or "another run" in str(error)


@pytest.fixture
def source(tmp_path):
    """A file in a repository with one tagged commit."""
    file = tmp_path / "code.py"
    file.write_text("1\n")
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    tag = [*own, "tag", "-a", "-m", "one", "v1"]
    for command in (["init", "-q"], ["add", "code.py"], [*own, "commit", "-qm", "one"], tag):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return file


def test_commit_is_a_short_hash(source):
    git = ["git", "-C", source.parent, "rev-parse", "--short", "HEAD"]
    assert commit(source) == subprocess.run(git, capture_output=True, text=True).stdout.strip()


def test_uncommitted_sources_are_reported(source):
    clean = commit(source)
    source.write_text("2\n")
    assert commit(source) == f"{clean}-dirty"


def test_a_foreign_checkout_is_not_the_files_own(source, tmp_path):
    installed = tmp_path / "site-packages" / "code.py"
    installed.parent.mkdir()
    installed.write_text("1\n")
    assert commit(installed) is None


def test_no_commit_without_git(source, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert commit(source) is None


def test_a_copy_of_the_sources_is_told_its_commit(source, tmp_path, monkeypatch):
    monkeypatch.setenv("XALIGN_COMMIT", "abc1234")
    copy = tmp_path / "kit" / "code.py"
    copy.parent.mkdir()
    copy.write_text("1\n")
    assert commit(copy) == "abc1234"
    assert commit(source) != "abc1234"  # git is more current


@pytest.fixture
def gpus(tmp_path, monkeypatch):
    """A stand-in for nvidia-smi: two GPUs, of which ``-i`` selects one; it fails for others."""
    program = tmp_path / "nvidia-smi"
    program.write_text(
        '#!/bin/sh\ncase "$3 $4" in " ") printf "First\\nSecond\\n";; "-i 0") echo First;; "-i 1") echo Second;;\n'
        '*) echo "No devices were found"; exit 6;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_machine_is_the_gpu_in_use(gpus, monkeypatch):
    assert machine() == "First"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    assert machine() == "Second"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-7")
    assert machine() == "First"


def test_machine_without_a_gpu_is_the_cpu(gpus, monkeypatch):
    assert machine(cpu=True).endswith(" CPU")
    for hidden in ("", "-1"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        assert machine().endswith(" CPU")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setenv("PATH", "/nothing")
    assert machine().endswith(" CPU")
