import pytest

from xalign_fairseq.core.counts import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(1, "pair", "1 pair"), (0, "row", "0 rows"), (1_234_567, "lexical entry", "1,234,567 lexical entries")],
)
def test_only_one_is_singular(number, noun, text):
    assert counted(number, noun) == text
