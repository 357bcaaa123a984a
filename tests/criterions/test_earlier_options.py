"""Options of checkpoints that an earlier version wrote."""

import xalign_fairseq

xalign_fairseq.register()

from fairseq.criterions import CRITERION_DATACLASS_REGISTRY  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

from xalign_fairseq.criterions.earlier_options import of_today  # noqa: E402

EARLIER = {
    "_name": "xlm_align", "objectives": "mlm,dwa", "dwa_label_layer": None, "dwa_method": "transport", "dwa_mu": None,
    "dwa_sinkhorn_iterations": 3, "dwa_eps": None, "dwa_order": None, "dwa_dustbin": None, "dwa_filter": "argmax",
    "dwa_filter_rounds": 2, "aer_filter": "itermax",
}  # fmt: skip


def test_what_was_left_to_the_method_is_left_out():
    found = of_today(OmegaConf.create(EARLIER))
    assert found == {
        "_name": "xlm_align", "objectives": "mlm,dwa", "dwa_label_layer": None, "dwa_method": "transport",
        "dwa_sinkhorn_iterations": 3, "dwa_filter": "argmax", "dwa_filter_rounds": 2, "aer_filter": "itermax",
    }  # fmt: skip
    OmegaConf.merge(CRITERION_DATACLASS_REGISTRY["xlm_align"](), found)  # as fairseq does, which refuses None


def test_the_dustbins_options_have_names_of_their_own():
    found = of_today(OmegaConf.create({**EARLIER, "dwa_method": "ot-unbalanced", "dwa_mu": 0.2, "dwa_dustbin": 0.4}))
    assert {name: found[name] for name in found if "dustbin" in name} == {
        "dwa_dustbin_iterations": 3, "dwa_dustbin_mu": 0.2, "dwa_dustbin": 0.4, "dwa_dustbin_filter": "argmax",
    }  # fmt: skip
    assert "dwa_mu" not in found and "dwa_filter" not in found


def test_options_of_today_and_of_other_criterions_stay():
    today = OmegaConf.structured(CRITERION_DATACLASS_REGISTRY["xlm_align"]())
    assert of_today(today) is today
    other = OmegaConf.create({"_name": "transfer"})
    assert of_today(other) is other


def test_options_that_are_no_more_are_left_out():
    gone = {"moco_momentum_schedule": "constant", "moco_momentum_end": 1.0, "moco_momentum_updates": 0}
    for rest in (
        {"_name": "ppa", "dwa_method": "softmax", "dwa_dustbin_mu": 0.1},
        {"_name": "ppa", "moco_momentum": 0.9},
    ):
        found = of_today(OmegaConf.create({**rest, **gone}))
        assert found == rest
        OmegaConf.merge(CRITERION_DATACLASS_REGISTRY["ppa"](), found)  # which refuses what it does not know
