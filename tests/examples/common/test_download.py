import errno
import gzip
import hashlib
import io
import lzma
import os
import random
import re
import shutil
import sys
import tarfile
import urllib.error
import zipfile
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import urlsplit

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
    given = [out, "en-de=Europarl+EUbookshop", "--valid", "5", "--mono", "de", "--file", "xlmr.base"]
    call(monkeypatch, *given)
    train, valid = (
        [lines(out / f"en-de/{split}.{language}") for language in ("en", "de")] for split in ("train", "valid")
    )
    assert len(train[0]) == 36 and len(valid[0]) == 5  # 41 pairs: those with an empty side are dropped
    pairs = list(zip(*train, strict=True))
    expected = [*((f"Word {n}.", f"Wort {n}.") for n in range(40)), ("Last.", "Letztes.")]
    assert sorted([*pairs, *zip(*valid, strict=True)]) == sorted(expected)
    numbers = [int(en[5:-1]) for en, _ in pairs if en != "Last."]
    assert numbers == sorted(numbers)
    assert lines(out / "mono/de.txt") == ["Ein Satz."]
    assert (out / "downloads/xlmr.base/model.pt").read_text() == "model"
    (out / "en-de/train.en").write_text("mine\n")
    call(monkeypatch, *given)
    assert lines(out / "en-de/train.en") == ["mine"]


def test_the_training_text_of_opus_100_is_read_from_its_archive(tmp_path, monkeypatch):
    inner = tmp_path / "v1.0/supervised/de-en"
    inner.mkdir(parents=True)
    for split, count in (("train", 12), ("dev", 3), ("test", 3)):
        for language in ("de", "en"):
            text = "".join(f"{language} {split} {n}\n" for n in range(count))
            (inner / f"opus.de-en-{split}.{language}").write_text(text)
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


@pytest.mark.parametrize("other", ["--pairs 9", "--valid 6", "--seed 2", "--words", "--wikipedia de"])
def test_text_of_other_options_is_refused_and_the_users_own_is_kept(other, out, monkeypatch):
    monkeypatch.setattr(downloading, "fetch_all", lambda *_: [])
    given = [out, "en-de=Europarl", "--valid", "5", "--mono", "de"]
    call(monkeypatch, *given)
    with pytest.raises(XalignError, match="exists from other corpora or options"):
        call(monkeypatch, *given, *other.split())
    for note in out.glob("*/*corpora*"):
        note.unlink()
    call(monkeypatch, *given, *other.split())


@pytest.mark.slow
def test_words_are_separated_by_spaces_and_pairs_are_drawn(out, monkeypatch):
    pytest.importorskip("sacremoses")
    call(monkeypatch, out, "de-en=Europarl", "--valid", "5", "--pairs", "10", "--words")
    assert len(lines(out / "de-en/train.de")) == 10 and len(lines(out / "de-en/valid.de")) == 5
    assert all(re.fullmatch(r"Word \d+ \.", line) for line in lines(out / "de-en/train.en"))
    # For Moses a German number with a period is an ordinal, except 0.
    assert all(re.fullmatch(r"Wort (0 |[1-9]\d*)\.", line) for line in lines(out / "de-en/train.de"))
    assert downloading.tokenizer("zh")("我们去 London。") == "我 们 去 London 。"


def test_sides_of_different_length_are_not_a_bitext(out, monkeypatch):
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
    done = run_script(tmp_path, script, tmp_path / "text", DRY="1", SAMPLE="5")
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
def test_synthetic_and_real_text_do_not_mix(script, tmp_path):
    real, made_up = tmp_path / "my text", tmp_path / "made up"
    (real / "en-de").mkdir(parents=True)
    (real / "en-de/train.en").write_text("Real.\n")
    done = run_script(tmp_path, script, real, "en-de", SAMPLE="20")
    assert done.returncode == 2 and f"SAMPLE: '{real}' holds something else" in done.stderr
    assert (real / "en-de/train.en").read_text() == "Real.\n" and not (real / ".synthetic").exists()
    done = run_script(tmp_path, script, made_up, "de-xx", SAMPLE="20")
    assert done.returncode == 2 and "no sample of de-xx" in done.stderr and "cp:" not in done.stderr
    text = sorted(made_up.rglob("*"))
    done = run_script(tmp_path, script, made_up, "en-de")
    assert done.returncode == 2 and f"'{made_up}' holds the synthetic text of SAMPLE" in done.stderr
    done = run_script(tmp_path, script, made_up, "en-de", SAMPLE="30")
    assert done.returncode == 2 and f"'{made_up}' holds the synthetic data of SAMPLE=20" in done.stderr
    assert sorted(made_up.rglob("*")) == text


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
def test_an_incomplete_archive_is_removed(name, server, tmp_path):
    server.files[f"/{name}"] = TEXT  # for example an error page
    with pytest.raises(XalignError, match="not a complete archive") as caught:
        fetch(server, tmp_path / name)
    assert HOME in str(caught.value) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_an_error_of_the_disk_is_named_and_removes_nothing(code, server, tmp_path, monkeypatch, capsys):
    server.files["/text.gz"], part = gzip.compress(TEXT), tmp_path / "text.gz.part"
    monkeypatch.setattr(fetching, "check_archive", Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO))))
    if code == errno.ENOSPC:
        part.symlink_to("/dev/full")
    source = fetching.Source("text.gz", f"http://127.0.0.1:{server.server_port}/text.gz", HOME)
    assert fetching.fetch_all([source], tmp_path) == [source] and part.exists()
    assert re.search(f"an error of the disk(?s:.)*{os.strerror(code)}", capsys.readouterr().err)


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


