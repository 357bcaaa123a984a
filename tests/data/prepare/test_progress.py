import json
import os
import shutil
from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapWriter
from xalign_fairseq.data.prepare import binarize, manifest, progress
from xalign_fairseq.data.prepare import prepare as module
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.progress import JOURNAL
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions
from xalign_fairseq.data.shards import changed_files


class Killed(BaseException):
    """An exception that no code expects."""


def put_texts(folder, bitext):
    """Five chunks of lines, with repeated lines and an empty one."""
    for lang in ("en", "el"):
        lines = (bitext / f"train.{lang}").read_text().splitlines()[:240]
        (folder / f"t.{lang}").write_text("\n".join([*lines, lines[0], "", ""]))
    (folder / "t.gold").write_text("0-0\n" * 241 + "\n")
    return folder


def options_of(texts, out, spm):
    pair = PairSource("train", "en", "el", *(str(texts / f"t.{lang}") for lang in ("en", "el")))
    return PrepareOptions(
        out,
        [replace(pair, links=str(texts / "t.gold")), replace(pair, split="valid")],
        [MonoSource("train", "en", (pair.src_path,))],
        spm=spm,
        filters=Filters(max_length=999),
        resume=True,
    )


@pytest.fixture(scope="module")
def texts(tmp_path_factory, bitext):
    return put_texts(tmp_path_factory.mktemp("texts"), bitext)


@pytest.fixture
def options(texts, tmp_path, spm, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 50)
    monkeypatch.setattr(progress, "SECONDS", 0)
    return options_of(texts, tmp_path / "d", spm)


@pytest.fixture(scope="module")
def whole(texts, spm, tmp_path_factory):
    """The output of an uninterrupted run."""
    out = tmp_path_factory.mktemp("whole") / "d"
    prepare(replace(options_of(texts, out, spm), resume=False))
    return contents(out)


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def stop_at(monkeypatch, owner, name, call):
    """Make a function's n-th call, counted from 0, stop the run; return a counter of its calls."""
    calls, own = [], getattr(owner, name)

    def stopping(*args, **kwargs):
        calls.append(1)
        if len(calls) == call + 1:
            raise Killed
        return own(*args, **kwargs)

    monkeypatch.setattr(owner, name, stopping)
    return calls


def stopped(options, owner, name, call):
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, owner, name, call)
        with pytest.raises(Killed):
            prepare(options)
    assert not os.path.exists(options.destdir)


PLACES = [
    *((binarize.PairText, "encode", call) for call in (0, 3, 5, 9)),
    *((binarize.MonoText, "encode", call) for call in (0, 4)),
    *((MMapWriter, "add_many", call) for call in (0, 3, 11, 27)),
    *((MMapWriter, "close", call) for call in (0, 2, 5, 7)),
    *((progress, "write_json", call) for call in (0, 1, 6, 15)),
    (module, "require_fitting_links", 0),
    (manifest, "write", 0),
    (os, "replace", 0),
    (os, "replace", 30),
]


@pytest.mark.parametrize(("owner", "name", "call"), PLACES)
def test_stopped_anywhere_it_resumes_with_the_same_bytes(options, whole, owner, name, call):
    stopped(options, owner, name, call)
    prepare(options)
    assert contents(options.destdir) == whole
    assert not [name for name in os.listdir(os.path.dirname(options.destdir)) if name.startswith(".")]


@pytest.mark.parametrize("workers", [1, 2])
def test_stopped_repeatedly_it_finishes_with_any_number_of_processes(options, whole, workers, tmp_path):
    for call in (1, 2, 3, 0, 2):
        stopped(options, binarize.PairText, "encode", call)
    assert prepare(replace(options, workers=workers)) == manifest.complete(options)
    assert contents(options.destdir) == whole
    assert manifest.complete(replace(options, destdir=options.destdir / "new")) is None
    for change in ({"seed": 2}, {"mono": []}):
        with pytest.raises(XalignError, match="found: other texts or options"):
            manifest.complete(replace(options, **change))
    (tmp_path / "new.model").touch()
    os.utime(tmp_path / "new.model", (2e9, 2e9))
    with pytest.raises(XalignError, match=r"new\.model is newer than the data-bin"):
        manifest.complete(replace(options, spm=tmp_path / "new.model"))
    os.utime(options.destdir / "manifest.json", (0, 0))  # as if the texts were newer
    with pytest.raises(XalignError, match="is newer than the data-bin"):
        manifest.complete(options)


def test_side_files_of_a_stopped_run_are_rewritten(options, whole):
    def stopped_half_way(folder):
        for name in ("model.pt", ".model.pt.1-0123456789ab.tmp", ".manifest.json.1-0123456789ab.tmp"):
            (folder / name).write_bytes(b"ha")
        (folder / "lexicons").mkdir()
        raise Killed

    with pytest.raises(Killed):
        prepare(options, beside=stopped_half_way)
    prepare(options, beside=lambda folder: (folder / "model.pt").write_bytes(b"half and half"))
    assert contents(options.destdir) == {**whole, "model.pt": b"half and half"}
    assert changed_files(DataBin(options.destdir)) == []


def test_finished_text_is_neither_encoded_nor_checked_again(options, whole, monkeypatch):
    stopped(options, binarize.PairText, "encode", 7)  # of 5 chunks: the first text is done, and 2 of the second
    encoded = stop_at(monkeypatch, binarize.PairText, "encode", -1)
    checked = stop_at(monkeypatch, module, "require_fitting_links", -1)
    prepare(options)
    assert (len(encoded), len(checked)) == (3, 0)


def test_bytes_after_the_last_entry_are_removed(options, whole):
    stopped(options, binarize.PairText, "encode", 3)
    unfinished = os.path.join(os.path.dirname(options.destdir), ".d.unfinished")
    for name in ("train.en-el.en.bin", "train.en-el.en.sizes"):
        with open(os.path.join(unfinished, name), "ab") as stream:
            stream.write(b"half a chu")
    prepare(options)
    assert contents(options.destdir) == whole


def test_other_text_or_options_restart(options, bitext, spm, tmp_path):
    options = options_of(put_texts(tmp_path, bitext), options.destdir, spm)
    stopped(options, binarize.PairText, "encode", 7)
    made = prepare(replace(options, filters=Filters()))
    assert made["pairs"][0]["dropped"] == {"empty source": 0, "empty target": 0, "both sides empty": 1}
    shutil.rmtree(options.destdir)
    stopped(options, binarize.PairText, "encode", 7)
    with open(tmp_path / "t.en", "a") as stream:
        stream.write("one more\n")
    with pytest.raises(XalignError, match="different numbers of lines"):
        prepare(options)


def test_a_damaged_journal_restarts(options, whole):
    stopped(options, binarize.PairText, "encode", 3)
    path = os.path.join(os.path.dirname(options.destdir), ".d.unfinished", JOURNAL)
    with open(path) as stream:
        found = json.load(stream)
    for damaged in ({**found, "texts": 7}, {"of": found["of"]}, {**found, "of": 3}):
        with open(path, "w") as stream:
            json.dump(damaged, stream)
        prepare(replace(options, overwrite=True))
        assert contents(options.destdir) == whole
        os.makedirs(os.path.dirname(path))
