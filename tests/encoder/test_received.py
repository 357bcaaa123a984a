"""Attention that tokens receive within their sentence, against plain loops."""

import math

import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.received import received_attention
from xalign_fairseq.encoder.transformer import SelfAttention

CONFIG = EncoderConfig(vocab_size=9, encoder_layers=1, encoder_embed_dim=12, encoder_attention_heads=3)
LENGTHS = (4, 1, 6, 0)


def attention(dtype=torch.float64):
    torch.manual_seed(0)
    made = SelfAttention(CONFIG).to(dtype)
    for parameter in made.parameters():  # far from equal shares, biases included
        torch.nn.init.normal_(parameter, std=0.8)
    return made


def batch(dtype=torch.float64):
    x = torch.randn(len(LENGTHS), 6, 12, dtype=dtype, generator=torch.Generator().manual_seed(1))
    return x, torch.arange(6) < torch.tensor(LENGTHS)[:, None]


@torch.no_grad()
def plain_shares(made, x):
    """Shares of the tokens of one sentence (n, H), head by head and query by query."""
    n, dim = len(x), 12 // 3
    shares = [0.0] * n
    for head in range(3):
        part = slice(head * dim, (head + 1) * dim)
        q, k = ((map_.weight @ x.T + map_.bias[:, None])[part].T for map_ in (made.q_proj, made.k_proj))
        for i in range(n):
            exps = [math.exp(float(q[i] @ k[j]) / math.sqrt(dim)) for j in range(n)]
            for j in range(n):
                shares[j] += exps[j] / sum(exps) / (3 * n)
    return torch.tensor(shares, dtype=torch.float64)


def test_shares_are_those_of_plain_loops():
    made, (x, mask) = attention(), batch()
    shares = received_attention(made, x, mask)
    for row, length in enumerate(LENGTHS):
        torch.testing.assert_close(shares[row, :length], plain_shares(made, x[row, :length]))
        assert shares[row, length:].eq(0).all()
    torch.testing.assert_close(shares.sum(1), torch.tensor([1.0, 1.0, 1.0, 0.0], dtype=torch.float64))
    assert shares[2].max() > 2 * shares[2].min()


def test_what_stands_outside_the_mask_is_not_read():
    made, (x, mask) = attention(), batch()
    other = x.masked_fill(~mask[:, :, None], 50.0)
    assert torch.equal(received_attention(made, other, mask), received_attention(made, x, mask))


def test_narrow_states_give_float32_without_gradient():
    x, mask = batch(torch.bfloat16)
    shares = received_attention(attention(torch.bfloat16), x.requires_grad_(), mask)
    assert shares.dtype == torch.float32 and not shares.requires_grad
    torch.testing.assert_close(shares.sum(1), torch.tensor([1.0, 1.0, 1.0, 0.0]))
