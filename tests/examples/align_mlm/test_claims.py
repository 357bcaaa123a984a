"""Verdicts on the paper's claims by hand."""

import numpy as np
import pytest

from tests.examples.align_mlm.made_up import claims, report, rows, study
from xalign_fairseq.evaluation.metric import ratio


def test_claims_by_hand(results):
    text = report.to_markdown(study.read(results))
    found = {(row[0], row[2]): row[3:] for row in rows(text, "Claims")}
    best = "With inversion ALIGN-MLM transfers best"
    verdict, points, _, _ = found[best, "ALIGN-MLM − XLM; Trans + Inv"]
    assert (verdict, points) == ("**holds**", "−30.0")
    assert found[best, "ALIGN-MLM − MLM; Trans + Inv"][:2] == ["**holds**", "−60.0"]
    # a gap of 0 is below 3 points, a gap of 10 above
    script = "Another script alone is no obstacle"
    assert found[script, "MLM − 3 points, Trans"][:2] == ["**holds**", "−3.2"]
    assert found[script, "XLM − 3 points, Trans"][:2] == ["**does not hold**", "+6.8"]
    assert len(found) == 3 + 2 + 1  # dictionaries: only 25 %
    assert not any(claim.startswith("Shared") or "syntax" in claim for claim, _ in found)


def test_correction_is_over_the_tests_of_a_claim_in_a_task(results):
    found = [each for each in claims.judge(study.read(results), ["pos"]) if "inversion" in each.claim]
    raw = sorted(each.p_value for each in found)
    expected = [min(1, 3 * raw[0]), max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert sorted(each.p_holm for each in found) == pytest.approx(expected)


def compared(first, second):
    """Runs of 100 items, the first of which are correct: one number per run."""
    sides = [[np.stack([np.arange(100) < each, np.ones(100)], axis=1) for each in side] for side in (first, second)]
    return claims.Finding(claim="", task="pos", says="", **claims.compare(*sides, ratio))


def test_two_sides_with_seeds_are_compared_by_welch():
    # means 32 and 46, variances 4 and 52: t = 14 / sqrt(56 / 3) with 2.31 degrees of freedom; of equal variances 4
    assert compared([30, 32, 34], [40, 44, 54]).p_seeds == pytest.approx(0.068986, rel=1e-4)
    assert [compared([30, 30], [right] * 2).p_seeds for right in (30, 31)] == [1, 0]  # without spread: equal or not
