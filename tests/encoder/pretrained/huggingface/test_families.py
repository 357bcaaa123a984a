import re
from pathlib import Path

import pytest
from support.body_folders import write_model
from support.huggingface_folders import configure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.families import BODIES
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.huggingface.families import BERT, FAMILIES, NOT_SUPPORTED, XLM_R
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.transformer import Encoder


@pytest.mark.parametrize("family", [XLM_R, BERT], ids=lambda family: family.title)
def test_every_parameter_has_a_name_in_transformers(build, family):
    names = {family.their_name(name) for name in Encoder(EncoderConfig(9, 3, 24, 40, 4)).state_dict()}
    found = {name.removeprefix(family.prefix) for name in build(family.architecture).state_dict()}
    assert found == names | {"embeddings.token_type_embeddings.weight", *family.tied}
    assert {family.full_name(name) for name in found} == set(build(family.architecture).state_dict())


def test_the_page_lists_every_family_and_what_runs_its_layers():
    page = (Path(__file__).parents[4] / "docs/reference/hugging_face.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]*) \|", page, re.MULTILINE)[1:]  # below the head
    assert dict(rows) == {**dict.fromkeys(FAMILIES, "our own, packed"), **dict.fromkeys(BODIES, "transformers")}
    assert not NOT_SUPPORTED.keys() & dict(rows).keys() and all(f"`{name}`" in page for name in NOT_SUPPORTED)


@pytest.mark.parametrize(("model_type", "why"), [
    ("llama", "LLM2Vec"), ("no such", "one of xlm-roberta, bert"), (None, "modernbert"),
])  # fmt: skip
def test_another_model_is_refused_by_the_list(tmp_path, model_type, why):
    write_model(tmp_path, "modernbert")
    configure(tmp_path, model_type=model_type)
    with pytest.raises(XalignError, match=f"model_type {model_type}(.|\n)*modernbert, deberta-v2") as error:
        read_pretrained(tmp_path)
    assert why in str(error.value)
