"""Links of a bitext: what fits passes, what does not is named by line, whatever the chunks."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.workers import processes
from xalign_fairseq.data.prepare.binarize import PairText
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.text_links import require_fitting_links

NO_FILTERS = Filters()


@pytest.fixture
def check(tmp_path, monkeypatch):
    """The function that checks links of texts, in chunks of 3 lines."""
    monkeypatch.setattr(corpus, "CHUNK_LINES", 3)

    def run(src, tgt, links, filters=NO_FILTERS, shard=(0, 1)):
        for name, lines in (("src", src), ("tgt", tgt), ("links", links)):
            if lines is not None:
                (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        files = [scan(tmp_path / name) for name in ("src", "tgt")]
        beside = scan(tmp_path / "links") if links is not None else None
        with processes(1) as workers:
            require_fitting_links(PairText("train", "en", "de", *files, beside).share(*shard), filters, workers)

    return run


SRC, TGT = ["a b c"] * 7, ["x y"] * 7


def test_links_that_fit(check):
    check(SRC, TGT, ["0-0 2-1", "", "2p1", "0-1", "1-1", "", "2-0"])
    check(SRC, TGT, None)
    check(["a\u00a0b"], ["x"], ["1-0"])  # a no-break space parts words, as fairseq parts them
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
            check(SRC, TGT, links, shard=shard)


def test_links_that_count_from_one_and_of_an_empty_sentence(check):
    with pytest.raises(XalignError, match="looks 1-based"):
        check(SRC, TGT, ["1-1"] * 6 + ["3-2"])
    with pytest.raises(XalignError, match="sentence lengths 0 and 2"):
        check(["", "a"], ["x y", "z"], ["0-0", "0-0"])


@pytest.mark.parametrize("shard", [(0, 1), (1, 2)])
def test_a_sentence_of_more_words_than_can_be_numbered_is_named_by_its_line(check, shard):
    longest, longer = " ".join("a" * (1 << 16)), " ".join("a" * ((1 << 16) + 1))
    check([longest], TGT[:1], ["0-0 65535-1"])
    with pytest.raises(XalignError, match=r"too many words[\s\S]*tgt, line 5\n  found: 65,537[\s\S]*65,536") as error:
        check(SRC, [*TGT[:4], longer, *TGT[:2]], ["0-0"] * 7, shard=shard)
    assert "max_length" in str(error.value)


def test_a_sentence_that_the_filters_leave_out_may_have_any_number_of_words(check):
    longer = " ".join("a" * ((1 << 16) + 1))
    check([longer], TGT[:1], ["0-0"], Filters(max_length=512))
    with pytest.raises(XalignError, match="too many words"):
        check([longer], TGT[:1], ["0-0"], Filters(max_length=1 << 17))
    with pytest.raises(XalignError, match="sentence lengths 65537 and 2"):
        check([longer], TGT[:1], ["0-2"], Filters(max_length=512))
