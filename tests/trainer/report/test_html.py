"""Pieces of a page."""

import pytest

from xalign_fairseq.trainer.report.html import duration, section, table


def test_a_table_escapes_and_marks_numbers():
    found = table(("name", "n"), [("<b>", "3")], numbers=1)
    assert "&lt;b&gt;" in found and '<td class="number">3</td>' in found and '<th class="number">n</th>' in found
    assert '<th scope="row">seed</th><td>1</td>' in table((), [("seed", "1")])


def test_without_content_there_is_nothing():
    assert table(("a",), []) == "" and section("Data", "") == "" and section("A & B", "x").count("A &amp; B") == 1


@pytest.mark.parametrize(("seconds", "text"), [(7.4, "7 s"), (3723, "1:02:03"), (90000, "1 day, 1:00:00")])
def test_durations(seconds, text):
    assert duration(seconds) == text
