import sys

from xalign_fairseq.core.progress import progress, say


def test_lines_are_sparse_and_show_the_time_left(clock, capsys):
    with progress(total=40_000, unit=" pairs", desc="de-en") as bar:
        for _ in range(10):
            clock[0] += 10
            bar.update(1000)
    assert capsys.readouterr().err.splitlines() == [
        "de-en: 3,000 of 40,000 pairs, 100.0/s, 0:06:10 left",
        "de-en: 6,000 of 40,000 pairs, 100.0/s, 0:05:40 left",
        "de-en: 9,000 of 40,000 pairs, 100.0/s, 0:05:10 left",
    ]


def test_progress_counts_items_and_an_unknown_end_has_no_estimate(clock, capsys):
    for item in progress(range(3), unit=" files"):
        clock[0] += 31 * (item == 1)
    assert capsys.readouterr().err == "2 files, 0.1/s\n"


def test_short_and_quiet_work_prints_nothing(capsys, monkeypatch):
    assert list(progress([1, 2])) == [1, 2] == list(progress([1, 2], quiet=True))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert list(progress([1, 2], unit=" files")) == [1, 2]
    assert "2/2" in capsys.readouterr().err


def test_a_message_is_printed_above_the_bar(capsys, monkeypatch):
    say("alone")
    assert capsys.readouterr().err == "alone\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress(total=3) as bar:
        bar.update(1)
        capsys.readouterr()
        say("a warning")
        after = capsys.readouterr().err
    assert after.split("a warning\n")[0].strip() == "" and "/3" in after.split("a warning\n")[1]
