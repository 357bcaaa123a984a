import json
import subprocess

import pytest
from support.processes import program

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


def test_a_copy_of_the_sources_takes_its_commit_from_the_environment(source, tmp_path, monkeypatch):
    monkeypatch.setenv("XALIGN_COMMIT", "abc1234")
    copy = tmp_path / "kit" / "code.py"
    copy.parent.mkdir()
    copy.write_text("1\n")
    assert commit(copy) == "abc1234"
    assert commit(source) != "abc1234"  # git is more current


@pytest.fixture
def gpus(tmp_path, monkeypatch):
    """A stand-in for nvidia-smi: two GPUs, of which ``-i`` selects one; it fails for others."""
    answers = 'case "$3 $4" in " ") printf "First\\nSecond\\n";; "-i 0") echo First;; "-i 1") echo Second;;\n'
    program(tmp_path / "nvidia-smi", f'{answers}*) echo "No devices were found"; exit 6;; esac')
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
