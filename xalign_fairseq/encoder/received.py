"""How much attention the tokens of a sentence get from each other, as their weight in it."""

import torch
from torch import Tensor

from xalign_fairseq.encoder.transformer import SelfAttention
from xalign_fairseq.transport.precision import at_least_float32


@torch.no_grad()
def received_attention(attention: SelfAttention, x: Tensor, mask: Tensor) -> Tensor:
    r"""The share of attention that each token receives within its sentence, by a layer's own query and key maps.

    :math:`w_j = \frac1{hn} \sum_{k \le h} \sum_{i \le n} \mathrm{softmax}_j(q_i^k \cdot k_j^k / \sqrt d)`, the mean
    over the h heads and n tokens of the sentence, whose softmax is over these tokens alone: special tokens, padding and
    the other sentence of a pair neither give nor take any. No gradient flows.

    Args:
        attention: of the layer.
        x: (B, n, H), the states that this layer reads.
        mask: (B, n) bool, the tokens of the sentence.

    Returns:
        (B, n) float32 (float64 for such states), 0 outside the mask, with sum 1 where there is a token.
    """
    heads = (attention.heads, x.shape[2] // attention.heads)
    q, k = (map_(x).unflatten(2, heads).transpose(1, 2) for map_ in (attention.q_proj, attention.k_proj))
    scores = at_least_float32(q @ k.transpose(2, 3) * q.shape[-1] ** -0.5)
    # Finite instead of -inf, which would make a sentence without a token NaN.
    weights = scores.masked_fill(~mask[:, None, None, :], torch.finfo(scores.dtype).min).softmax(-1)
    given = weights.mean(1).masked_fill(~(mask[:, :, None] & mask[:, None, :]), 0.0).sum(1)
    return given / mask.sum(1, keepdim=True).clamp_min(1)
