import json
from pathlib import Path

import pytest
from support.text import write

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import shards
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.shards import Shards, changed_files, require_unchanged
from xalign_fairseq.data.tokenizers.dictionary import Dictionary


def write_manifest(folder: Path) -> None:
    digest = Dictionary.load(folder / "dict.txt").digest
    (folder / "manifest.json").write_text(json.dumps({"tokenizer": {"digest": digest}, "files": hashes(folder)}))


@pytest.fixture
def folders(tmp_path):
    """Four data-bins of one sentence pair."""
    made = [tmp_path / f"bin.{i}" for i in range(4)]
    for folder in made:
        folder.mkdir()
        (folder / "dict.txt").write_text("a 1\nb 1\nc 1\n")
        for lang in ("en", "fr"):
            write(folder / f"train.en-fr.{lang}", [[4, 5, 2]])
        write_manifest(folder)
    return made


def test_each_epoch_reads_the_next_folder(folders):
    shards = Shards(folders[:3])
    assert [shards.of_epoch(epoch).path for epoch in range(1, 6)] == [folders[i] for i in (0, 1, 2, 0, 1)]
    assert shards.texts == [([("train", "en", "fr")], [], set())] * 3


def test_later_folders_open_only_their_manifest_before_their_epoch(folders, monkeypatch):
    opened = []

    def noted(path, *args, own=open, **options):
        opened.append(path)
        return own(path, *args, **options)

    monkeypatch.setattr("builtins.open", noted)
    shards = Shards(folders)
    later = [Path(path) for path in opened if Path(path).parent != folders[0]]
    assert sorted(later) == [folder / "manifest.json" for folder in folders[1:]]
    opened.clear()
    shards.of_epoch(2)
    assert folders[1] / "dict.txt" in opened and folders[1] / "train.en-fr.en.bin" in opened


def test_errors_found_on_opening_a_later_folder(folders):
    path = folders[2] / "train.en-fr.en.bin"
    path.write_bytes(bytes(7))
    with pytest.raises(XalignError, match=rf"{folders[2]}[\s\S]*7 bytes rather than 6"):
        Shards(folders)
    path.unlink()
    with pytest.raises(XalignError, match=r"train.en-fr.en.bin is missing"):
        Shards(folders)
    (folders[2] / "manifest.json").unlink()  # as of an interrupted fairseq-preprocess
    with pytest.raises(XalignError, match=r"train.en-fr.en.bin"):
        Shards(folders)


def test_another_dictionary_is_found_by_the_manifest_and_other_counts_are_none(folders):
    (folders[3] / "dict.txt").write_text("a 7\nb 7\nc 7\n")
    write_manifest(folders[3])
    Shards(folders).of_epoch(4)
    (folders[3] / "dict.txt").write_text("a 1\nc 1\nb 1\n")
    write_manifest(folders[3])
    with pytest.raises(XalignError, match="different dictionaries"):
        Shards(folders)


def test_contents_are_compared_when_the_epoch_begins(folders):
    (folders[1] / "dict.txt").write_text("a 1\nc 1\nb 1\n")
    shards = Shards(folders)
    shards.of_epoch(1)
    with pytest.raises(XalignError, match=r"dict.txt has different content"):
        shards.of_epoch(2)
    (folders[0] / "dict.txt").write_text("a 1\nc 1\nb 1\n")  # the first folder is checked immediately
    with pytest.raises(XalignError, match=r"dict.txt has different content"):
        Shards(folders)


@pytest.mark.parametrize(
    ("stopped", "expected"), [(1, [0, 1, 2, 3, 0]), (2, [1, 2, 3, 0, 1]), (3, [0, 1, 2, 3, 0]), (4, [1, 2, 3, 0, 1])]
)
def test_added_folders_follow_the_old_ones(folders, stopped, expected):
    index = Shards(folders[:2]).index(stopped)
    shards = Shards(folders)
    shards.go_on(stopped, index, [])
    assert [shards.index(stopped + later) for later in range(5)] == expected
    shards.go_on(7, 1, [])  # an epoch before the resumed one starts again
    assert [shards.index(epoch) for epoch in (1, 2, 7, 8)] == [0, 1, 1, 2]


def test_how_often_each_folder_was_read_is_counted_over_stops_and_added_folders(folders):
    """Read epochs one by one, in runs that know only the place they resume from."""
    read, shards, place = [0] * 4, Shards(folders[:2]), None
    for epoch in range(1, 30):
        if epoch in (4, 11, 12, 20):
            shards = Shards(folders[: 2 if epoch == 4 else 3 if epoch < 20 else 4])
            shards.go_on(**place)
        assert shards.visits(epoch) == read[: len(shards.folders)]
        index = shards.index(epoch)
        assert shards.visit(epoch) == read[index]
        read[index] += 1
        place = shards.place(epoch)
    assert max(read) - min(read) > 3  # some came later


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


def test_unchanged_data_pass_also_next_to_other_files_and_data_of_fairseq_preprocess(folder):
    (folder / "lexicon.en-de.json").write_text("{}")
    assert changed_files(DataBin(folder)) == []
    require_unchanged(DataBin(folder))
    (folder / "manifest.json").unlink()  # nothing to compare
    flip(folder / "dict.txt")
    assert changed_files(DataBin(folder)) == []
    require_unchanged(DataBin(folder))


def test_sizes_and_small_files_are_compared(folder, monkeypatch):
    monkeypatch.setattr(shards, "SMALL", 16)
    flip(folder / "train.en-de.en.bin")
    require_unchanged(DataBin(folder))
    flip(folder / "dict.txt")
    (folder / "train.en-de.en.idx").write_bytes(bytes(31))
    assert changed_files(DataBin(folder)) == [
        "dict.txt has different content",
        "train.en-de.en.idx has 31 bytes rather than 32",
    ]
    (folder / "train.en-de.en.idx").unlink()
    assert changed_files(DataBin(folder))[1] == "train.en-de.en.idx is missing"


@pytest.mark.parametrize(
    "files",
    [7, ["dict.txt"], {"dict.txt": 7}, {"dict.txt": {"bytes": 8}}, {"../dict.txt": {"bytes": 8, "sha256": "x"}}],
)
def test_a_damaged_manifest_is_named(folder, files):
    (folder / "manifest.json").write_text(json.dumps({"files": files}))
    with pytest.raises(XalignError, match=r"(is damaged|unexpected content)\n  where: .*manifest.json"):
        changed_files(DataBin(folder))
