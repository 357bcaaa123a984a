import inspect
from dataclasses import fields

import pytest
import torch
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY
from support.small import CONFIG, pair, typed
from support.trials import Trial, build_criterion, build_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.objectives import DWA, TLM
from xalign_fairseq.objectives.dwa import DwaConfig
from xalign_fairseq.objectives.registry import OBJECTIVES, Loss, Objective, ObjectiveConfig, choice, register_objective


@pytest.fixture(scope="module")
def length():
    """An objective that is registered late, after the criterions."""

    @register_objective("length_of_states", dataclass=ObjectiveConfig)
    class Length(Objective):
        needs = ("bitext",)

        def forward(self, step):
            hidden = step.encoder.states(step.bitext.input()).layer(-1)
            return Loss(hidden.norm(), torch.tensor(len(hidden)))

    return Length


def test_a_late_objective_has_options_a_criterion_and_a_loss(length):
    assert length.name == "length_of_states" and length.config_class is ObjectiveConfig
    assert OBJECTIVES["length_of_states"] is length
    for name in ("xlm_align", "length_of_states"):
        assert CRITERION_DATACLASS_REGISTRY[name]().length_of_states_weight == 1.0
    criterion = build_criterion("xlm_align", objectives="tlm,length_of_states", length_of_states_weight=2.0)
    model = build_model(criterion)
    sample = collate([pair(5, 7), pair(2, 3)], [])
    _, size, logs = criterion(model, sample)
    hidden = model.encoder.states(sample["bitext"]["tokens"]).layer(-1)
    assert logs["length_of_states/loss/sum"].item() == pytest.approx(hidden.norm().item(), rel=1e-10)
    assert size == logs["tlm/loss/count"] + 2


def test_the_names_and_needs_of_objectives_are_checked(length):
    with pytest.raises(XalignError, match=r"registered already[\s\S]*length_of_states"):
        register_objective("length_of_states", dataclass=ObjectiveConfig)(length)

    class Unknown(length):
        needs = ("bitext", "images")

    with pytest.raises(XalignError, match=r"unknown stream[\s\S]*images[\s\S]*bitext"):
        register_objective("unknown_stream", dataclass=ObjectiveConfig)(Unknown)
    assert "unknown_stream" not in OBJECTIVES


def test_an_objective_without_a_head_gets_none(length):
    trial = Trial(length)
    assert not trial.heads and trial.objective.build_head(CONFIG) is None
    step = trial.objective.step(trial.passes(), typed([pair(5, 7)]))
    assert step.head is None and trial.loss(typed([pair(5, 7)])).count == 1


def test_the_side_of_the_pivot_is_told_for_each_pair(length):
    trial = Trial(length)
    bitext = typed([pair(2, 2, langs=langs) for langs in ((0, 1), (1, 0), (0, 1))]).bitext
    assert trial.objective.pivot_side(bitext).tolist() == [0, 1, 0]
    trial.objective.pivot = None
    with pytest.raises(XalignError, match=r"length_of_states aligns[\s\S]*pivot_lang[\s\S]*aa, bb"):
        trial.objective.pivot_side(bitext)


def test_a_choice_is_one_of_those_that_there_are():
    assert choice("mean", ("first", "mean"), "--x") == "mean"
    with pytest.raises(XalignError, match=r"--x[\s\S]*best[\s\S]*first, mean"):
        choice("best", ("first", "mean"), "--x")


def test_options_by_name_are_those_of_the_configuration():
    made = DWA(label_layer=1, weight=0.5)
    assert made.cfg == DwaConfig(label_layer=1, weight=0.5) and DWA(made.cfg).cfg is made.cfg
    assert TLM().cfg == TLM.config_class()
    shown = inspect.signature(DWA).parameters
    assert [*shown] == [option.name for option in fields(DwaConfig)] and shown["mu"].default == DwaConfig.mu


def test_an_unknown_option_is_named_with_those_that_there_are():
    with pytest.raises(XalignError, match=r"no such option[\s\S]*TranslationLanguageModel[\s\S]*lables[\s\S]*weight"):
        TLM(lables=3)
    with pytest.raises(TypeError):  # a configuration has them all
        TLM(TLM.config_class(), weight=2.0)
