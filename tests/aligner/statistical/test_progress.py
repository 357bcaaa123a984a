"""What is shown while statistics are learned."""

import io

from xalign_fairseq.aligner.statistical.progress import passes_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_counts_passes_of_all_units_those_of_an_earlier_run_too(monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with passes_bar() as show:
        show("unigram2000", 1, 9)
        show("unigram2000", 2, 9)
    last = terminal.getvalue().rstrip().split("\r")[-1]
    assert "| 11/36 [" in last
    assert "unigram2000 2/9" in last


def test_lines_where_there_is_no_terminal(monkeypatch, capsys):
    with passes_bar() as show:
        show("prefix4", 8, 9)
        show("prefix4", 9, 9)
    assert capsys.readouterr().err == "learned by prefix4, 1 of 4\n"
    with passes_bar(quiet=True) as show:
        show("prefix4", 9, 9)
    assert capsys.readouterr().err == ""
