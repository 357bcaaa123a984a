"""A known family's own options, of a run and where there is no head to learn."""

from xalign_fairseq.aligner.training.defaults import FAMILIES, family_options
from xalign_fairseq.aligner.training.run import OBJECTIVES, TrainingRun
from xalign_fairseq.encoder.known import KNOWN


def test_families_are_known_and_their_options_those_of_a_run():
    assert FAMILIES.keys() <= {model.family for model in KNOWN}
    for options in FAMILIES.values():
        assert options.keys() <= TrainingRun.__dataclass_fields__.keys()
        assert set(options["objectives"]) <= OBJECTIVES.keys() and options["warmup"] <= options["updates"]


def test_another_model_has_none():
    assert family_options(None, True) == family_options("xlm-r-base", True) == {}


def test_with_labels_of_others_layer_and_frozen_layers_alone_are_the_familys():
    assert family_options("e5-small", True)["objectives"] == ("self_training",)
    assert family_options("e5-small", False) == {"layer": 7, "freeze_layers": 0, "pointer_start": "identity"}
