import sys

import pytest
import torch
from support.warm_start import run_warm
from torch import nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.building import Undrawn, build_encoder, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(30, 2, 8, 16, 2, max_positions=10, language_embeddings="en,de")


@pytest.fixture
def encoder():
    torch.manual_seed(1)
    return Encoder(CONFIG).eval()


def test_parameters_are_not_drawn_inside_but_after():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    with Undrawn():
        Encoder(CONFIG)
        nn.init.normal_(tensor=torch.zeros(3))
    assert torch.equal(torch.get_rng_state(), before)
    assert nn.Linear(8, 8).weight.std() > 0
    assert not torch.equal(torch.get_rng_state(), before)


def test_the_encoder_has_the_tensors_themselves(encoder):
    given = encoder.state_dict()
    built = build_encoder(CONFIG, given)
    assert not built.training
    for name, value in built.state_dict().items():
        assert value.data_ptr() == given[name].data_ptr(), name
    assert built.lm_head.weight is built.sentence_encoder.embed_tokens.weight
    assert all(parameter.requires_grad for parameter in built.parameters())
    assert shapes(CONFIG) == {name: tuple(value.shape) for name, value in given.items()}
    halves = build_encoder(CONFIG, {name: value.half() for name, value in given.items()})
    assert {parameter.dtype for parameter in halves.parameters()} == {torch.float32}


def test_missing_and_unexpected_names(encoder):
    given = encoder.state_dict()
    given["extra"] = given.pop("lm_head.dense.bias")
    del given["lm_head.weight"]  # the embeddings by another name
    with pytest.raises(XalignError, match=r"missing \['lm_head.dense.bias'\], unexpected \['extra'\]"):
        build_encoder(CONFIG, given)


def test_building_imports_no_compiler():
    program = """
import sys
from xalign_fairseq.encoder.building import build_encoder, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

config = EncoderConfig(30, 2, 8, 16, 2)
shapes(config), build_encoder(config, Encoder(config).state_dict())
print("torch._dynamo" in sys.modules)
"""
    done = run_warm([sys.executable, "-c", program])
    assert done.stdout == "False\n", done.stderr
