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


def test_families_are_found_by_their_model_type():
    assert find_family("xlm-roberta", "here") is XLM_R and find_family("bert", "here") is BERT
    assert find_family("distilbert", "here") is DISTILBERT
    for other in ("gpt2", None):
        with pytest.raises(
            XalignError, match=rf"not supported\n  where: here\n  found: model_type {other}\n.*bert, distilbert \(XLM"
        ):
            find_family(other, "here")
