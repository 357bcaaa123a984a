"""The protocol of the aligners of others, by small programs in their place."""

import pytest
from support.links import BACKWARD, DIAGONAL, FORWARD, PAIRS, WRITES, only_tools

from xalign_fairseq.aligner.tools.tools import EFLOMAL, FAST_ALIGN
from xalign_fairseq.core.errors import XalignError


def test_blank_sides_stay_here_and_their_lines_come_back_without_links(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    FAST_ALIGN.run(PAIRS, work)
    assert (work / "text").read_text() == "a b c ||| x y\n|||| ¦ ||| z |||| ||||\nd ||| u v\n"
    found = list(FAST_ALIGN.links(PAIRS, work))
    assert [pair for pair, _ in found] == PAIRS
    assert [links for _, links in found] == list(zip(FORWARD, BACKWARD, strict=True))


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("0-0\n\n", "no line of links for the pair of line 5"),
        ("", "no line of links for the pair of line 1"),
        ("0-0\n\n0-0\n0-0\n", "more lines of links than pairs"),
        ("0-0\n2-0\n0-0\n", "line 3: link 2-0, sentence lengths 2 and 3"),
        ("0-0\n0-3\n0-0\n", "line 3: link 0-3, sentence lengths 2 and 3"),
        ("0-0\n0-0\n0:0\n", "fast_align's links of line 5"),
    ],
)
def test_output_that_does_not_fit_the_text(tmp_path, work, monkeypatch, output, found):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=WRITES.format(output))
    FAST_ALIGN.run(PAIRS, work)
    with pytest.raises(XalignError, match=found):
        list(FAST_ALIGN.links(PAIRS, work))


def test_a_tool_that_writes_no_file(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", **{"eflomal-align": ""})
    EFLOMAL.run(PAIRS, work)
    with pytest.raises(XalignError, match="eflomal ended without an error, but wrote no links"):
        list(EFLOMAL.links(PAIRS, work))


def test_a_failing_tool_is_quoted(tmp_path, work, monkeypatch):
    program = "import sys\nprint('first', 'x' * 5000, 'no memory left', file=sys.stderr)\nsys.exit(3)"
    only_tools(monkeypatch, tmp_path / "bin", fast_align=program)
    with pytest.raises(XalignError, match=r"(?s)fast_align failed.*exit code 3.*no memory left") as error:
        FAST_ALIGN.run(PAIRS, work)
    assert "first" not in str(error.value)


def test_text_without_a_pair_of_words(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    with pytest.raises(XalignError, match="nothing to align"):
        FAST_ALIGN.run([([], ["a"]), (["b"], [])], work)
