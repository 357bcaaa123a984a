"""Names and settings of the families, against transformers' own models and by hand."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.huggingface.families import BERT, DISTILBERT, XLM_R, find_family
from xalign_fairseq.encoder.transformer import Encoder


@pytest.mark.parametrize("family", [XLM_R, BERT, DISTILBERT], ids=lambda family: family.title)
def test_every_parameter_has_a_name_in_transformers(build, family):
    names = {family.their_name(name) for name in Encoder(EncoderConfig(9, 3, 24, 40, 4)).state_dict()}
    found = {name.removeprefix(family.prefix) for name in build(family.architecture).state_dict()}
    types = {"embeddings.token_type_embeddings.weight"} if family.token_types else set()
    assert found == names | {*types, *family.tied}
    assert {family.full_name(name) for name in found} == set(build(family.architecture).state_dict())


@pytest.mark.parametrize(
    ("ours", "xlm_r", "bert", "distilbert"),
    [
        (
            "sentence_encoder.layers.13.fc1.bias",
            "roberta.encoder.layer.13.intermediate.dense.bias",
            "bert.encoder.layer.13.intermediate.dense.bias",
            "distilbert.transformer.layer.13.ffn.lin1.bias",
        ),
        (
            "sentence_encoder.layernorm_embedding.weight",
            "roberta.embeddings.LayerNorm.weight",
            "bert.embeddings.LayerNorm.weight",
            "distilbert.embeddings.LayerNorm.weight",
        ),
        (
            "lm_head.dense.weight",
            "lm_head.dense.weight",
            "cls.predictions.transform.dense.weight",
            "vocab_transform.weight",
        ),
        ("lm_head.bias", "lm_head.bias", "cls.predictions.bias", "vocab_projector.bias"),
        (
            "lm_head.weight",
            "roberta.embeddings.word_embeddings.weight",
            "bert.embeddings.word_embeddings.weight",
            "distilbert.embeddings.word_embeddings.weight",
        ),
    ],
)
def test_names_by_hand(ours, xlm_r, bert, distilbert):
    for family, expected in ((XLM_R, xlm_r), (BERT, bert), (DISTILBERT, distilbert)):
        assert family.full_name(family.their_name(ours)) == expected


def test_families_are_found_by_their_model_type():
    assert find_family("xlm-roberta", "here") is XLM_R and find_family("bert", "here") is BERT
    assert find_family("distilbert", "here") is DISTILBERT
    for other in ("gpt2", None):
        with pytest.raises(
            XalignError, match=rf"not supported\n  where: here\n  found: model_type {other}\n.*bert, distilbert \(XLM"
        ):
            find_family(other, "here")
