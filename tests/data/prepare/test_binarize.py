"""A chunk of lines to ids, words and links, with a tokenizer whose tokens are letters."""

import numpy as np
import pytest
from support.small import Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.workers import processes
from xalign_fairseq.data.prepare.binarize import PairText, require_fitting_links
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.tokenizers.tokenizer import flatten

# The ids of a to h are 4 to 11, other letters are unknown, 3; </s> is 2.
SRC = ["ab c", "", "d z", "  ", "zz"]
TGT = ["e", "f", "", "", "g hz"]
LINKS = ["0-0 1p0", "", "", "", "0-1"]


class Lines(Letters):
    """Encodes many lines as letters."""

    def encode_batch(self, lines):
        return flatten([self.encode(line) for line in lines])

    def encode_words_batch(self, sentences):
        ids = [[i for word in words for i in self.encode(word)] for words in sentences]
        index = [[k for k, word in enumerate(words) for _ in word] for words in sentences]
        return flatten(ids), flatten(index)


@pytest.fixture
def file(tmp_path):
    """A function that writes and scans a file of lines."""

    def write(name, lines):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return scan(tmp_path / name)

    return write


def items(ragged):
    flat, sizes = ragged
    assert sizes.sum() == len(flat)
    return [part.tolist() for part in np.split(flat, np.cumsum(sizes)[:-1])]


def test_pairs_with_links_have_words_and_lose_links_of_dropped_lines(file):
    sides = file("src", SRC), file("tgt", TGT)
    plain, found = (
        PairText("train", "aa", "bb", *sides, beside).encode(Lines()) for beside in (None, file("links", LINKS))
    )
    src, tgt, src_words, tgt_words, triples = map(items, found.items)
    assert [src, tgt] == [items(side) for side in plain.items]
    assert src_words == [[0, 0, 1], [0, 0]] and tgt_words == [[0], [0, 1, 1]]  # </s> belongs to no word
    assert triples == [[0, 0, 1, 1, 0, 0], [0, 1, 1]]
    assert found.counts == plain.counts | {"sure links": 2, "possible links": 1}


NO_FILTERS = Filters()


@pytest.fixture
def check(file, monkeypatch):
    """A function that checks links of texts, in chunks of 3 lines."""
    monkeypatch.setattr(corpus, "CHUNK_LINES", 3)

    def run(src, tgt, links, filters=NO_FILTERS, shard=(0, 1)):
        files = file("src", src), file("tgt", tgt)
        beside = file("links", links) if links is not None else None
        with processes(1) as workers:
            require_fitting_links(PairText("train", "en", "de", *files, beside).share(*shard), filters, workers)

    return run


LINKED_SRC, LINKED_TGT = ["a b c"] * 7, ["x y"] * 7


def test_links_that_fit(check):
    check(LINKED_SRC, LINKED_TGT, ["0-0 2-1", "", "2p1", "0-1", "1-1", "", "2-0"])
    check(LINKED_SRC, LINKED_TGT, None)
    check(["a\u00a0b"], ["x"], ["1-0"])  # a no-break space separates words, as in fairseq
    check(["", "a"], ["x", "y"], ["", "0-0"])


@pytest.mark.parametrize("line", [0, 2, 3, 6])
@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("3-0", "line {}\n  found: link 3-0, sentence lengths 3 and 2"),
        ("0-0 0p2", "line {}\n  found: link 0-2, sentence lengths 3 and 2"),
        ("0:0", r"line {}[\s\S]*0:0"),
    ],
)
def test_the_first_link_that_does_not_fit_is_named_by_its_line_of_the_file(check, line, link, found):
    links = ["0-0"] * 7
    links[line] = link
    for shard in ((0, 1), (int(line > 2), 2)):
        with pytest.raises(XalignError, match=f"links, {found.format(line + 1)}"):
            check(LINKED_SRC, LINKED_TGT, links, shard=shard)


@pytest.mark.parametrize("shard", [(0, 1), (1, 2)])
def test_a_sentence_of_more_words_than_can_be_numbered_is_named_by_its_line(check, shard):
    longest, longer = " ".join("a" * (1 << 16)), " ".join("a" * ((1 << 16) + 1))
    check([longest], LINKED_TGT[:1], ["0-0 65535-1"])
    with pytest.raises(XalignError, match=r"more than 65,536 words[\s\S]*tgt, line 5\n  found: 65,537") as error:
        check(LINKED_SRC, [*LINKED_TGT[:4], longer, *LINKED_TGT[:2]], ["0-0"] * 7, shard=shard)
    assert "max_length" in str(error.value)


def test_a_sentence_that_the_filters_leave_out_may_have_any_number_of_words(check):
    longer = " ".join("a" * ((1 << 16) + 1))
    check([longer], LINKED_TGT[:1], ["0-0"], Filters(max_length=512))
    with pytest.raises(XalignError, match="more than 65,536 words"):
        check([longer], LINKED_TGT[:1], ["0-0"], Filters(max_length=1 << 17))
    with pytest.raises(XalignError, match="sentence lengths 65537 and 2"):
        check([longer], LINKED_TGT[:1], ["0-2"], Filters(max_length=512))
