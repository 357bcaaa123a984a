import pytest
from fairseq.data import Dictionary as FairseqDictionary

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import Dictionary

LINES = "▁the 1520\n▁ 7\nλ 3\n# 2\n"


def load(tmp_path, text: str) -> Dictionary:
    (tmp_path / "dict.txt").write_text(text, encoding="utf-8")
    return Dictionary.load(tmp_path / "dict.txt")


@pytest.mark.parametrize(
    "text",
    [LINES, LINES + "<mask> 1\n", LINES + "▁the 5 #fairseq:overwrite\n", LINES + "</s> 5 #fairseq:overwrite\nx 1\n"],
)
def test_ids_equal_fairseqs(tmp_path, text):
    ours = load(tmp_path, text)
    theirs = FairseqDictionary.load(str(tmp_path / "dict.txt"))
    assert ours.symbols == theirs.symbols
    assert len(ours) == len(theirs)
    for symbol in [*theirs.symbols, "nowhere"]:
        assert ours.index(symbol) == theirs.index(symbol)
    assert (ours.bos_index, ours.pad_index, ours.eos_index, ours.unk_index) == (0, 1, 2, 3)
    size = len(theirs)
    assert ours.mask_index == theirs.add_symbol("<mask>")
    assert ours.embedding_size == max(size, len(theirs))


def test_digest_tells_orders_apart_but_not_counts(tmp_path):
    first = Dictionary(["a", "b"])
    assert first.digest == Dictionary(["a", "b"], [5, 3]).digest
    assert first.digest != Dictionary(["b", "a"]).digest
    assert first.digest != Dictionary(["a"]).digest
    with pytest.raises(ValueError, match="2 symbols but 1 counts"):
        Dictionary(["a", "b"], [1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\nb\n", "line 2"),
        (" 5\n", "line 1"),
        ("a 1\n\nb 1\n", "line 2"),
        ("a 1\nb 1\na 2\n", r"(?s)twice.*line 3.*found: a"),
        ("<pad> 1\n", "twice"),
        ("", "empty"),
    ],
)
def test_bad_files_are_errors_that_name_the_line(tmp_path, text, message):
    with pytest.raises(XalignError, match=message):
        load(tmp_path, text)
