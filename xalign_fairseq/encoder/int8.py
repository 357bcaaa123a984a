"""Linear maps in 8 bits a weight, for encoders that are only read on a CPU with products of bytes (VNNI).

Weights are symmetric, with a scale for each output; inputs are brought to 8 bits anew, with a scale for each token
("dynamic quantisation"), so that a token's output does not depend on the rest of its batch:

    s_o = max_i |w_oi| / 127,  t_n = max_i |x_ni| / 127,
    y_no = b_o + s_o t_n sum_i round(x_ni / t_n) round(w_oi / s_o)

The sum is exact, in 32 bits. So are a layer's q, k and fc1. What v, the output map and fc2 lose would go into the
hidden states as it is (F1 of e5-small's links against float32's, one pair in six of 16 development sets: 0.984 with all
maps in 8 bits, 0.989 without fc2, 0.991 without these three): they are in bfloat16 where the CPU is fast in it,
otherwise in float32, as the rest of an encoder is: its embeddings, norms, attention and activations.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.encoder.transformer import Encoder

LARGEST = 127
SENSITIVE = ("v_proj", "out_proj", "fc2")  # maps that stay wider


class Int8Linear(nn.Module):
    """Stands for ``nn.Linear``: each output is within (s_o sum |x_ni| + t_n sum |w_oi|) / 2 + I s_o t_n / 4 of its own.

    Args:
        linear: whose weights are rounded; of two inputs or more.

    Example::

        layer.fc1 = Int8Linear(layer.fc1)
    """

    weight: Tensor
    scale: Tensor
    bias: Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__()
        rounded, scale = quantise(linear.weight.detach().float())
        self.register_buffer("weight", rounded)
        self.register_buffer("scale", scale[:, 0])
        self.register_buffer("bias", bias_of(linear).float())

    def forward(self, x: Tensor) -> Tensor:
        """x (..., I) float32 -> (..., O) float32."""
        rounded, scale = quantise(x.flatten(0, -2))
        # torch 2.13 reads beyond a matrix of one row that has the strides of a column, which counts as contiguous.
        rounded = rounded.new_empty(rounded.shape).copy_(rounded)
        sums: Tensor = torch._int_mm(rounded, self.weight.t())
        out: Tensor = torch.addcmul(self.bias, sums * self.scale, scale).unflatten(0, x.shape[:-1])
        return out


class BFloat16Linear(nn.Module):
    """Stands for ``nn.Linear``: multiplies in bfloat16, between states in float32.

    Example::

        layer.fc2 = BFloat16Linear(layer.fc2)
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.register_buffer("weight", linear.weight.detach().bfloat16())
        self.register_buffer("bias", bias_of(linear).bfloat16())

    def forward(self, x: Tensor) -> Tensor:
        """x (..., I) float32 -> (..., O) float32."""
        return F.linear(x.bfloat16(), self.weight, self.bias).float()


def bias_of(linear: nn.Linear) -> Tensor:
    """The bias of a map, zeros where it has none."""
    return (linear.weight.new_zeros(linear.out_features) if linear.bias is None else linear.bias).detach()


def quantise(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Rows (N, I) as int8, and the scale of each (N, 1) by which they are multiplied to have the rows again."""
    scale = rows.abs().amax(1, keepdim=True).div_(LARGEST).clamp_min_(torch.finfo(rows.dtype).tiny)
    return (rows / scale).round_().to(torch.int8), scale


def to_int8(encoder: Encoder, bfloat16: bool) -> None:
    """Bring the linear maps of the layers to 8 bits, sensitive ones to bfloat16 if asked, otherwise not, in place."""
    for layer in encoder.sentence_encoder.layers:
        for module in list(layer.modules()):
            for name, child in module.named_children():
                if isinstance(child, nn.Linear) and name not in SENSITIVE:
                    setattr(module, name, Int8Linear(child))
                elif isinstance(child, nn.Linear) and bfloat16:
                    setattr(module, name, BFloat16Linear(child))
