import gzip
import hashlib
import lzma
import random
import re
import shutil
import sys
import tarfile
import urllib.error
import zipfile

import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, run_script
from xalign_fairseq.core.errors import XalignError

[downloading] = load("common", "download")
SCRIPTS = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/0_download.sh"))


def moses(path, name, en, de):
    """An archive in OPUS's format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README", "")
        archive.writestr(f"{name}.de-en.en", "".join(f"{line}\n" for line in en))
        archive.writestr(f"{name}.de-en.de", "".join(f"{line}\n" for line in de))


@pytest.fixture
def out(tmp_path):
    """With all archives present, so that nothing is fetched."""
    numbers = range(40)
    english = [*(f"Word  {n}." for n in numbers), "", "left"]
    german = [*(f"Wort {n}.\x85" for n in numbers), "leer", " "]
    moses(tmp_path / "downloads/Europarl.de-en.txt.zip", "Europarl", english, german)
    moses(tmp_path / "downloads/EUbookshop.de-en.txt.zip", "EUbookshop", ["Last."], ["Letztes."])
    with lzma.open(tmp_path / "downloads/de.txt.xz", "wt") as file:
        file.write("Ein Satz.\n")
    model = tmp_path / "xlmr.base/model.pt"
    model.parent.mkdir()
    model.write_text("model")
    with tarfile.open(tmp_path / "downloads/xlmr.base.tar.gz", "w:gz") as archive:
        archive.add(model.parent, "xlmr.base")
    return tmp_path


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["download.py", *map(str, arguments)])
    downloading.main()


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_pairs_are_split_in_the_order_of_the_corpora(out, monkeypatch):
    call(monkeypatch, out, "en-de=Europarl+EUbookshop", "--valid", "5", "--mono", "de", "--file", "xlmr.base")
    train, valid = (
        [lines(out / f"en-de/{split}.{language}") for language in ("en", "de")] for split in ("train", "valid")
    )
    assert len(train[0]) == 36 and len(valid[0]) == 5  # 41 pairs: those with an empty side are dropped
    pairs = list(zip(*train, strict=True))
    assert sorted([*pairs, *zip(*valid, strict=True)]) == sorted(
        [*((f"Word {n}.", f"Wort {n}.") for n in range(40)), ("Last.", "Letztes.")]
    )
    numbers = [int(en[5:-1]) for en, _ in pairs if en != "Last."]
    assert numbers == sorted(numbers)
    assert lines(out / "mono/de.txt") == ["Ein Satz."]
    assert (out / "downloads/xlmr.base/model.pt").read_text() == "model"
    (out / "en-de/train.en").write_text("mine\n")
    call(monkeypatch, out, "en-de=Europarl+EUbookshop")
    assert lines(out / "en-de/train.en") == ["mine"]


def test_the_training_text_of_opus_100_is_read_from_its_archive(tmp_path, monkeypatch):
    inner = tmp_path / "v1.0/supervised/de-en"
    inner.mkdir(parents=True)
    for split, count in (("train", 12), ("dev", 3), ("test", 3)):
        for language in ("de", "en"):
            (inner / f"opus.de-en-{split}.{language}").write_text(
                "".join(f"{language} {split} {n}\n" for n in range(count))
            )
    (tmp_path / "downloads").mkdir()
    with tarfile.open(tmp_path / "downloads/opus-100-corpus-de-en-v1.0.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "v1.0", "opus-100-corpus/v1.0")
    call(monkeypatch, tmp_path, "en-de=OPUS-100", "--valid", "2")
    train = [lines(tmp_path / f"en-de/train.{language}") for language in ("en", "de")]
    assert len(train[0]) == 10 and [line[3:] for line in train[0]] == [line[3:] for line in train[1]]
    assert train[0][0].startswith("en train ")
    (inner / "opus.de-en-train.de").unlink()
    with tarfile.open(tmp_path / "downloads/opus-100-corpus-de-en-v1.0.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "v1.0", "opus-100-corpus/v1.0")
    shutil.rmtree(tmp_path / "downloads/opus-100-corpus-de-en-v1.0")
    with pytest.raises(XalignError, match=r"one file \.de"):
        call(monkeypatch, tmp_path, "de-en=OPUS-100", "--valid", "2")


@pytest.mark.slow
def test_words_are_separated_by_spaces_and_pairs_are_drawn(out, monkeypatch):
    pytest.importorskip("sacremoses")
    call(monkeypatch, out, "de-en=Europarl", "--valid", "5", "--pairs", "10", "--words")
    assert len(lines(out / "de-en/train.de")) == 10 and len(lines(out / "de-en/valid.de")) == 5
    assert all(re.fullmatch(r"Word \d+ \.", line) for line in lines(out / "de-en/train.en"))
    # For Moses a German number with a period is an ordinal, except 0.
    assert all(re.fullmatch(r"Wort (0 |[1-9]\d*)\.", line) for line in lines(out / "de-en/train.de"))
    assert downloading.tokenizer("zh")("我们去 London。") == "我 们 去 London 。"


def test_sides_of_different_length_are_no_bitext(out, monkeypatch):
    moses(out / "downloads/Europarl.de-en.txt.zip", "Europarl", ["one", "two"], ["eins"])
    with pytest.raises(XalignError, match="line 2"):
        call(monkeypatch, out, "de-en=Europarl", "--valid", "0")
    assert not (out / "de-en").exists()


@pytest.mark.parametrize("pair", ["ende", "en-", "en-zh-Hans"])
def test_a_pair_is_two_languages(out, monkeypatch, pair):
    with pytest.raises(XalignError, match="not two languages"):
        call(monkeypatch, out, f"{pair}=Europarl", "--dry")


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_dry_mode_lists_the_downloads(script, tmp_path):
    done = run_script(tmp_path, script, tmp_path / "text", DRY="1")
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert told and all(" <- https://" in line for line in told) and len(set(told)) == len(told)
    assert not (tmp_path / "text").exists()


def test_every_paper_has_a_first_step():
    papers = {"align_mlm", "xlm_align", "explicit_alignments", "ppa", "weam"}
    assert {script.split("/")[0] for script in SCRIPTS} == papers | {"transfer"}
    for paper in papers:
        steps = (EXAMPLES / paper / "README.md").read_text().split("\n## Steps\n")[1]
        assert "bash 0_download.sh" in next(line for line in steps.splitlines() if line.startswith("    "))


@pytest.mark.parametrize(
    "script", [script for script in SCRIPTS if script.split("/")[0] not in ("align_mlm", "transfer")]
)
def test_made_up_text_and_real_text_do_not_meet(script, tmp_path):
    real, made_up = tmp_path / "my text", tmp_path / "made up"
    (real / "en-de").mkdir(parents=True)
    (real / "en-de/train.en").write_text("Real.\n")
    done = run_script(tmp_path, script, real, "en-de", SAMPLE="20")
    assert done.returncode == 2 and f"SAMPLE: '{real}' holds something else" in done.stderr
    assert (real / "en-de/train.en").read_text() == "Real.\n" and not (real / ".sample").exists()
    (made_up / ".sample").mkdir(parents=True)
    done = run_script(tmp_path, script, made_up, "en-de")
    assert done.returncode == 2 and f"'{made_up}' holds the made-up text of SAMPLE" in done.stderr
    assert list(made_up.iterdir()) == [made_up / ".sample"]


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
