import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup.inline import HTML, XML, read_inline
from xalign_fairseq.projection.markup.marked import MOST_TAGS, walk


def shape(marks):
    return [(mark.tag, mark.kind, mark.start, mark.stop, shape(mark.children)) for mark in marks]


def test_tags_without_a_partner_reach_to_the_edges():
    read = read_inline("a</u>b <b>c <i>d</b> e", HTML)
    assert shape(read.marks) == [("</u>", "closing", 0, 1, []), ("<b>", "pair", 3, 6, [("<i>", "opening", 5, 6, [])])]


def test_tags_without_a_partner_are_left_out_of_strict_markup():
    read = read_inline("</u>a <b>b <i>c</b></i>", XML)
    assert shape(read.marks) == [("<b>", "pair", 2, 5, [])] and len(read.alone) == 3


@pytest.mark.parametrize(
    ("text", "plain", "tags"),
    [
        ("a <img> b", "a b", ["<img> "]),  # one of two spaces belongs to the image
        ("<img> b", "b", ["<img> "]),
        ("a <img>", "a", [" <img>"]),
        ("a<img> b", "a b", ["<img>"]),
        ("a  <img> <img>", "a  ", ["<img> ", "<img>"]),
        ("a<br>b", "a b", ["<br>"]),
        ("a<br> b", "a b", ["<br>"]),
        ("a<br><br>b", "a b", ["<br>", "<br>"]),
        ("<br>a<br>", "a", ["<br>", "<br>"]),
    ],
)
def test_the_spaces_around_points_and_breaks(text, plain, tags):
    read = read_inline(text, HTML)
    assert read.text == plain
    assert [mark.opening for mark in walk(read.marks)] == tags


def test_entities_are_kept_as_they_are_written():
    read = read_inline("&eacute; é &amp; &", HTML)
    assert read.text == "é é & &"
    assert "".join(read.spelled("éé&é<", {"<": "&lt;"})) == "&eacute;é&amp;é&lt;"


@pytest.mark.parametrize("text", ["<b>" * 101, "</b>" * 101, "<img>" * (MOST_TAGS + 1)])
def test_nesting_too_deep_or_text_too_long_is_refused(text):
    with pytest.raises(XalignError, match="too"):
        read_inline(text, HTML)
