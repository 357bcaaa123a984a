import pytest
from support.transfer_data import CONFIGURATION

from xalign_fairseq.trainer.report.configuration import facts, groups


def test_the_summary_of_a_run():
    found = dict(facts({name: group for name, group in CONFIGURATION.items() if group}))
    assert found["objectives"] == "mlm × 1.0, dwa × 0.5" and found["encoder"] == "2 layers, 32 wide, 2 heads"
    assert found["batch"] == "at most 1,000 tokens" and found["precision"] == "bf16" and found["seed"] == "3"
    assert "begins with" not in found and "micro-batches" not in found  # a run's own last checkpoint
    assert facts({}) == [] and facts({"common": {"seed": 0}}) == [("seed", "0")]


@pytest.mark.parametrize(
    ("autocast", "told"),
    [("yes", "bf16 products (autocast)"), ("auto", "bf16 products where fast (autocast)"), ("no", "fp32")],
)
def test_precisions_are_named_without_option_values(autocast, told):
    assert facts({"model": {"autocast": autocast}}) == [("precision", told)]
    assert facts({"common": {"fp16": True}, "model": {"autocast": "no"}}) == [("precision", "fp16")]


def test_options_of_objectives_that_are_not_in_the_sum_are_left_out():
    other = {"mlm_more_weight": 1.0, "mlm_more_prob": 0.5}  # options of another objective with the same prefix
    criterion = {**CONFIGURATION["criterion"], **other}
    found = groups({**{name: group for name, group in CONFIGURATION.items() if group}, "criterion": criterion})
    names = {name for name, _ in found["criterion"]}
    assert "dwa_layer" in names and "mlm_weight" in names and "dict_mlm_prob" not in names
    assert not names & other.keys()
    assert "generation" not in found and ("aim_repo", "None") not in found["common"]
    assert ("seed", "3") in found["common"]
