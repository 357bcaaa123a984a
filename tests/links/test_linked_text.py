import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.linked_text import LinkedText


@pytest.fixture
def text(tmp_path):
    def make(src="a b\n\n", tgt="x\ny\n", links="0-0 1p0\n\n", **options):
        for name, content in (("src", src), ("tgt", tgt), ("links", links)):
            (tmp_path / name).write_text(content)
        return LinkedText(*(tmp_path / name for name in ("src", "tgt", "links")), **options)

    return make


def test_words_and_links_of_each_pair(text):
    assert [(list(src), list(tgt), links) for src, tgt, links in text()] == [
        (["a", "b"], ["x"], {(0, 0), (1, 0)}),
        ([], ["y"], set()),
    ]
    assert next(text(src="a  b\n\n").lines()) == (1, "a  b", "x", "0-0 1p0")


@pytest.mark.parametrize(
    ("files", "message"),
    [({"links": "0-0\n"}, "1 line of links"), ({"tgt": "x\n"}, "2 and 1 lines"), ({"links": "0-0\n1-0\n"}, "line 2")],
)
def test_files_that_do_not_belong_together(text, files, message, tmp_path):
    with pytest.raises(XalignError, match=message):
        list(text(**files))
    with pytest.raises(XalignError, match="both sides are the same text"):
        LinkedText(tmp_path / "src", f"{tmp_path}/./src", tmp_path / "links")


@pytest.mark.parametrize(
    ("count", "src", "links", "refused"),
    [
        (20, "Oh, yes.", "0-0 1-1", True),
        (19, "Oh, yes.", "0-0 1-1", False),
        (20, "Oh, yes.", "0-0 2-1", False),
        (20, "Yes.", "0-0", False),
        (20, "Oh, yes.", "", False),
    ],
)
def test_links_of_words_separated_by_spaces_in_text_that_is_split_further(text, count, src, links, refused):
    pytest.importorskip("icu4py")
    made = text(f"{src}\n" * count, "oh oui\n" * count, f"{links}\n" * count, segment="icu")
    if refused:
        with pytest.raises(XalignError, match=r"(?s)separated by spaces.*segment='spaces'"):
            list(made)
    else:
        assert len(list(made)) == count
