"""Verdicts on the paper's claims by hand."""

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
