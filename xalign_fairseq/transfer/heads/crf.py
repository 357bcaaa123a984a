"""A linear-chain conditional random field over the tags of a sentence (Lafferty et al., 2001)."""

import torch
from torch import Tensor, nn

from xalign_fairseq.transport.precision import at_least_float32


class LinearChainCRF(nn.Module):
    r"""p(y | x) = exp(s(x, y)) / Z(x) with

    .. math:: s(x, y) = b_{y_1} + \sum_w e_{w, y_w} + \sum_{w > 1} t_{y_{w-1}, y_w} + f_{y_n}

    Scores e are given; those of the first tag b, of neighbours t and of the last tag f are learned, from 0. Everything
    is computed in log space, in float32 for narrower input.

    Args:
        tags: number of tags.
    """

    def __init__(self, tags: int):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(tags))
        self.neighbours = nn.Parameter(torch.zeros(tags, tags))
        self.last = nn.Parameter(torch.zeros(tags))

    def negative_log_likelihood(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """-log p(tags) of each sentence, (B,) in nats.

        Args:
            scores: (B, W, tags).
            tags: (B, W) int64; a word with -1 may have any tag (the sum over all of them).
            mask: (B, W) bool, True at words; padding comes after them.
        """
        scores = at_least_float32(scores)
        every = torch.arange(scores.shape[-1], device=tags.device)
        other = (tags[..., None] != every) & (tags[..., None] >= 0) & mask[..., None]
        # One run over the words for both sums: of all taggings, and of those that agree with the tags.
        both = torch.cat([scores, scores.masked_fill(other, -torch.inf)])
        partition, agreeing = self._log_sum(both, mask.repeat(2, 1)).chunk(2)
        return partition - agreeing

    def _log_sum(self, scores: Tensor, mask: Tensor) -> Tensor:
        """log of the sum over all taggings of exp(s): the forward algorithm; (B,)."""
        first, neighbours, last = self._parameters_as(scores)
        alpha = first + scores[:, 0]
        for w in range(1, scores.shape[1]):
            step = (alpha[:, :, None] + neighbours).logsumexp(1) + scores[:, w]
            alpha = torch.where(mask[:, w, None], step, alpha)
        return (alpha + last).logsumexp(1)

    def decode(self, scores: Tensor, mask: Tensor) -> Tensor:
        """The best tagging of each sentence, (B, W) int64 (Viterbi); meaningless at padding.

        Args:
            scores: (B, W, tags).
            mask: (B, W) bool, True at words; padding comes after them.
        """
        scores = at_least_float32(scores)
        if not scores.shape[1]:
            return torch.zeros_like(mask, dtype=torch.long)
        first, neighbours, last = self._parameters_as(scores)
        best = first + scores[:, 0]
        stay = torch.arange(best.shape[1], device=best.device).expand_as(best)
        before: list[Tensor] = []
        for w in range(1, scores.shape[1]):
            value, previous = (best[:, :, None] + neighbours).max(1)
            word = mask[:, w, None]
            best = torch.where(word, value + scores[:, w], best)
            before.append(torch.where(word, previous, stay))
        tags = [(best + last).argmax(1)]
        for previous in reversed(before):
            tags.append(previous.gather(1, tags[-1][:, None])[:, 0])
        return torch.stack(tags[::-1], 1)

    def _parameters_as(self, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.first.to(scores.dtype), self.neighbours.to(scores.dtype), self.last.to(scores.dtype)
