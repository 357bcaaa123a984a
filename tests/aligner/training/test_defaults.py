"""A known family's own options of a run: with and without a head to learn."""

import pytest

from xalign_fairseq.aligner.training.defaults import FAMILIES, family_options
from xalign_fairseq.aligner.training.run import OBJECTIVES, TrainingRun
from xalign_fairseq.encoder.pretrained.known import KNOWN


@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_known_and_their_options_those_of_a_run(family):
    assert family in {model.family for model in KNOWN}
    alone, other = (family_options(family, each) for each in (True, False))
    assert (alone | other).keys() <= TrainingRun.__dataclass_fields__.keys()
    assert set(alone["objectives"]) <= OBJECTIVES.keys() and alone["warmup"] <= alone["updates"]


def test_another_model_has_none():
    assert family_options(None, True) == family_options("xlm-r-base", True) == {}
