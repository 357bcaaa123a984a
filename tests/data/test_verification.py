"""Damage of every kind is found in a data-bin before anything is made of it."""

import json

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import verification
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.verification import changed_files, require_unchanged

CONTENT = {"dict.txt": b"a 1\nb 1\n", "train.en-de.en.bin": bytes(64), "train.en-de.en.idx": bytes(32)}


@pytest.fixture
def folder(tmp_path):
    for name, content in CONTENT.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "manifest.json").write_text(json.dumps({"files": hashes(tmp_path)}))
    return tmp_path


def flip(path):
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def test_what_was_prepared_is_unchanged_also_beside_other_files(folder):
    (folder / "lexicon.en-de.json").write_text("{}")
    assert changed_files(DataBin(folder)) == []
    require_unchanged(DataBin(folder), whole=True)


@pytest.mark.parametrize("name", CONTENT)
def test_a_single_bit_is_found(folder, name):
    flip(folder / name)
    assert changed_files(DataBin(folder)) == [f"{name} has another content"]
    with pytest.raises(XalignError, match=rf"not those that were prepared[\s\S]*{folder}[\s\S]*{name}"):
        require_unchanged(DataBin(folder), whole=True)


def test_without_a_look_at_all_bytes_sizes_and_small_files_are_compared(folder, monkeypatch):
    monkeypatch.setattr(verification, "SMALL", 16)
    flip(folder / "train.en-de.en.bin")
    require_unchanged(DataBin(folder))
    flip(folder / "dict.txt")
    (folder / "train.en-de.en.idx").write_bytes(bytes(31))
    assert changed_files(DataBin(folder), whole=False) == [
        "dict.txt has another content",
        "train.en-de.en.idx has 31 bytes rather than 32",
    ]
    (folder / "train.en-de.en.idx").unlink()
    assert changed_files(DataBin(folder), whole=False)[1] == "train.en-de.en.idx is missing"


def test_many_changes_are_counted(folder):
    files = {f"{number}": {"bytes": 1, "sha256": "x"} for number in range(7)}
    (folder / "manifest.json").write_text(json.dumps({"files": files}))
    with pytest.raises(XalignError, match="4 is missing; 2 more"):
        require_unchanged(DataBin(folder))


def test_a_folder_of_fairseq_preprocess_has_nothing_to_compare(folder):
    (folder / "manifest.json").unlink()
    flip(folder / "dict.txt")
    assert changed_files(DataBin(folder)) == []
    require_unchanged(DataBin(folder))
    with pytest.raises(XalignError, match=rf"no manifest to verify its files by\n  where: {folder}[\s\S]*verify_data"):
        require_unchanged(DataBin(folder), whole=True)


@pytest.mark.parametrize(
    "files",
    [7, ["dict.txt"], {"dict.txt": 7}, {"dict.txt": {"bytes": 8}}, {"../dict.txt": {"bytes": 8, "sha256": "x"}}],
)
def test_a_damaged_manifest_is_named(folder, files):
    (folder / "manifest.json").write_text(json.dumps({"files": files}))
    with pytest.raises(XalignError, match=r"(is damaged|not of the expected form)\n  where: .*manifest.json"):
        changed_files(DataBin(folder))
