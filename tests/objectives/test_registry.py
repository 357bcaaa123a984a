from dataclasses import dataclass, replace

import pytest
import torch
from support.processes import type_checked
from support.small import CONFIG, pair, typed
from support.trials import Trial

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives.registry import OBJECTIVES, Loss, Objective, Traits, choice, option, register_objective


@pytest.fixture(scope="module")
def length():
    """An objective registered after the criterions."""

    @register_objective("length_of_states")
    @dataclass
    class Length(Objective):
        traits = Traits(needs=("bitext",))
        layer: int | None = option(None, "layer whose states are measured")

        def forward(self, step):
            hidden = step.encoder.states(step.bitext.input()).layer(-1)
            return Loss(hidden.norm(), torch.tensor(len(hidden)))

    return Length


def test_registrations_are_checked(length):
    with pytest.raises(XalignError, match=r"already registered[\s\S]*length_of_states"):
        register_objective("length_of_states")(length)

    class Unknown(length):
        traits = Traits(needs=("bitext", "images"))

    class Undecorated(length):
        factor: float = option(1.0, "no dataclass reads it")

    for cls, complaint in ((Unknown, r"unknown stream[\s\S]*images[\s\S]*bitext"), (Undecorated, "not a dataclass")):
        with pytest.raises(XalignError, match=complaint):
            register_objective("refused")(cls)
    assert "refused" not in OBJECTIVES


def test_the_side_of_the_pivot_is_found_for_each_pair(length):
    objective = Trial(length).objective
    bitext = typed([pair(2, 2, langs=langs) for langs in ((0, 1), (1, 0), (0, 1))]).bitext
    assert objective.pivot_side(bitext).tolist() == [0, 1, 0]
    objective.bind(replace(objective.context, pivot=None))
    with pytest.raises(XalignError, match=r"(?s)do not determine.*length_of_states aligns.*aa, bb.*set pivot_lang"):
        objective.pivot_side(bitext)


def test_options_are_checked_by_their_names(length):
    objective = Trial(length, layer=-2).objective
    assert objective.resolve_layer("layer", usual=1) == CONFIG.encoder_layers - 1
    assert Trial(length).objective.resolve_layer("layer", usual=1) == 1
    with pytest.raises(XalignError, match=r"length_of_states_layer[\s\S]*found: 9"):
        Trial(length, layer=9).objective.resolve_layer("layer")
    objective.require_values(layer=(True, "0"))
    with pytest.raises(XalignError, match=r"out of range[\s\S]*length_of_states_layer[\s\S]*found: -2[\s\S]*0 or more"):
        objective.require_values(layer=(False, "0 or more"))
    assert choice("mean", ("first", "mean"), "x") == "mean"
    objective.how = "best"
    with pytest.raises(XalignError, match=r"length_of_states_how[\s\S]*best[\s\S]*first, mean"):
        objective.require_choices(how=("first", "mean"))


@pytest.mark.slow  # checks the whole package
def test_mypy_checks_options(tmp_path):
    pytest.importorskip("mypy")
    calls = ("reveal_type(DWA(label_layer=8).label_layer)", "DWA(label_layers=8)", 'DWA(mu="1")')
    found = type_checked("\n".join(["from xalign_fairseq.objectives import DWA", *calls]), tmp_path)
    assert 'program.py:2: note: Revealed type is "int | None"' in found
    assert 'program.py:3: error: Unexpected keyword argument "label_layers" for "DWA"' in found
    assert 'program.py:4: error: Argument "mu" to "DWA" has incompatible type "str"; expected "float"' in found
    assert "Found 2 errors" in found
