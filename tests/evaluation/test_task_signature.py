from xalign_fairseq import __version__
from xalign_fairseq.evaluation.metric import Metric, ratio
from xalign_fairseq.evaluation.signature import parse_signature, task_signature


def metric(name="accuracy", variant="share of items"):
    return Metric(name, ("correct", "items"), lambda gold, mine, language: (gold == mine, 1), ratio, variant)


def test_the_line():
    found = task_signature(metric(), "xnli", "0123456789ab", language="de")
    assert found == (
        "metric:accuracy|variant:share of items|benchmark:xnli|language:de|data:sha256-0123456789ab"
        f"|version:{__version__}"
    )


def test_parts_are_read_back_whatever_they_hold():
    line = task_signature(metric(variant="a|b: c\n d"), "pos", "ff", language="zh", windows=128)
    assert "\n" not in line
    assert parse_signature(line) == {
        "metric": "accuracy",
        "variant": "a/b: c d",
        "benchmark": "pos",
        "language": "zh",
        "windows": "128",
        "data": "sha256-ff",
        "version": __version__,
    }
