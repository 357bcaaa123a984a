"""How a line of ``xalign doctor`` is printed."""

from xalign_fairseq.cli._doctor_findings import Finding


def test_what_follows_the_first_line_is_indented():
    assert str(Finding("ok", "Python", "3.11")) == "  ok    Python: 3.11"
    found = Finding("WRONG", "torch", "2.5; >=2.6 is needed\nnext: pip install torch\nor leave it")
    assert str(found).splitlines() == [
        "  WRONG torch: 2.5; >=2.6 is needed", "        next: pip install torch", "        or leave it",
    ]  # fmt: skip


def test_levels_stand_in_a_column_even_without_a_text():
    assert {str(Finding(level, "x", "")).index("x") for level in ("ok", "note", "WRONG")} == {8}
