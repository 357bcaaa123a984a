"""Configurations: what is read, what is refused, and rates of dropout that are ours."""

import json
import sys
from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.bodies.families import BODIES
from xalign_fairseq.encoder.config import EncoderConfig

FAMILY = BODIES["modernbert"]
FOUND = {
    "model_type": "modernbert", "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 2, "mlp_dropout": 0.25, "torch_dtype": "float32", "auto_map": {"AutoModel": "code.Model"},
}  # fmt: skip


def test_only_what_a_family_names_is_kept():
    assert FAMILY.check(FOUND, "here").keys() == FOUND.keys() - {"torch_dtype", "auto_map"}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"hidden_size": None}, "no hidden_size"),
        ({"hidden_size": "16"}, "hidden_size"),
        ({"rope_parameters": [1]}, "rope_parameters"),
        ({"position_embedding_type": "sans_pos"}, "position_embedding_type sans_pos"),
    ],
)
def test_settings_of_another_form_are_refused(change, match):
    with pytest.raises(XalignError, match=match):
        FAMILY.check({**FOUND, **change}, "here")


def test_what_transformers_refuses_is_told():
    settings = FAMILY.check({**FOUND, "rope_parameters": {"full_attention": {"rope_type": "no such"}}}, "here")
    with pytest.raises(XalignError):
        TransformersBody(FAMILY.encoder_config(settings, 60, "here"))


def test_sizes_and_rates_are_the_models_own():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    assert (config.encoder_layers, config.encoder_embed_dim, config.activation_dropout) == (2, 16, 0.25)
    assert json.loads(config.transformers_config)["hidden_size"] == 16
    assert EncoderConfig.from_options(config.as_options() | {"activation_dropout": 0.25}, 60) == config


def test_rates_of_dropout_are_those_of_the_options():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    body = TransformersBody(replace(config, dropout=0.5, activation_dropout=0.0))
    assert body.rest.embeddings.drop.p == 0.5 and body.layers[0].inner.mlp.drop.p == 0


def test_other_sizes_than_the_configurations_are_refused():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    with pytest.raises(XalignError, match="encoder_layers 3"):
        TransformersBody(replace(config, encoder_layers=3))


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(XalignError, match=r"pip install .transformers>=5"):
        FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
