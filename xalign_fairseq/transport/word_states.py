"""Hidden states of words: the mean of those of their tokens, of several layers at once."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import side_positions


class WordStates(NamedTuple):
    """The words of one side of a batch of pairs.

    Attributes:
        states: (B, W, L, H), float32 or float64, of norm 1; 0 where there is no word.
        tokens: (B, W), how many tokens each word has; 0 where there is no word, or one without tokens.
    """

    states: Tensor
    tokens: Tensor

    @property
    def lengths(self) -> Tensor:
        """(B,) words of each sentence, up to the last that has a token."""
        return ((self.tokens > 0) * torch.arange(1, self.tokens.shape[1] + 1, device=self.tokens.device)).amax(1)


def word_states(
    hidden: Tensor, spans: Tensor, side: int, words: Tensor, layers: int, width: int | None = None
) -> WordStates:
    """The words of one side; the gradient flows into the hidden states.

    Args:
        hidden: (B, T, L * H), the layers one behind the other in the last dimension.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        side: 0 source, 1 target.
        words: (B, n) int, the word index of each token of the side; -1 for a token of no word.
        layers: L.
        width: W, more than the highest number of a word; given, nothing is read back from the device.

    Example::

        src = word_states(hidden, spans, 0, src_words, layers=2)
        src.states.shape  # (B, words of the longest source, 2, H)
    """
    positions, mask = side_positions(spans, side, words.shape[1])
    rows = at_least_float32(hidden.gather(1, positions[..., None].expand(-1, -1, hidden.shape[2])))
    if width is None:
        width = int(words.max()) + 1 if words.numel() else 0
    owner = torch.where(mask, words, -1)
    # Products with 0 and 1 are deterministic, also on a GPU.
    member = (torch.arange(width, device=words.device)[:, None] == owner[:, None, :]).to(rows.dtype)
    tokens = member.sum(2)
    means = (member @ rows) / tokens.clamp(min=1)[..., None]
    split = means.view(*means.shape[:2], layers, means.shape[2] // layers)
    return WordStates(F.normalize(split, dim=3), tokens)
