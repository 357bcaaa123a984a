"""The one list of models: all families are on it, errors tell it, and what is said of others."""

import pytest
from support.body_folders import write_model
from support.huggingface_folders import configure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.families import BODIES
from xalign_fairseq.encoder.pretrained.huggingface.families import FAMILIES
from xalign_fairseq.encoder.pretrained.huggingface.supported import NOT_SUPPORTED, SUPPORTED, refusal, supported_table
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


def test_every_family_is_on_the_list_and_no_other():
    assert {row.model_type for row in SUPPORTED} == {*FAMILIES, *BODIES}
    assert not NOT_SUPPORTED.keys() & {*FAMILIES, *BODIES}


def test_the_list_says_what_runs_the_layers():
    layers = {row.model_type: row.layers for row in SUPPORTED}
    assert layers["bert"] == "our own, packed"
    assert layers["modernbert"] == "transformers, packed" and layers["deberta-v2"] == "transformers, padded"
    table = supported_table()
    assert all(f"`{name}`" in table for name in (*layers, *NOT_SUPPORTED)) and "LLM2Vec" in table


@pytest.mark.parametrize(("model_type", "why"), [
    ("llama", "LLM2Vec"), ("t5", "English"), ("no such", "one of xlm-roberta, bert, distilbert"), (None, "modernbert"),
])  # fmt: skip
def test_another_model_is_refused_by_the_list(tmp_path, model_type, why):
    assert why in str(refusal(model_type, "here"))
    write_model(tmp_path, "eurobert")
    configure(tmp_path, model_type=model_type)
    with pytest.raises(XalignError, match=f"model_type {model_type}(.|\n)*mt5, m2m_100"):
        read_pretrained(tmp_path)
