"""Which families there are, and options that name none."""

import json
from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.families import BODIES, find_body, read_settings, takes_positions, warn_of_dropout
from xalign_fairseq.encoder.config import DROPOUTS, EncoderConfig


def test_a_family_is_found_by_its_model_type():
    assert all(find_body(name, "config.json").model_type == name for name in BODIES)


@pytest.mark.parametrize("given", ["llama", None, 3, ["mt5"]])
def test_another_architecture_is_refused_with_those_that_there_are(given):
    with pytest.raises(XalignError, match="modernbert, eurobert, mt5, m2m_100, deberta-v2"):
        find_body(given, "config.json")


@pytest.mark.parametrize("given", ["{", "[]", "{}", '{"model_type": "mt5"}', '{"model_type": "mt5", "d_model": "x"}'])
def test_a_damaged_option_is_refused(given):
    with pytest.raises(XalignError):
        read_settings(given, "--transformers-config")


def config_of(kind, **settings):
    """The configuration of an encoder of a family; None: of our own."""
    form = settings
    if kind:
        required = (*BODIES[kind].sizes.values(), *BODIES[kind].required)
        form = {"model_type": kind, **dict.fromkeys(required, 4), **settings}
    return EncoderConfig(
        60, encoder_embed_dim=4, encoder_attention_heads=4, transformers_config=json.dumps(form) if form else ""
    )


@pytest.mark.parametrize(("kind", "settings", "taken"), [
    (None, {}, True), ("modernbert", {}, True), ("mt5", {}, False), ("deberta-v2", {}, True),
    ("deberta-v2", {"position_biased_input": True}, True), ("deberta-v2", {"position_biased_input": False}, False),
])  # fmt: skip
def test_encoders_that_know_distances_alone_take_no_positions(kind, settings, taken):
    assert takes_positions(config_of(kind, **settings)) is taken


@pytest.mark.parametrize(("kind", "lacks"), [
    ("eurobert", ["dropout", "activation_dropout"]), ("mt5", ["attention_dropout", "activation_dropout"]),
    ("deberta-v2", ["activation_dropout"]), ("modernbert", []), (None, []),
])  # fmt: skip
def test_rates_of_dropout_that_a_family_lacks_are_warned_of(kind, lacks, caplog):
    config = config_of(kind)
    warn_of_dropout(config)
    assert not caplog.records
    warn_of_dropout(replace(config, **dict.fromkeys(DROPOUTS, 0.25)))
    assert [record.getMessage().split(" has no effect")[0] for record in caplog.records] == [
        f"{name} 0.25" for name in lacks
    ]
