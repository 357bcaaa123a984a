import pytest

from xalign_fairseq.evaluation.figures import percent, signed
from xalign_fairseq.evaluation.statistics import Summary, summarise


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


@pytest.mark.parametrize(
    ("number", "digits", "text"), [(1.25, 1, "+1.2"), (-0.52, 1, "−0.5"), (-0.02, 1, "0.0"), (0.004, 2, "0.00")]
)
def test_what_rounds_to_zero_has_no_sign(number, digits, text):
    assert signed(number, digits) == text
