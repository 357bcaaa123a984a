"""Dictionary files into a data-bin: what is written and reported, and what is refused."""

import hashlib

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.languages.lexicons.adding import AddedLexicon
from xalign_fairseq.languages.lexicons.building import LexiconOptions


@pytest.fixture
def added(tmp_path):
    """The function that describes a lexicon of two pieces for a data-bin that has no tokenizer."""
    Dictionary(["▁a", "b", "▁A", "B"]).save(tmp_path / "dict.txt")
    (tmp_path / "twins.tsv").write_text("▁a\t▁A\nb\tB\n", encoding="utf-8")
    options = LexiconOptions(held_out=0)

    def describe(**changes):
        files = [str(tmp_path / "twins.tsv")]
        return AddedLexicon(tmp_path, ("en", "xx"), **{"files": files, "pieces": True, "options": options, **changes})

    return describe


def test_pieces_need_no_model(added, tmp_path):
    entries = []
    path, counts = added().add(entries.append)
    data = DataBin(tmp_path)
    assert path == lexicons.about_path(data, "en", "xx") and counts["kept"] == 2 and sum(entries) == 2
    assert [side.tolist() for side in lexicons.read(data, "en", "xx").padded()] == [[[4], [5]], [[6], [7]]]
    about = lexicons.read_about(data, "en", "xx")
    digest = hashlib.sha256((tmp_path / "twins.tsv").read_bytes()).hexdigest()
    assert about["pieces"] is True
    assert about["sources"] == [{"file": str(tmp_path / "twins.tsv"), "format": "tsv", "sha256": digest}]


def test_what_is_refused_leaves_the_lexicon_as_it_is(added, tmp_path):
    added().add()
    first = lexicons.read(DataBin(tmp_path), "en", "xx").digest
    with pytest.raises(XalignError, match="a lexicon of these languages already") as caught:
        added().add()
    assert "overwrite" in str(caught.value.remedy)
    with pytest.raises(XalignError, match="the dictionary does not exist"):
        added(files=[str(tmp_path / "none.tsv")], overwrite=True).add()
    assert lexicons.read(DataBin(tmp_path), "en", "xx").digest == first
    added(overwrite=True).add()
