"""Verdicts on the paper's claims by hand."""

import math

import pytest

from tests.examples.align_mlm.made_up import add, claims, report, rows, study


def test_claims_by_hand(results):
    text = report.to_markdown(study.read(results))
    found = {(row[0], row[2]): row[3:] for row in rows(text, "Claims")}
    best = "With inversion ALIGN-MLM transfers best"
    verdict, points, _, _ = found[best, "ALIGN-MLM − XLM; Trans + Inv"]
    assert (verdict, points) == ("**holds**", "−30.0")
    assert found[best, "ALIGN-MLM − MLM; Trans + Inv"][:2] == ["**holds**", "−60.0"]
    # a gap of 0 is below 3 points, one of 10 above
    script = "Another script alone is no obstacle"
    assert found[script, "MLM − 3 points, Trans"][:2] == ["**holds**", "−3.2"]
    assert found[script, "XLM − 3 points, Trans"][:2] == ["**does not hold**", "+6.8"]
    assert len(found) == 3 + 2 + 1  # of dictionaries the one of 25 % alone
    assert not any(claim.startswith("Shared") or "syntax" in claim for claim, _ in found)


def test_both_tests_must_find_a_difference(tmp_path):
    """All seeds of ALIGN-MLM are better, but they differ as much among themselves."""
    for seed, wobble in ((1, 5), (2, 25), (3, 45)):
        add(tmp_path, f"align_mlm.trans_inv-{seed}", 9, 5, wobble=wobble)
        add(tmp_path, f"mlm.trans_inv-{seed}", 9, 5)
    [found] = claims.judge(study.read(tmp_path), ["pos"])
    # gaps of 39, 35 and 31 against 40 points: t = 5 / (4 / sqrt(3)), two degrees of freedom
    t = 5 / (4 / math.sqrt(3))
    assert found.difference == pytest.approx(-0.05)
    assert found.p_seeds == pytest.approx(1 - t / math.sqrt(t**2 + 2))
    assert found.p_bootstrap < 0.05 < found.p_value == found.p_holm and found.verdict == "unclear"


def test_correction_is_over_the_tests_of_a_claim_in_a_task(results):
    found = [each for each in claims.judge(study.read(results), ["pos"]) if "inversion" in each.claim]
    raw = sorted(each.p_value for each in found)
    expected = [min(1, 3 * raw[0]), max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert sorted(each.p_holm for each in found) == pytest.approx(expected)


def test_one_seed_is_tested_over_items_alone(tmp_path):
    add(tmp_path, "align_mlm.trans_inv-1", 9, 8)
    add(tmp_path, "xlm.trans_inv.parallel100-1", 9, 5)
    add(tmp_path, "mlm.trans-1", 9, 9)
    [found] = claims.judge(study.read(tmp_path), ["pos"])
    assert (
        found.p_seeds is None and found.verdict == "holds" and found.says.startswith("ALIGN-MLM − XLM, parallel 100 %")
    )
