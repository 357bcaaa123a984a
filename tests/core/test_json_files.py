import os

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import parse_json, read_json, write_changed_json, write_json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist"),
        (b"{", "not JSON, or it is damaged"),
        (b'{"a": ' + b"[" * 100_000, "damaged"),
        (b'{"a": ' + b"9" * 5000 + b"}", "damaged"),
        (b"\xff", "damaged"),
        (b"[]", "Expected `object`, got `array`"),
    ],
)
def test_json_that_can_not_be_read(tmp_path, content, message):
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(XalignError, match=rf"[\s\S]*{message}") as error:
        read_json(tmp_path / "run.json")
    assert "run.json" in str(error.value)


def test_a_file_s_name_that_is_not_utf8_comes_back(tmp_path):
    name = os.fsdecode(b"b\xffd.en")
    write_json(tmp_path / "manifest.json", {"größe": name})
    assert read_json(tmp_path / "manifest.json") == {"größe": name}
    assert os.fsencode(read_json(tmp_path / "manifest.json")["größe"]) == b"b\xffd.en"


def test_an_equal_file_keeps_its_modification_time(tmp_path):
    path = tmp_path / "file.json"
    write_changed_json(path, {"a": 1})
    first = path.stat()
    write_changed_json(path, {"a": 1})
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    write_changed_json(path, {"a": 2})
    assert read_json(path) == {"a": 2}
    path.write_text("{")
    write_changed_json(path, {"a": 2})
    assert read_json(path) == {"a": 2}


@pytest.mark.parametrize("content", [b'{"a": "\\ud83d"}', '{"a": "\\uDE00 x"}', '{"\\ud83d": 1}'])
def test_half_surrogates_are_refused_unless_the_caller_allows_them(content):
    with pytest.raises(XalignError, match=r"not JSON, or it is damaged\n  where: here"):
        parse_json(content, "here")
    assert len(parse_json(content, "here", whole_characters=False)) == 1
    assert parse_json(b'["\\ud83d\\ude00"]', "here") == ["\U0001f600"]
