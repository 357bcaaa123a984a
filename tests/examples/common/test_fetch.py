"""A download resumes where it stopped, and the file appears only when it is complete."""

import gzip
import hashlib
import random
import urllib.error

import pytest

from tests.examples.recipes import load
from xalign_fairseq.core.errors import XalignError

[fetching] = load("common", "fetch")
HOME = "https://home.example"
TEXT = random.Random(1).randbytes(5000)


def fetch(server, path):
    fetching.fetch(f"http://127.0.0.1:{server.server_port}/{path.name}", path, HOME)


def test_a_file_that_was_cut_off_is_continued(server, tmp_path):
    packed = gzip.compress(TEXT)
    server.files["/text.gz"], server.cut = packed, 2000
    path = tmp_path / "downloads/text.gz"
    with pytest.raises(XalignError, match="incomplete download"):
        fetch(server, path)
    assert not path.exists() and path.with_name("text.gz.part").read_bytes() == packed[:2000]
    server.cut = None
    fetch(server, path)
    assert path.read_bytes() == packed and server.ranges == [0, 2000]
    fetch(server, path)  # it exists: no request
    assert server.ranges == [0, 2000] and [file.name for file in path.parent.iterdir()] == ["text.gz"]


@pytest.mark.parametrize("name", ["text.gz", "text.xz", "text.tar.gz", "text.zip"])
def test_an_archive_that_is_not_whole_is_removed(name, server, tmp_path):
    server.files[f"/{name}"] = TEXT  # for example an error page
    with pytest.raises(XalignError, match="not a complete archive") as caught:
        fetch(server, tmp_path / name)
    assert HOME in str(caught.value) and not list(tmp_path.iterdir())


def test_without_a_network_the_error_says_so(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(fetching.urllib.request, "urlopen", fail)
    with pytest.raises(XalignError, match="no network") as caught:
        fetching.fetch("https://nowhere.example/text.gz", tmp_path / "text.gz", HOME)
    assert "Name or service not known" in str(caught.value) and str(tmp_path / "text.gz") in str(caught.value)


def test_a_file_with_another_checksum_is_removed(server, tmp_path):
    server.files["/text"] = TEXT
    address, path = f"http://127.0.0.1:{server.server_port}/text", tmp_path / "text"
    with pytest.raises(XalignError, match="differs from the published one"):
        fetching.fetch(address, path, HOME, "0" * 64)
    assert not list(tmp_path.iterdir())
    fetching.fetch(address, path, HOME, hashlib.sha256(TEXT).hexdigest())
    assert path.read_bytes() == TEXT


def test_a_dead_address_stops_no_other_and_is_listed(server, tmp_path, capsys):
    def source(name, **known):
        return fetching.Source(f"set/{name}", f"http://127.0.0.1:{server.server_port}/{name}", HOME, **known)

    server.files |= {"/first": TEXT, "/wrong": b"an error page", "/last": TEXT}
    wrong = hashlib.sha256(TEXT).hexdigest()
    sources = [source("dead"), source("first", size=5000), source("wrong", sha256=wrong), source("last")]
    missing = fetching.fetch_all(sources, tmp_path, jobs=2)
    told = capsys.readouterr().err
    assert missing == [sources[0], sources[2]]
    assert (tmp_path / "set/first").exists() and (tmp_path / "set/last").read_bytes() == TEXT
    assert told.startswith("4 files; 0.0 GB of known size; 3 of unknown size")
    assert "missing: " in told and "404" in told and told.endswith("2 of 4 files are missing\n")
    server.files |= {"/dead": TEXT, "/wrong": TEXT}
    assert fetching.fetch_all(sources, tmp_path) == [] and len(server.ranges) == 5  # existing files are not requested
