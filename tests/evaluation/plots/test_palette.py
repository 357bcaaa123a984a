import re
from itertools import combinations

import numpy as np
import pytest

from xalign_fairseq.evaluation.plots.palette import (
    ACCENT,
    COLOURS,
    DARK,
    INK,
    MARKERS,
    MUTED,
    PAPER,
    SCALE,
    in_both_lights,
    shade,
)

# Machado et al. (2009), severity 1, on linear RGB.
VISIONS = {
    "all": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])
LIGHT = [PAPER, *COLOURS]


def linear(colour):
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(colour, vision):
    """CIE L*a*b* of a colour as a person sees it."""
    x, y, z = XYZ @ np.clip(np.array(VISIONS[vision]) @ linear(colour), 0, 1) / [0.95047, 1, 1.08883]
    f = [np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    """WCAG's contrast ratio."""
    low, high = sorted(float(XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("paper", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_series_can_be_distinguished(vision, paper):
    colours = COLOURS if paper == "light" else [DARK[colour] for colour in COLOURS]
    assert min(np.linalg.norm(lab(one, vision) - lab(other, vision)) for one, other in combinations(colours, 2)) > 20
    assert len(set(MARKERS)) == len(COLOURS)


@pytest.mark.parametrize(
    ("colour", "least"), [(INK, 7), (MUTED, 4.4), (ACCENT, 4.4), *((each, 2.7) for each in COLOURS)]
)
def test_drawings_contrast_with_the_paper(colour, least):
    assert contrast(colour, PAPER) > least
    assert contrast(DARK[colour], DARK[PAPER]) > least


def test_a_higher_number_has_more_contrast_on_either_background():
    for colours, paper in ((SCALE, PAPER), ([DARK[step] for step in SCALE], DARK[PAPER])):
        ratios = [contrast(colour, paper) for colour in colours]
        assert ratios == sorted(ratios) and ratios[0] > 1.2
    assert [shade(number) for number in (-1, 0, 0.999, 1, 5)] == [SCALE[0], SCALE[0], *[SCALE[-1]] * 3]


def test_an_svg_picture_gets_a_rule_for_each_colour_in_it():
    paths = f'<path style="fill: {INK}; stroke: {PAPER}"/><path style="fill: #abcdef"/>'
    svg = f'<?xml version="1.0"?><svg a="b">{paths}</svg>'
    both = in_both_lights(svg)
    rules = re.findall(r'\[style\*="(\w+): (#\w+)"\] \{ \w+: (#\w+) !important \}', both)
    assert sorted(rules) == sorted([("fill", INK, DARK[INK]), ("stroke", PAPER, DARK[PAPER])])
    assert both.index('<svg a="b">') < both.index("<style>") < both.index("<path")
    assert re.sub("<style>.*</style>", "", both) == svg
