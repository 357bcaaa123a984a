"""Every criterion is the weighted sum with defaults of its own and the options of all objectives."""

import dataclasses

import pytest
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY
from hydra.core.config_store import ConfigStore
from support.trials import Task, build_criterion

from xalign_fairseq.criterions import presets
from xalign_fairseq.criterions.presets import CLASSES, PRESETS, add
from xalign_fairseq.criterions.weighted import WeightedConfig, WeightedCriterion
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.objectives.registry import OBJECTIVES, Loss, Objective, options_of, register_objective

LEXICON = Lexicon("aa", "bb", [5], [1], [40], [1], [0])


@pytest.mark.parametrize(
    ("name", "objectives", "defaults"),
    [
        ("xlm_align", ["mlm", "tlm", "dwa"], {"loss_normalization": "joint"}),
        ("explicit_alignments", ["word_contrastive", "reg_param"], {"loss_normalization": "per-objective"}),
        ("ppa", ["moco", "tlm"], {"loss_normalization": "per-objective"}),
        ("weam", ["tlm", "word_exchange"], {"loss_normalization": "joint"}),
        ("align_mlm", ["mlm", "lexicon_align"], {"loss_normalization": "per-objective", "lexicon_align_weight": 10.0}),
        ("xlm", ["mlm", "tlm"], {"tlm_reset_positions": True}),
    ],
)
def test_a_preset_is_what_its_paper_trains(name, objectives, defaults):
    made = build_criterion(name, Task(lexicons=[LEXICON]))
    assert isinstance(made, WeightedCriterion) and type(made) is CRITERION_REGISTRY[name]
    assert [objective.name for objective in made.active] == objectives
    options = CRITERION_DATACLASS_REGISTRY[name]()
    assert {option: getattr(options, option) for option in defaults} == defaults


def test_defaults_of_one_preset_are_not_those_of_others():
    assert CRITERION_DATACLASS_REGISTRY["xlm_align"]().lexicon_align_weight == 1.0
    assert CRITERION_DATACLASS_REGISTRY["xlm_align"]().tlm_reset_positions is False


def test_every_criterion_has_every_option_of_every_objective():
    expected = {field.name for field in dataclasses.fields(WeightedConfig)}
    for name, objective in OBJECTIVES.items():
        expected |= {f"{name}_{option.name}" for option in options_of(objective)}
    for name in (*OBJECTIVES, "weighted", "xlm_align"):
        assert {field.name for field in dataclasses.fields(CRITERION_DATACLASS_REGISTRY[name])} == expected


def test_the_help_of_an_option_names_its_objective():
    fields = {field.name: field for field in dataclasses.fields(CRITERION_DATACLASS_REGISTRY["weam"])}
    assert fields["moco_temperature"].metadata["help"] == "moco: temperature of InfoNCE"
    assert fields["moco_temperature"].default == 0.05


def test_a_preset_can_be_added(monkeypatch):
    monkeypatch.setattr(presets, "PRESETS", dict(presets.PRESETS))  # other tests ask for all that there are
    add("only_tlm", ("tlm",), tlm_weight=3.0)
    made = build_criterion("only_tlm")
    assert [objective.name for objective in made.active] == ["tlm"] and made.objectives[0].weight == 3.0
    assert CLASSES["only_tlm"] is type(made) and type(made).__name__ == "OnlyTlmCriterion"


def test_a_late_objective_reaches_the_criterions_that_there_are_by_command_line_and_by_yaml():
    @register_objective("late")
    class Late(Objective):
        def forward(self, step):
            return Loss(step.encoder.idle(), step.encoder.idle().long())

    assert PRESETS["late"] == ("late",)
    for name in ("xlm_align", "late"):
        assert CRITERION_DATACLASS_REGISTRY[name]().late_weight == 1.0  # fairseq's parser asks here
        assert CRITERION_REGISTRY[name].__dataclass().late_weight == 1.0  # and here
        node = ConfigStore.instance().repo["criterion"][f"{name}.yaml"].node  # and fairseq-hydra-train here
        assert node.late_weight == 1.0 and node._name == name
    both = build_criterion("xlm_align", objectives="tlm,late", late_weight=0.5)
    assert [objective.name for objective in both.active] == ["tlm", "late"] and both.active[1].weight == 0.5
    assert [objective.name for objective in build_criterion("late").active] == ["late"]
