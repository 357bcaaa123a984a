"""Notes around the words of a dictionary."""

import pytest

from xalign_fairseq.languages.lexicons.notes import without_notes


@pytest.mark.parametrize(
    ("text", "left"),
    [("(to) go <v> [coll.]", "go"), ("a (b (c) d) e", "a e"), ("a) b (c", "a) b (c"), ("x~y_z {pl}", "x y z"),
     ("((((", "(((("), ("  a   b ", "a b")],
)  # fmt: skip
def test_notes(text, left):
    assert without_notes(text) == left
