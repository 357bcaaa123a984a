"""Dependency trees from arc scores: the best tree with exactly one word under the root."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from xalign_fairseq.transfer.heads.features import require_finite
from xalign_fairseq.transport.precision import at_least_float32


def decode_trees(scores: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    r"""The best tree of each sentence, :math:`\arg\max_{tree} \sum_w s(w, head(w))`, with one word under the root.

    By the algorithm of Chu & Liu (1965) and Edmonds (1967) unless the best heads form a tree. Scores are (B, W, 1 + W),
    ``[b, w, h]`` of head ``h`` for word ``w + 1`` (0: the root); returns heads (B, W) int64, -1 beyond the length.
    """
    batch, words = scores.shape[:2]
    inside = np.arange(words) < np.asarray(lengths).reshape(batch, 1)
    allowed = inside[:, :, None] & np.pad(inside, ((0, 0), (1, 0)), constant_values=True)[:, None]
    allowed[:, np.arange(words), np.arange(words) + 1] = False
    scores = np.where(allowed, scores, -np.inf).astype(np.float64)
    require_finite(torch.from_numpy(scores[allowed]))
    heads = np.where(inside, scores.argmax(2), -1)
    for row in np.flatnonzero(~_are_trees(heads)).tolist():
        length = lengths[row]
        heads[row, :length] = maximum_spanning_tree(scores[row, :length, : length + 1])
    return heads


def maximum_spanning_tree(scores: np.ndarray) -> np.ndarray:
    """The heads (W,) of the best tree of one sentence with one word under the root, from scores (W, 1 + W) float64.

    All arcs from the root lose a large constant, so that one is best (cf. Stanojević & Cohen, 2021).
    """
    words = len(scores)
    square = np.full((words + 1, words + 1), -np.inf)
    square[1:] = scores
    np.fill_diagonal(square, -np.inf)
    finite = square[np.isfinite(square)]
    square[1:, 0] -= 1 + words * (finite.max() - finite.min())
    return _arborescence(square)[1:]


def _are_trees(heads: np.ndarray) -> np.ndarray:
    """(B,): the rows of heads (B, W), -1 at padding, that are trees with one word under the root."""
    one_root = (heads == 0).sum(1) == 1
    reached = np.pad(heads.clip(min=0), ((0, 0), (1, 0)))
    for _ in range(heads.shape[1].bit_length()):
        reached = np.take_along_axis(reached, reached, 1)
    return (one_root | (heads < 0).all(1)) & ~reached.any(1)


def _arborescence(score: np.ndarray) -> np.ndarray:
    """Chu-Liu/Edmonds on scores (n, n) of [node, head], root 0, in place; returns heads (n,), the root's is -1."""
    size = len(score)
    node, head = (grid.copy() for grid in np.indices((size, size)))
    best = score.argmax(1)
    alive = np.ones(size, dtype=bool)
    members: list[list[int]] = [[k] for k in range(size)]
    opened: list[tuple[list[int], int, int]] = []
    while len(cycle := _cycle(best, np.flatnonzero(alive))):
        alive[cycle] = False
        first, outside = cycle[0], np.flatnonzero(alive)
        # The cycle's arcs, each with the input nodes where the cycle can be entered instead.
        opened += [(members[k], node[k, best[k]], head[k, best[k]]) for k in cycle]
        gain = score[np.ix_(cycle, outside)] - score[cycle, best[cycle]][:, None]
        entered = cycle[gain.argmax(0)]
        left = cycle[score[np.ix_(outside, cycle)].argmax(1)]
        for table in (node, head):
            into, out = table[entered, outside], table[outside, left]
            table[first, outside], table[outside, first] = into, out
        out_scores = score[outside, left]
        score[first, outside], score[outside, first] = gain.max(0), out_scores
        score[:, cycle[1:]] = -np.inf
        best[outside[~alive[best[outside]]]] = first
        best[first] = score[first].argmax()
        members[first] = [k for each in cycle for k in members[each]]
        alive[first] = True
    heads = np.full(size, -1)
    for k in np.flatnonzero(alive)[1:]:
        heads[node[k, best[k]]] = head[k, best[k]]
    # From the outermost cycle inwards: the node where a cycle is entered gets a new head, the others keep theirs.
    for inside, own_node, own_head in reversed(opened):
        if (heads[inside] < 0).all():
            heads[own_node] = own_head
    return heads


def _cycle(heads: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """The nodes of one cycle of ``heads``, or none."""
    above, walk = heads.tolist(), dict.fromkeys([0], 0)
    for start in nodes.tolist():
        at = start
        while at not in walk:
            walk[at] = start
            at = above[at]
        if at and walk[at] == start:
            found = [at]
            while above[found[-1]] != at:
                found.append(above[found[-1]])
            return np.array(found)
    return np.array([], dtype=np.int64)


class Biaffine(nn.Module):
    r"""Scores of heads and of labels from the hidden states h_0 (root), h_1 ... h_n of a sentence.

    With vectors dropout(leaky_relu(W h + b)) of dependents d and heads g (equations 6 and 3 of the paper)

    .. math:: s(w, g) = d_w^T U g_g + u^T g_g, \qquad
              s(w, g, l) = d_w^T U_l g_g + v_l^T [d_w; g_g] + b_l

    U, u and U_l start at 0: at first all heads are equally likely. Dropout is the same for all words of a sentence.
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
        """Scores of every head, (B, W, 1 + W), of states (B, 1 + W, H); -inf for the word itself and padding."""
        heads, dependents = self.arc_head(states), self.arc_dependent(states[:, 1:])
        # Sums of hundreds of products: half precision could overflow.
        scores = at_least_float32(dependents @ self.arc_weight) @ at_least_float32(heads).transpose(1, 2)
        scores = scores + at_least_float32(heads @ self.arc_bias)[:, None]
        words = torch.arange(mask.shape[1], device=mask.device)
        itself = words[:, None] + 1 == torch.arange(mask.shape[1] + 1, device=mask.device)
        padding = nn.functional.pad(~mask, (1, 0))
        return scores.masked_fill(itself | padding[:, None], -torch.inf)

    def label_scores(self, states: Tensor, heads: Tensor, mask: Tensor) -> Tensor:
        """Scores (words, labels) of the labels under the heads (B, W), for the True entries of ``mask`` in order."""
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
