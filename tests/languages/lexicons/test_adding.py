import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.languages.lexicons.adding import AddedLexicon, format_of, read_entries
from xalign_fairseq.languages.lexicons.building import LexiconOptions


def test_refused_input_does_not_change_the_lexicon(tmp_path):
    Dictionary(["▁a", "b", "▁A", "B"]).save(tmp_path / "dict.txt")
    (tmp_path / "twins.tsv").write_text("▁a\t▁A\nb\tB\n", encoding="utf-8")
    options = LexiconOptions(held_out=0)

    def added(**changes):
        files = [str(tmp_path / "twins.tsv")]
        return AddedLexicon(tmp_path, ("en", "xx"), **{"files": files, "pieces": True, "options": options, **changes})

    added().add()
    first = lexicons.read(DataBin(tmp_path), "en", "xx").digest
    with pytest.raises(XalignError, match="the output already exists") as caught:
        added().add()
    assert "overwrite" in str(caught.value.remedy)
    with pytest.raises(XalignError, match="the file does not exist"):
        added(files=[str(tmp_path / "none.tsv")], overwrite=True).add()
    with pytest.raises(XalignError, match="the file does not exist"):
        read_entries(tmp_path / "none.tei")
    assert lexicons.read(DataBin(tmp_path), "en", "xx").digest == first
    added(overwrite=True).add()


def entries(path, kind="auto"):
    return list(read_entries(path, kind))


def test_tsv_and_muse(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big house\tgroßes Haus\tn\n\nbig\tgroß\nalone\n\tohne\n \t \nbig\tgroß\n", encoding="utf-8")
    assert format_of(path) == "tsv"
    assert entries(path) == [
        ("big house", "großes Haus"),
        ("big", "groß"),
        ("alone", ""),
        ("", "ohne"),
        ("big", "groß"),
    ]
    path.write_text("big groß\nsmall\tklein\n\nalone\n  the   der\n", encoding="utf-8")
    assert format_of(path) == "muse"
    assert entries(path) == [("big", "groß"), ("small", "klein"), ("alone", ""), ("the", "der")]
    path.write_text("big groß\nbig house großes Haus\n", encoding="utf-8")
    with pytest.raises(XalignError, match="line 2"):
        entries(path)
