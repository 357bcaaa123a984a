"""How a finding is printed."""

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.findings import Finding


def test_further_lines_are_indented():
    assert Finding("ok", "Python", "3.11").line() == "  ok    Python: 3.11"
    found = Finding("WRONG", "torch", "2.5; >=2.6 is needed\nnext: pip install torch\nor leave it")
    assert found.line().splitlines() == [
        "  WRONG torch: 2.5; >=2.6 is needed",
        "        next: pip install torch",
        "        or leave it",
    ]
    assert {Finding(level, "x", "").line().index("x") for level in ("ok", "note", "WRONG")} == {8}


def test_an_error_names_options():
    error = XalignError("no such layer", parameter="layer", found=9)
    assert Finding("WRONG", "a.pt", error).line().splitlines() == [
        "  WRONG a.pt: no such layer",
        "          where: --layer",
        "          found: 9",
    ]