[corpora] = load("common", "corpora")


def test_every_address_is_one_of_https_with_a_file():
    sources = [source for name in corpora.named() for source in corpora.files(name)] + [
        corpora.bitext(name, "en", "de") for name in (*corpora.OPUS, corpora.SAMPLED)
    ]
    for source in [*sources, *corpora.cc100("sw"), corpora.wikipedia("sw")]:
        for address in (source.url, source.home):
            assert urlsplit(address).scheme == "https" and not re.search(r"[\s{}]", address)
        assert Path(urlsplit(source.url).path).name.endswith(Path(source.name).suffix)
        assert source.home in str(source) and Path("downloads") in source.path(Path("downloads")).parents
        assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert len({source.name for source in sources}) == len({(source.name, source.url) for source in sources})


def test_xlm_aligns_94_languages_have_87_codes():
    languages = corpora.monolingual()
    assert len(languages) == 87 and sum(max(1, len(each.archives)) for each in languages.values()) == 94
    assert [source.name for source in corpora.cc100("zh")] == ["zh-Hans.txt.xz", "zh-Hant.txt.xz"]
    assert [source.name for source in corpora.cc100("br")] == ["br.txt.xz"]  # not in the paper
    assert not corpora.cc100("tt") and corpora.wikipedia("tt").text == 0.09
    assert languages["en"].ccnet == 731.6 and languages["en"].wikipedia == 12.58  # Tables 8 and 9


[split_bitext] = load("common", "split_bitext")


def split(folder, monkeypatch, seed=1):
    columns = {
        "de": [f"d{i}" for i in range(9)],
        "en": [f"e{i}" for i in range(9)],
        "fwd": [f"{i}-0 0-0" for i in range(9)],
        "rev": ["0-0 1-5"] * 9,
    }
    for name, lines in columns.items():
        (folder / f"all.{name}").write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.setattr(sys, "argv", ["x", str(folder), "de", "en", "--valid", "3", "--seed", str(seed)])
    split_bitext.main()
    return {
        name: list(
            zip(*((folder / f"{name}.{each}").read_text().splitlines() for each in ("de", "en", "links")), strict=True)
        )
        for name in ("train", "valid")
    }


def test_pairs_are_held_out_in_their_order(tmp_path, monkeypatch):
    found = split(tmp_path, monkeypatch)
    numbers = {name: [int(de[1:]) for de, _, _ in rows] for name, rows in found.items()}
    assert len(numbers["valid"]) == 3 and sorted(numbers["train"] + numbers["valid"]) == list(range(9))
    assert all(rows == sorted(rows) for rows in numbers.values())
    assert all(de[1:] == en[1:] for rows in found.values() for de, en, _ in rows)
    assert split(tmp_path, monkeypatch) == found != split(tmp_path, monkeypatch, seed=2)


def test_training_has_the_intersection_and_validation_the_union_as_possible(tmp_path, monkeypatch):
    found = split(tmp_path, monkeypatch)
    assert {links for _, _, links in found["train"]} == {"0-0"}
    for de, _, links in found["valid"]:
        number = de[1:]
        expected = ["0-0", *sorted({f"{number}p0", "1p5"} - {"0p0"})]
        assert links.split() == expected


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        (["en"], "Well-known: it's HERE.", "well - known : it 's here ."),
        (["en", "--cased"], "Is it HERE?", "Is it HERE ?"),
        (["en", "--tokenized"], "It 's  HERE", "it 's here"),
        (["ro", "--strip-marks"], "Așa și însă.", "asa si insa ."),
        (["en"], "a & b <c>", "a & b < c >"),
    ],
)
def test_tokens_are_written_as_in_the_gold_sets(options, text, tokens, monkeypatch, capsys):
    pytest.importorskip("sacremoses")
    monkeypatch.setattr(sys, "argv", ["tokenize_bitext.py", *options])
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n\n"))
    load("common", "tokenize_bitext")[0].main()
    assert capsys.readouterr().out == f"{tokens}\n\n"
