"""Scores of dependency arcs and their labels: the deep biaffine parser's output layers (Dozat & Manning, 2017)."""

import torch
from torch import Tensor, nn

from xalign_fairseq.transport.precision import at_least_float32


class Biaffine(nn.Module):
    r"""Scores of heads and of labels from the hidden states h_0 (root), h_1 ... h_n of a sentence.

    Each word is mapped to four vectors: as a dependent d and as a head g, for arcs and for labels, all of them
    dropout(leaky_relu(W h + b)). Then (equations 6 and 3 of the paper)

    .. math:: s(w, g) = d_w^T U g_g + u^T g_g, \qquad
              s(w, g, l) = d_w^T U_l g_g + v_l^T [d_w; g_g] + b_l

    U, u and U_l start at 0, so that at first all heads are equally likely.

    Args:
        size: of a hidden state, H.
        labels: number of labels.
        arc_size, label_size: of the four vectors.
        dropout: of the four vectors; the same entries are dropped in all words of a sentence.
    """

    def __init__(self, size: int, labels: int, arc_size: int = 500, label_size: int = 100, dropout: float = 0.33):
        super().__init__()
        self.arc_dependent = _Map(size, arc_size, dropout)
        self.arc_head = _Map(size, arc_size, dropout)
        self.arc_weight = nn.Parameter(torch.zeros(arc_size, arc_size))
        self.arc_bias = nn.Parameter(torch.zeros(arc_size))
        self.label_dependent = _Map(size, label_size, dropout)
        self.label_head = _Map(size, label_size, dropout)
        self.label_weight = nn.Parameter(torch.zeros(labels, label_size, label_size))
        self.label_linear = nn.Linear(2 * label_size, labels)

    def arc_scores(self, states: Tensor, mask: Tensor) -> Tensor:
        """Scores of every head of every word, (B, W, 1 + W), at least float32, from states (B, 1 + W, H), the root's
        first.

        A word as its own head, and padding as a head, have -inf; nothing else has.
        """
        heads, dependents = self.arc_head(states), self.arc_dependent(states[:, 1:])
        # Sums of hundreds of products: half precision could overflow.
        scores = at_least_float32(dependents @ self.arc_weight) @ at_least_float32(heads).transpose(1, 2)
        scores = scores + at_least_float32(heads @ self.arc_bias)[:, None]
        words = torch.arange(mask.shape[1], device=mask.device)
        itself = words[:, None] + 1 == torch.arange(mask.shape[1] + 1, device=mask.device)
        padding = nn.functional.pad(~mask, (1, 0))
        return scores.masked_fill(itself | padding[:, None], -torch.inf)

    def label_scores(self, states: Tensor, heads: Tensor, mask: Tensor) -> Tensor:
        """Scores of the labels under the given heads (B, W), 0 for the root, (words, labels), at least float32.

        ``words`` are the True entries of ``mask`` in their order, so that memory grows with their number alone.
        """
        rows = torch.arange(len(heads), device=heads.device)[:, None].expand_as(heads)[mask]
        governors = self.label_head(states)[rows, heads[mask]]
        dependents = self.label_dependent(states[:, 1:])[mask]
        bilinear = torch.einsum("nd,lde,ne->nl", dependents, self.label_weight, governors)
        return at_least_float32(bilinear + self.label_linear(torch.cat([dependents, governors], 1)))


class _Map(nn.Module):
    """dropout(leaky_relu(W h + b)), with one draw of dropped entries for each sentence."""

    def __init__(self, size: int, out: int, dropout: float):
        super().__init__()
        self.linear = nn.Linear(size, out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor) -> Tensor:
        """(B, T, H) -> (B, T, out)."""
        mapped = nn.functional.leaky_relu(self.linear(states), 0.1)
        return mapped * self.dropout(mapped.new_ones(len(mapped), 1, mapped.shape[2]))
