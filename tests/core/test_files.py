import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from xalign_fairseq.core import files
from xalign_fairseq.core.errors import XalignError

PACKAGE = Path(files.__file__).parents[1]


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_appears_complete_or_not_at_all(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt), files.atomic_folder(target) as folder:
        (folder / "a").write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with files.atomic_folder(target) as folder:
        (folder / "a").write_text("whole")
        assert not target.exists()
    assert content(target) == {"a": "whole"}


@pytest.mark.parametrize("in_one_step", [True, False])
def test_overwriting_keeps_the_old_folder_until_the_new_one_is_whole(tmp_path, monkeypatch, in_one_step):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a").write_text("old")
    if not in_one_step:
        monkeypatch.setattr(files.ctypes, "CDLL", lambda name: object())
    with pytest.raises(RuntimeError), files.atomic_folder(target, overwrite=True) as folder:
        (folder / "a").write_text("half")
        raise RuntimeError
    assert content(target) == {"a": "old"}
    with files.atomic_folder(target, overwrite=True) as folder:
        (folder / "b").write_text("new")
    assert content(target) == {"b": "new"} and os.listdir(tmp_path) == ["out"]


def test_a_file_appears_complete_or_not_at_all(tmp_path):
    target = tmp_path / "deep/file"
    with files.atomic_write(target) as stream:
        stream.write("one\n")
    with pytest.raises(RuntimeError), files.atomic_write(target) as stream:
        stream.write("two\n")
        raise RuntimeError
    assert target.read_text() == "one\n" and os.listdir(target.parent) == ["file"]


