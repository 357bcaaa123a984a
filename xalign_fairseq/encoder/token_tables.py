"""Token embeddings for encoders that are not trained: rows of a mapped table, converted on demand.

A batch needs some hundreds of 250,002 rows. A table that is never written can stay in its file, where processes share
its pages, and keep the file's form: four bits per weight, or float32 for an encoder in bfloat16.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.precision import dtype_name

BLOCK = 32  # weights in four bits with a common scale
BLOCK_BYTES = 2 + BLOCK // 2


class Lookup(nn.Module):
    """Replaces ``nn.Embedding`` by a table that is not a parameter, (V, H) of floats or (V, H / 32 * 18) uint8."""

    def __init__(self, table: Tensor, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.table, self.dtype = table.detach(), dtype

    def forward(self, tokens: Tensor) -> Tensor:
        rows = embedding(tokens, self.table)
        return (unpack(rows) if rows.dtype == torch.uint8 else rows).to(self.dtype)


def look_up(encoder: Encoder, table: Tensor, dtype: torch.dtype = torch.float32) -> None:
    """Give an encoder a :class:`Lookup`, and remove the masked-language-model head, which needs the whole table."""
    encoder.sentence_encoder.embed_tokens = Lookup(table, dtype)  # type: ignore[assignment]
    if hasattr(encoder, "lm_head"):
        del encoder.lm_head


def convert(encoder: Encoder, device: torch.device, dtype: str) -> None:
    """Move an encoder that is not trained to a device and a dtype, in place.

    Weights are converted once, except token embeddings on the CPU. These usually stay mapped from their file, and
    lookups convert the rows of a batch.
    """
    states = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    table = encoder.sentence_encoder.embed_tokens
    if isinstance(table, Lookup):
        look_up(encoder, table.table.to(device), states)
    elif device.type == "cpu" and states != table.weight.dtype:
        look_up(encoder, table.weight, states)
    encoder.to(device, states)


def dtype_of(encoder: Encoder) -> str:
    return dtype_name(next(encoder.sentence_encoder.parameters()).dtype)


def is_packed(table: Tensor, dim: int) -> bool:
    """Whether token embeddings of a hidden size are in four bits, for :func:`unpack`."""
    return table.dtype == torch.uint8 and dim % BLOCK == 0 and table.shape[1:] == (dim // BLOCK * BLOCK_BYTES,)


def unpack(blocks: Tensor) -> Tensor:
    """Weights (..., N * 32) in float32 of blocks (..., N * 18) uint8: for each block of 32, (codes - 8) times scale.

    A block has the scale in float16, then 16 bytes; byte j has weight j in the low four bits and weight j + 16 in the
    high four.
    """
    each = blocks.unflatten(-1, (-1, BLOCK_BYTES))
    scales, codes = each[..., :2].contiguous().view(torch.float16), each[..., 2:]
    return torch.cat([codes & 15, codes >> 4], -1).float().sub_(8).mul_(scales.float()).flatten(-2)
