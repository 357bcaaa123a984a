"""Cutting bitext to the room of a kit, and the content of the archive."""

import tarfile

import pytest

PAIRS = ("de-en", "en-fr", "en-hi", "ro-en")


@pytest.fixture
def data(gpu_script):
    return gpu_script("pack_data")


def test_shares_are_equal_and_unused_room_goes_to_others(data):
    assert data.shares({"a": 10, "b": 100, "c": 100}, 90) == {"a": 10, "b": 40, "c": 40}
    assert data.shares({"b": 5, "a": 7}, 90) == {"b": 5, "a": 7}
    assert list(data.shares({"b": 70, "a": 7}, 20)) == ["b", "a"]


@pytest.fixture
def folders(tmp_path):
    """Gold sets of two lines each, and training text of 600 distinct pairs."""
    benchmark, text = tmp_path / "benchmark", tmp_path / "text"
    for pair in PAIRS:
        for name in ("hansards-wpt03-trial", "wpt05-hi-trial", "golden-collection", "simalign-testsets"):
            folder = benchmark / "gold" / name
            folder.mkdir(parents=True, exist_ok=True)
            for lang in pair.split("-"):
                (folder / f"{pair}.{lang}").write_text("one house\nsome trees\n")
            (folder / f"{pair}.gold").write_text("0-0 1-1\n0-0\n")
        (text / pair).mkdir(parents=True)
        for lang in pair.split("-"):
            lines = [f"{lang} line {number} of {number * number} letters {number:b}\n" for number in range(600)]
            (text / pair / f"train.{lang}").write_text("".join(lines))
    return benchmark, text


@pytest.mark.slow
def test_the_content_of_the_archive(data, folders, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "VOCABULARY", 60)
    data.write(data.read(folders[1]), folders[0], tmp_path / "data.tar.xz", None)
    with tarfile.open(tmp_path / "data.tar.xz") as archive:
        names = set(archive.getnames())
    data_bin = {f"data-bin/{name}.bin" for name in ("train.de-en.de", "valid.en-hi.links", "test.ro-en.en", "train.de")}
    assert {*data_bin, "gold/golden-collection/en-fr.gold", "text/de-en.de"} < names
    assert "data-bin/valid.de-en.de.bin" not in names
