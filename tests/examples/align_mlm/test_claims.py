"""Verdicts on the paper's claims by hand."""

import pytest

from tests.examples.align_mlm.made_up import claims, report, rows, study


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
