import pytest

from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.statistics import Summary, summarise
from xalign_fairseq.evaluation.tables import Table, latex_file, latex_text, markdown, markdown_text, percent

TABLE = Table("A | B", ("name", "a_b", "c"), [("x*", "1", "2"), ("y", "3", "4 %")], ("A note.",), frozenset({(1, 2)}))


def test_markdown():
    assert TABLE.to_markdown().split("\n") == [
        r"## A \| B", "",
        "| name | a_b | c |", "| --- | ---: | ---: |", r"| x\* | 1 | 2 |", "| y | 3 | **4 %** |", "",
        "A note.",
    ]  # fmt: skip
    assert "| --- | --- | ---: |" in Table("", ("a", "b", "c"), [("1", "2", "3")], names=2).to_markdown()
    assert markdown(("run", "pair", "AER"), [("a", "ro-en", "30.8")], names=2) == (
        "| run | pair | AER |\n| --- | --- | ---: |\n| a | ro-en | 30.8 |"
    )
    assert markdown(("run", "AER"), []) == "| run | AER |\n| --- | ---: |"
    assert markdown_text(r"a|b\c*<s>") == r"a\|b\\c\*\<s>"


def test_latex():
    assert TABLE.to_latex().split("\n") == [
        r"\begin{table}", r"\centering", r"\begin{tabular}{lrr}", r"\toprule",
        r"name & a\_b & c \\", r"\midrule", r"x{*} & 1 & 2 \\", r"y & 3 & \textbf{4 \%} \\",
        r"\bottomrule", r"\end{tabular}", r"\caption{A \textbar{} B. A note.}", r"\end{table}",
    ]  # fmt: skip


def test_a_file_of_latex_has_the_citation_as_a_comment():
    comments, body = latex_file([TABLE, TABLE]).split("\n\n", 1)
    lines = [line.removeprefix("% ") for line in comments.split("\n")]
    assert lines[0] == r"\usepackage{booktabs}" and lines[1] == "@software{xalign_fairseq,"
    assert f"  version = {{{__version__}}}," in lines and "\n".join(lines).count("{") == "\n".join(lines).count("}")
    assert body == f"{TABLE.to_latex()}\n\n{TABLE.to_latex()}\n"


def test_latex_escapes():
    assert latex_text("50 % of a_b & $c #{d}") == r"50 \% of a\_b \& \$c \#\{d\}"
    assert latex_text(r"~^\<|") == r"\textasciitilde{}\textasciicircum{}\textbackslash{}\textless{}\textbar{}"
    assert latex_text("Übung − 3 ± 1") == r"Übung $-$ 3 $\pm$ 1"


def test_a_row_of_latex_is_not_an_option_of_the_line_before_it():
    r"""``\\`` and ``\midrule`` read the next token: ``[`` begins a length, and a star disappears."""
    lines = Table("", ("name", "AER"), [("[ours]", "1"), ("*theirs", "2")]).to_latex().split("\n")
    assert lines[lines.index(r"\midrule") + 1 :][:2] == [r"{[}ours] & 1 \\", r"{*}theirs & 2 \\"]


@pytest.mark.parametrize(
    ("summary", "digits", "text"),
    [
        (summarise([0.81, 0.83]), 1, "82.0 ± 1.4"),
        (summarise([0.81, 0.83]), 2, "82.00 ± 1.41"),
        (Summary(0.5, None, 1), 1, "50.0"),
        (Summary(-0.5, 0.0, 2), 1, "−50.0 ± 0.0"),
        (None, 1, ""),
    ],
)
def test_percent(summary, digits, text):
    assert percent(summary, digits) == text
