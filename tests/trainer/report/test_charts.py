import re
from xml.etree import ElementTree

import pytest

from xalign_fairseq.trainer.report.charts import (
    HEIGHT,
    WIDTH,
    duration,
    line_chart,
    nice_ticks,
    section,
    table,
    thinned,
)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (7.9, 9.3, [7.5, 8, 8.5, 9, 9.5]),
        (0, 1, [0, 0.25, 0.5, 0.75, 1]),
        (25.1, 31, [24, 26, 28, 30, 32]),
        (-0.5, 0.5, [-0.5, -0.25, 0, 0.25, 0.5]),
        (5, 5, [4.5, 4.75, 5, 5.25, 5.5]),
    ],
)
def test_ticks_are_round_and_hold_all(low, high, ticks):
    assert nice_ticks(low, high) == ticks


@pytest.mark.parametrize("value", [0.0, 1e-12, 1e9, -3e-5, 1e300])
def test_one_value_has_ticks_around_it(value):
    ticks = nice_ticks(value, value)
    assert ticks[0] <= value <= ticks[-1] and 3 <= len(ticks) <= 8


def test_thinning_keeps_the_mean_and_the_end():
    points = [(n, float(n % 7)) for n in range(1, 4001)]
    fewer = thinned(points)
    assert len(fewer) == 400 and fewer[-1][0] == 4000 and fewer[0] == (10, sum(n % 7 for n in range(1, 11)) / 10)
    assert thinned(points[:400]) == points[:400] and thinned([]) == []


def test_a_chart_is_well_formed_and_within_its_picture():
    curves = {"training": [(10, 9.5), (20, 8.0)], "a <b>": [(20, 8.5)], "none": []}
    figure = ElementTree.fromstring(line_chart("loss & more", curves))
    assert figure.find("figcaption").text == "loss & more"
    assert [item[-1].tail or item.text for item in figure.findall("ul/li")] == ["training", "a <b>"]
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in figure.iter("circle")]
    assert len(dots) == 3 and all(0 < x <= WIDTH and 0 < y <= HEIGHT for x, y in dots)
    assert dots[0][1] < dots[1][1]  # the higher number is higher
    assert next(figure.iter("title")).text == "training, update 10: 9.5"


def test_one_curve_has_no_key_and_none_no_chart():
    assert "<ul>" not in line_chart("loss", {"training": [(1, 2.0)]})
    assert line_chart("loss", {"training": []}) == ""


def test_many_points_have_no_dots():
    chart = line_chart("loss", {"training": [(n, float(n)) for n in range(5000)]})
    assert "<circle" not in chart and len(re.findall("L", chart)) < 400


def test_a_table_escapes_and_marks_numbers():
    found = table(("name", "n"), [("<b>", "3")], numbers=1)
    assert "&lt;b&gt;" in found and '<td class="number">3</td>' in found and '<th class="number">n</th>' in found
    assert '<th scope="row">seed</th><td>1</td>' in table((), [("seed", "1")])


def test_without_content_there_is_nothing():
    assert table(("a",), []) == "" and section("Data", "") == "" and section("A & B", "x").count("A &amp; B") == 1


@pytest.mark.parametrize(("seconds", "text"), [(7.4, "7 s"), (3723, "1:02:03"), (90000, "1 day, 1:00:00")])
def test_durations(seconds, text):
    assert duration(seconds) == text
