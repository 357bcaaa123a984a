import os

import pytest

from xalign_fairseq import files
from xalign_fairseq.errors import XalignError


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(RuntimeError), files.atomic_folder(target) as folder:
        (folder / "a").write_text("half")
        raise RuntimeError
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


def test_the_exchange_is_one_step_here(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a").write_text("old")
    monkeypatch.setattr(files.os, "replace", None)  # the way round by a third name is not taken
    with files.atomic_folder(target, overwrite=True) as folder:
        (folder / "b").write_text("new")
    assert content(target) == {"b": "new"} and os.listdir(tmp_path) == ["out"]


def test_an_existing_folder_is_kept(tmp_path):
    (tmp_path / "a").write_text("mine")
    with pytest.raises(XalignError, match="--overwrite"), files.atomic_folder(tmp_path):
        pass
    with pytest.raises(XalignError, match="folder is a file"), files.atomic_folder(tmp_path / "a", overwrite=True):
        pass
    assert content(tmp_path) == {"a": "mine"}


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "deep/file"
    with files.atomic_write(target) as stream:
        stream.write("one\n")
    with pytest.raises(RuntimeError), files.atomic_write(target) as stream:
        stream.write("two\n")
        raise RuntimeError
    assert target.read_text() == "one\n" and os.listdir(target.parent) == ["file"]


def test_what_is_no_regular_file_stays_what_it_is(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with files.atomic_write(fifo) as stream:
        stream.write("one\n")
    assert os.read(reader, 10) == b"one\n" and fifo.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    os.close(reader)


def test_a_folder_in_the_place_of_the_file_is_found_before_the_work(tmp_path):
    with pytest.raises(XalignError, match="is a folder"), files.atomic_write(tmp_path):
        pytest.fail("the work began")


@pytest.mark.parametrize(
    ("raw", "what"),
    [(b"", "empty"), (b"a\r\n", "CRLF"), (b"ok\nna\xefve\n", "line 2"), (b"ok\n\xff", "0xff")],
)
def test_unfit_text_names_file_and_line(tmp_path, raw, what):
    (tmp_path / "text").write_bytes(raw)
    with pytest.raises(XalignError, match=what) as error:
        list(files.read_lines(tmp_path / "text"))
    assert "text" in str(error.value)


def test_lines_split_at_newlines_alone(tmp_path):
    (tmp_path / "text").write_text("a\u2028b\x0cc\n\nlast", encoding="utf-8")
    assert list(files.read_lines(tmp_path / "text")) == ["a\u2028b\x0cc", "", "last"]


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    (tmp_path / "notes").write_text("mine")
    for overwrite in (False, True):
        with (
            pytest.raises(XalignError, match="output folder is a file"),
            files.atomic_folder(tmp_path / "notes", overwrite),
        ):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes"] and (tmp_path / "notes").read_text() == "mine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist"),
        (b"{", "not JSON, or it is damaged"),
        (b"\xff", "damaged"),
        (b"[]", "expected: an object"),
    ],
)
def test_json_that_can_not_be_read(tmp_path, content, message):
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(XalignError, match=rf"[\s\S]*{message}") as error:
        files.read_json(tmp_path / "run.json")
    assert "run.json" in str(error.value)


def test_json_comes_back(tmp_path):
    files.write_json(tmp_path / "run.json", {"aer": 0.5, "name": "größer"})
    assert files.read_json(tmp_path / "run.json") == {"aer": 0.5, "name": "größer"}
    assert (tmp_path / "run.json").read_bytes() == '{\n "aer": 0.5,\n "name": "größer"\n}\n'.encode()


def test_what_is_not_json_leaves_the_old_file(tmp_path):
    files.write_json(tmp_path / "run.json", {"aer": 0.5})
    with pytest.raises(TypeError):
        files.write_json(tmp_path / "run.json", {"aer": 0.4, "else": object()})
    assert files.read_json(tmp_path / "run.json") == {"aer": 0.5} and len(list(tmp_path.iterdir())) == 1
