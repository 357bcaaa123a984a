"""Placeholders of messages."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup.placeholders import read_placeholders


@pytest.mark.parametrize(
    ("text", "plain", "found"),
    [
        ("Hello {0}!", "Hello !", ["{0}"]),
        ("%(name)s has %d files", "has files", ["%(name)s", "%d"]),
        ("%1$s of %2$-5.2f", "of", ["%1$s", "%2$-5.2f"]),
        ("{{user}} paid ${sum} to %@", "paid to", ["{{user}}", "${sum}", "%@"]),
        ("{n, plural, one {# file} other {# files}} left", "left", ["{n, plural, one {# file} other {# files}}"]),
        ("100% sure, 5 %, 10%% %dogs", "100% sure, 5 %, 10%% %dogs", []),
    ],
)
def test_placeholders(text, plain, found):
    read = read_placeholders(text)
    assert read.text == plain
    assert [mark.tag.strip() for mark in read.marks] == found


def test_a_brace_that_is_not_closed_is_refused():
    with pytest.raises(XalignError, match="not closed"):
        read_placeholders("a {b")