def test_special_files_are_not_replaced(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with files.atomic_write(fifo) as stream:
        stream.write("one\n")
    assert os.read(reader, 10) == b"one\n" and fifo.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    os.close(reader)


@pytest.mark.parametrize("mode", ["w", "wb"])
def test_an_open_file_is_appended_to(tmp_path, mode):
    """The shell's ``--out /dev/stdout >> all.links``: no file replaces the device."""
    path = tmp_path / "all.links"
    path.write_text("before\n")
    with open(path, "ab") as opened:
        for _ in range(2):
            with files.atomic_write(f"/dev/fd/{opened.fileno()}", mode) as stream:
                stream.write(b"more\n" if "b" in mode else "more\n")
        opened.write(b"after\n")
    assert path.read_text() == "before\nmore\nmore\nafter\n" and os.listdir(tmp_path) == ["all.links"]


def test_an_output_that_is_not_a_file_or_is_an_input_is_refused(tmp_path, monkeypatch):
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (tmp_path / "text").write_text("a\n")
    (tmp_path / "link").symlink_to("model/config.json")
    for free in ("new", "model/new", "a/b/c", "text"):
        files.require_place(tmp_path / free, [model, "-", tmp_path / "gone"])
    files.require_place(tmp_path / "packed.gz", binary=True)
    refused = {"model": "is a folder", "text/a/b": "folder is a file", "new.links.gz": r"(?s)compressed.*/new.links, "}
    refused["a.xlsx"] = "an office document"
    refused |= dict.fromkeys(("model/config.json", "link", "text"), "also an input")
    for taken, message in refused.items():
        with pytest.raises(XalignError, match=message):
            files.require_place(tmp_path / taken, [model, tmp_path / "text"])
    for check, standard in ((files.require_place, "-.en"), (lambda path: files.atomic_folder(path).__enter__(), "-")):
        with pytest.raises(XalignError, match="not standard output"):
            check(standard)
    monkeypatch.setattr(files.os, "access", lambda place, mode: Path(place).is_dir())  # root may write
    for taken, message in (("text/a", "folder is a file"), ("text", "a read-only file")):
        with pytest.raises(XalignError, match=message), files.atomic_write(tmp_path / taken):
            pytest.fail("the work began")


@pytest.mark.parametrize("write", [files.atomic_write, files.atomic_folder])
def test_a_folder_without_permission_is_named_before_the_work(tmp_path, monkeypatch, write):
    monkeypatch.setattr(files.os, "access", lambda folder, mode: False)  # as for another user; root may do everything
    with pytest.raises(XalignError, match=f"(?s)no permission.*found: {tmp_path}"), write(tmp_path / "new/out"):
        raise AssertionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        with files.atomic_write(tmp_path / "text") as stream:
            stream.write("x")
        with files.atomic_folder(tmp_path / "folder"):
            pass
        (tmp_path / "library's").touch(0o600)
        files.usual_mode(tmp_path / "library's")
    finally:
        os.umask(before)
    assert [os.stat(tmp_path / name).st_mode & 0o777 for name in ("text", "library's")] == [mode, mode]
    assert os.stat(tmp_path / "folder").st_mode & 0o777 == 0o777 & ~umask
    assert sorted(os.listdir(tmp_path)) == ["folder", "library's", "text"]
    (tmp_path / "text").chmod(0o640)
    files.atomic_copy(tmp_path / "library's", tmp_path / "text")
    assert os.stat(tmp_path / "text").st_mode & 0o777 == 0o640


def test_links_stay_links(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/text").write_text("old")
    (tmp_path / "text").symlink_to("disk/text")
    (tmp_path / "out").symlink_to("disk/out")
    (tmp_path / "disk/out").mkdir()
    with files.atomic_write(tmp_path / "text") as stream:
        stream.write("new")
    with files.atomic_folder(tmp_path / "out") as folder:
        (folder / "a").write_text("whole")
    assert (tmp_path / "text").is_symlink() and (tmp_path / "disk/text").read_text() == "new"
    assert (tmp_path / "out").is_symlink() and content(tmp_path / "disk/out") == {"a": "whole"}


@pytest.mark.parametrize("name", [".", ".."])
def test_the_current_folder_is_refused_before_the_work(tmp_path, monkeypatch, name):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(XalignError, match="current folder can't be replaced"), files.atomic_folder(name, True):
        pytest.fail("the work began")
    assert os.listdir(tmp_path) == ["here"]


def test_outputs_of_another_process_are_kept(tmp_path):
    with pytest.raises(XalignError, match="already exists"), files.atomic_folder(tmp_path / "out") as folder:
        (folder / "a").write_text("mine")
        (tmp_path / "out").mkdir()
        (tmp_path / "out/a").write_text("theirs")
    assert content(tmp_path / "out") == {"a": "theirs"} and os.listdir(tmp_path) == ["out"]


KILLED = """
import os, sys
from xalign_fairseq.core.files import atomic_folder, atomic_write, scratch_folder

out, text, more = (sys.argv[1] + name for name in ("/out", "/text", "/more"))
with atomic_write(text) as stream, atomic_folder(out) as folder, scratch_folder(more) as scratch:
    (folder / "a").write_text("half")
    (scratch / "b").write_text("half")
    {end}
"""


def test_leftovers_of_killed_processes_go_with_the_next_output(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED.format(end="os.kill(os.getpid(), 9)"), tmp_path], check=False)
    assert len(os.listdir(tmp_path)) == 3
    (tmp_path / ".out.more.1-0123456789ab.tmp").touch()  # another output's
    text, out = files.atomic_write(tmp_path / "text"), files.atomic_folder(tmp_path / "out")
    with text, out, files.scratch_folder(tmp_path / "more") as scratch:
        assert scratch.is_dir() and not any(scratch.iterdir())
    assert sorted(os.listdir(tmp_path)) == [".out.more.1-0123456789ab.tmp", "out", "text"]


def test_unfinished_outputs_of_another_process_are_kept(tmp_path):
    command = [sys.executable, "-c", KILLED.format(end="print(flush=True), input()"), tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        there = sorted(os.listdir(tmp_path))
        files._remove_leftovers(tmp_path / "text")
        files._remove_leftovers(tmp_path / "out")
        files._remove_leftovers(tmp_path / "more")
        assert sorted(os.listdir(tmp_path)) == there and len(there) == 3
        other.communicate(b"\n")
    assert sorted(os.listdir(tmp_path)) == ["out", "text"] and content(tmp_path / "out") == {"a": "half"}


def test_a_folder_that_is_kept_is_found_again_and_held_by_one(tmp_path):
    with pytest.raises(KeyError), files.atomic_folder(tmp_path / "d", keep=True) as folder:
        (folder / "a").write_text("1")
        raise KeyError
    assert not (tmp_path / "d").exists()
    with files.atomic_folder(tmp_path / "d", keep=True) as again:
        assert again == folder and (again / "a").read_text() == "1"
        with pytest.raises(XalignError, match="another process"), files.atomic_folder(tmp_path / "d", keep=True):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
    assert (tmp_path / "d/a").read_text() == "1"


@pytest.mark.parametrize("keep", [False, True])
def test_a_folder_that_another_process_fills_is_not_touched(tmp_path, keep):
    with files.atomic_folder(tmp_path / "d", overwrite=True) as first:
        with (
            pytest.raises(XalignError, match="another process writes this output"),
            files.atomic_folder(tmp_path / "d", overwrite=True, keep=keep),
        ):
            pass
        (first / "file").touch()
    with files.atomic_folder(tmp_path / "d", overwrite=True):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["d"]


def test_an_unfinished_folder_that_is_a_link_or_another_users_is_not_touched(tmp_path, monkeypatch):
    """It neither writes to nor removes other people's files there."""
    (tmp_path / "others").mkdir()
    (tmp_path / "others/file").write_text("theirs")
    (tmp_path / ".out.unfinished").symlink_to(tmp_path / "others")
    with pytest.raises(XalignError, match=r"belongs to another user[\s\S]*a symbolic link"):
        files.atomic_folder(tmp_path / "out", keep=True).__enter__()
    assert content(tmp_path / "others") == {"file": "theirs"}
    (tmp_path / ".out.unfinished").unlink()
    (tmp_path / ".out.unfinished").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(XalignError, match=r"belongs to another user[\s\S]*a file of user"):
        files.atomic_folder(tmp_path / "out", keep=True).__enter__()


# Functions that write files without atomic_write and atomic_folder, and why they cannot follow someone else's link.
WRITERS = {
    "in a folder of atomic_folder, scratch_folder or tempfile": {
        "aligner/tools.py:Tool.run",
        "encoder/pretrained/exporting.py:fill",
        "encoder/pretrained/saving.py:_fill_archive",
        "languages/files.py:_write_bitext",
        "links/counting.py:_folder",
        "links/counting.py:_sums",
        "languages/files.py:_write_lines",
        "languages/sample/bitext.py:_write_pair.opened",
        "transport/sinkhorn/building.py:built",
    },
    "a log or a mark within the folder of a run": {"core/process.py:run_logged", "transfer/scheduler.py:_start"},
    "the null device": {"cli/__init__.py:main"},
    "as a new file, or without following links": {
        "core/files.py:new_file",
        "core/locks.py:_locked",
        "core/output.py:Output._open_part",
        "transport/sinkhorn/building.py:_locked",
    },
}
WRITING = {"write_text", "write_bytes", "touch", "mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile"}


def writers(path):
    """The functions of a module that open a file for writing, or make a temporary file or folder, by name."""

    def look(node, name):
        for child in ast.iter_child_nodes(node):
            inner = [*name, child.name] if isinstance(child, ast.FunctionDef | ast.ClassDef) else name
            if isinstance(child, ast.Call) and writes(child):
                yield f"{path.relative_to(PACKAGE).as_posix()}:{'.'.join(inner)}"
            yield from look(child, inner)

    return set(look(ast.parse(path.read_text(encoding="utf-8")), []))


def writes(call):
    name = ast.unparse(call.func)
    if name == "os.open":
        return "O_CREAT" in ast.unparse(call) or "O_RDWR" in ast.unparse(call) or "O_WRONLY" in ast.unparse(call)
    if name.rpartition(".")[2] in ("open", "fdopen"):
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return any(set(mode) <= set("rwabxt+") and set(mode) & set("wax+") for mode in modes)
    return name.rpartition(".")[2] in WRITING


def test_every_place_that_writes_is_known():
    """New ones must use atomic_write, atomic_folder or new_file, or be listed above with a reason."""
    found = set().union(*map(writers, PACKAGE.rglob("*.py")))
    assert found - {"core/files.py:atomic_write"} == set().union(*WRITERS.values())


def test_an_existing_folder_is_kept(tmp_path):
    (tmp_path / "a").write_text("mine")
    with pytest.raises(XalignError, match="or set overwrite"), files.atomic_folder(tmp_path):
        pass
    with pytest.raises(XalignError, match="folder is a file"), files.atomic_folder(tmp_path / "a", overwrite=True):
        pass
    assert content(tmp_path) == {"a": "mine"}


def test_similar_names_are_suggested(tmp_path):
    for name in ("test.en", "test.de", "runs/first/checkpoint_best.pt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert files.nearly(tmp_path / "test.ne") == f"only similar names: {tmp_path}/test.en, {tmp_path}/test.de"
    assert files.nearly(tmp_path / "rnus/first/checkpoint_best.pt") == f"only similar names: {tmp_path}/runs"
    assert files.nearly(tmp_path / "runs/first/checkpoint_bset.pt").endswith("/runs/first/checkpoint_best.pt")
    assert files.nearly(tmp_path / "quite_another") is None and files.nearly(tmp_path / "test.en/x") is None
