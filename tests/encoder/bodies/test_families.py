import json
import sys
from dataclasses import replace

import pytest
import torch
from support.body_folders import write_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.bodies.families import BODIES, SIZES, read_settings, takes_positions, warn_of_dropout
from xalign_fairseq.encoder.config import DROPOUTS, EncoderConfig
from xalign_fairseq.encoder.pretrained.reading import open_model

FAMILY = BODIES["modernbert"]
FOUND = {
    "model_type": "modernbert",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "mlp_dropout": 0.25,
    "torch_dtype": "float32",
    "auto_map": {"AutoModel": "code.Model"},
}


@pytest.mark.parametrize("given", ["llama", None, 3, ["modernbert"]])
def test_an_unknown_architecture_is_refused_with_a_list(given):
    with pytest.raises(XalignError, match="modernbert, deberta-v2"):
        read_settings(json.dumps({"model_type": given}), "config.json")


def config_of(kind, **settings):
    """The configuration of an encoder of a family; None: of our own."""
    form = settings
    if kind:
        form = {"model_type": kind, **dict.fromkeys(SIZES.values(), 4), **settings}
    return EncoderConfig(
        60, encoder_embed_dim=4, encoder_attention_heads=4, transformers_config=json.dumps(form) if form else ""
    )


@pytest.mark.parametrize(
    ("kind", "settings", "taken"),
    [
        (None, {}, True),
        ("modernbert", {}, True),
        ("deberta-v2", {}, True),
        ("deberta-v2", {"position_biased_input": True}, True),
        ("deberta-v2", {"position_biased_input": False}, False),
    ],
)
def test_encoders_with_relative_positions_take_no_positions(kind, settings, taken):
    assert takes_positions(config_of(kind, **settings)) is taken


@pytest.mark.parametrize(("kind", "lacks"), [("deberta-v2", ["activation_dropout"]), ("modernbert", []), (None, [])])
def test_unsupported_dropout_rates_give_a_warning(kind, lacks, caplog):
    config = config_of(kind)
    warn_of_dropout(config)
    assert not caplog.records
    warn_of_dropout(replace(config, **dict.fromkeys(DROPOUTS, 0.25)))
    assert [record.getMessage().split(" has no effect")[0] for record in caplog.records] == [
        f"{name} 0.25" for name in lacks
    ]


def test_only_settings_of_the_encoder_are_kept():
    assert FAMILY.check(FOUND, "here").keys() == FOUND.keys() - {"torch_dtype", "auto_map"}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"hidden_size": None}, "no hidden_size"),
        ({"hidden_size": "16"}, "hidden_size"),
        ({"rope_parameters": [1]}, "rope_parameters"),
    ],
)
def test_malformed_settings_are_refused(change, match):
    with pytest.raises(XalignError, match=match):
        FAMILY.encoder_config(FAMILY.check({**FOUND, **change}, "here"), 60, "here")


def test_a_setting_of_mmbert_that_transformers_ignores(tmp_path):
    write_model(tmp_path / "a", "modernbert")
    write_model(tmp_path / "b", "modernbert", position_embedding_type="sans_pos")
    tokens = torch.tensor([[0, 7, 8, 9, 2]])
    one, other = (open_model(tmp_path / name).encoder.states(tokens).layer(-1) for name in "ab")
    assert torch.equal(one, other)


def test_sizes_and_rates_are_the_models_own():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    assert (config.encoder_layers, config.encoder_embed_dim, config.activation_dropout) == (2, 16, 0.25)
    assert json.loads(config.transformers_config)["hidden_size"] == 16
    assert EncoderConfig.from_options(config.as_options() | {"activation_dropout": 0.25}, 60) == config


def test_dropout_rates_come_from_the_options():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    body = TransformersBody(replace(config, dropout=0.5, activation_dropout=0.0))
    assert body.rest.embeddings.drop.p == 0.5 and body.layers[0].inner.mlp.drop.p == 0


def test_sizes_that_differ_from_the_configuration_are_refused():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    with pytest.raises(XalignError, match="encoder_layers 3"):
        TransformersBody(replace(config, encoder_layers=3))


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(XalignError, match=r"pip install .transformers>=5"):
        FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
