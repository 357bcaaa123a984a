import pytest
from support.links import BACKWARD, DIAGONAL, FORWARD, PAIRS, WRITES, only_tools

from xalign_fairseq.aligner.tools import TOOLS, choose_tool
from xalign_fairseq.core.errors import XalignError

EFLOMAL, FAST_ALIGN = TOOLS["eflomal"], TOOLS["fast_align"]


@pytest.fixture
def align(tmp_path, monkeypatch):
    """The function that aligns pairs with a fake tool."""

    def run(tool, program, pairs=PAIRS):
        only_tools(monkeypatch, tmp_path / "bin", **{tool.commands[0][0][0]: program})
        tool.run(iter(pairs), tmp_path)
        return list(tool.links(pairs, tmp_path))

    return run


def test_empty_sides_are_not_sent_and_have_no_links(align, tmp_path):
    found = align(FAST_ALIGN, DIAGONAL)
    assert (tmp_path / "text").read_text() == "a b c ||| x y\n|||| ¦ ||| z |||| ||||\nd ||| u v\n"
    assert found == list(zip(PAIRS, zip(FORWARD, BACKWARD, strict=True), strict=True))


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
def test_output_that_does_not_match_the_text(align, output, found):
    with pytest.raises(XalignError, match=found):
        align(FAST_ALIGN, WRITES.format(output))


@pytest.mark.parametrize(
    ("tool", "program", "pairs", "message"),
    [
        (EFLOMAL, "", PAIRS, "eflomal ended without an error, but wrote no links"),
        (FAST_ALIGN, "import sys; sys.exit('no memory left')", PAIRS, r"(?s)fast_align failed.*code 1.*no memory left"),
        (FAST_ALIGN, DIAGONAL, [([], ["a"]), (["b"], [])], "nothing to align"),
    ],
)
def test_a_tool_that_fails(align, tool, program, pairs, message):
    with pytest.raises(XalignError, match=message):
        align(tool, program, pairs)


def test_the_first_installed_tool_is_used(tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "both", **{"eflomal-align": "", "fast_align": ""})
    assert choose_tool("auto") is EFLOMAL and choose_tool("fast_align") is FAST_ALIGN
    only_tools(monkeypatch, tmp_path / "one", fast_align="")
    assert choose_tool("auto") is FAST_ALIGN
    only_tools(monkeypatch, tmp_path / "none")
    with pytest.raises(XalignError, match=r"(?s)eflomal and fast_align are not installed.*pip install.*build"):
        choose_tool("auto")
    with pytest.raises(XalignError, match=r"(?s)eflomal is not installed.*pip install"):
        choose_tool("eflomal").run(PAIRS, tmp_path)
