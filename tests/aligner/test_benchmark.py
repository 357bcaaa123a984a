import pytest

from xalign_fairseq.aligner.benchmark import System, compare_systems
from xalign_fairseq.links.aer import AlignmentCounts
from xalign_fairseq.links.bootstrap import paired_bootstrap_of_sets

GOOD = [AlignmentCounts(2, 2, 2, 2), AlignmentCounts(1, 2, 3, 2), AlignmentCounts(0, 1, 1, 1)] * 10
BAD = [AlignmentCounts(0, 0, 2, 2), AlignmentCounts(1, 1, 3, 2), AlignmentCounts(0, 1, 4, 1)] * 10


def test_means_intervals_and_tests_against_the_first():
    systems = [
        System("good", "a", [GOOD, GOOD[:9]]),
        System("bad", "b", [BAD, BAD[:9]]),
        System("same", "c", [GOOD, GOOD[:9]]),
    ]
    good, bad, same = compare_systems(systems, ["x", "y"], samples=200)
    assert good["sets"][0]["aer"] == pytest.approx(1 - (3 + 5) / (6 + 5)) and good["sets"][1]["sentences"] == 9
    assert good["aer"] == pytest.approx(good["sets"][0]["aer"])  # both sets are equal
    assert good["interval"][0] < good["aer"] < good["interval"][1] and "p_value" not in good
    assert bad["difference"] == pytest.approx(bad["aer"] - good["aer"]) and bad["p_value"] < 0.01
    assert bad["holm"] == pytest.approx(2 * bad["p_value"])  # the smaller p of two tests
    assert same["difference"] == 0 and same["p_value"] == same["holm"] == 1
    test = paired_bootstrap_of_sets(systems[0].counts, systems[1].counts, samples=200, seed=1)
    assert bad["difference_interval"] == (test.low, test.high) and bad["signature"] == "b"
