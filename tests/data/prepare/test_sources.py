import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions, require_language


@pytest.fixture
def files(tmp_path):
    """Paths of two texts, links, a model and its dictionary."""
    for name in ("t.en", "t.de", "t.gold", "m.model", "dict.txt"):
        (tmp_path / name).write_text("x\n")
    return tmp_path


@pytest.fixture
def pair(files):
    def make(split="train", src="en", tgt="de", links=None):
        return PairSource(split, src, tgt, str(files / "t.en"), str(files / "t.de"), links)

    return make


@pytest.fixture
def refused(files):
    def check(message, *pairs, **options):
        with pytest.raises(XalignError, match=message):
            PrepareOptions(files / "out", pairs, **options).check()

    return check


@pytest.mark.parametrize("code", ["", "pt-BR", "a.b", "a b", "a=b", "a/b", "links", "words", "None"])
def test_codes_that_they_can_not(code):
    with pytest.raises(XalignError, match=rf"can't be part of[\s\S]*found: '{code}'[\s\S]*pt_BR, not pt-BR"):
        require_language(code)


def test_the_data_bin_does_not_replace_its_inputs(files, pair, tmp_path_factory):
    for read in (pair(), pair(links=str(files / "t.gold"))):
        with pytest.raises(XalignError, match=r"is or contains an input, which would be lost[\s\S]*t\.en"):
            PrepareOptions(files, [read], overwrite=True).check()
    with pytest.raises(XalignError, match="is or contains an input"):
        PrepareOptions(files, mono=[MonoSource("train", "en", (f"{files}/../{files.name}/t.en",))]).check()
    kept = tmp_path_factory.mktemp("bin")  # an earlier data-bin, whose tokenizer the new one has again
    (kept / "m.model").write_text("x\n")
    with pytest.raises(XalignError, match="of other origin"):
        PrepareOptions(kept, [pair()], spm=kept / "m.model", overwrite=True).check()
    (kept / "manifest.json").touch()
    PrepareOptions(kept, [pair()], spm=kept / "m.model", overwrite=True).check()


def test_options_that_contradict_each_other(refused, pair, files):
    refused("nothing to prepare")
    refused(r"the number of workers is below 1\n  where: workers\n  found: 0", pair(), workers=0)
    refused(r"two tokenizers\n  where: tokenizer, spm", pair(), spm="m.model", tokenizer="base.pt")
    for tokenizer in ({}, {"tokenizer": "base.pt"}):
        refused("where: dict", pair(), dictionary="dict.txt", **tokenizer)
    refused("no training text", pair("valid"))
    refused("no such shard\n  where: shard\n  found: 2/2\n  expected: 0/2 to 1/2", pair(), spm="m.model", shard=(2, 2))
    refused("shards need one tokenizer", pair(), shard=(0, 2))
    refused("out of range\n  where: max_length\n", pair(), filters=Filters(max_length=0))


def test_texts_and_folders_that_cannot_be_named(refused, pair, files, capsys, monkeypatch):
    (files / "12:00").mkdir()
    monkeypatch.chdir(files / "12:00")
    with pytest.raises(XalignError, match=r"can't contain a colon\n  where: /.*/12:00/out\n"):
        PrepareOptions("out", [pair()]).check()  # fairseq would split the path
    refused("do not exist", PairSource("train", "en", "de", "gone", "./gone"))
    assert "the same file" in capsys.readouterr().err
    refused("'pt-BR'", pair(tgt="pt-BR"))
    refused("'links'", mono=[MonoSource("train", "links", ("x",))])
    refused(r"one language only\n  found: en-en", pair(tgt="en"))
    refused(r"given twice\n  found: train en-de", pair(), pair("valid"), pair())
    refused("given twice\n  found: valid en", pair(), mono=[MonoSource("valid", "en", ("x",))] * 2)


def test_all_missing_files_are_named(refused, pair, files):
    (files / "t.de").unlink()
    told = r"where: \S*t.de, \S*no.gold, \S*no.model\n  next: check the path"
    refused(told, pair(links="no.gold"), spm="no.model")
