"""Dependency trees from scores of arcs: the best tree in which exactly one word depends on the root."""

from collections.abc import Sequence

import numpy as np

from xalign_fairseq.core.errors import Parameter, XalignError


def decode_trees(scores: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    r"""The best tree of each sentence, :math:`\arg\max_{tree} \sum_w s(w, head(w))`, with one word under the root.

    If the best heads of all words form a tree, it is the best tree. Only the other sentences go through the algorithm
    of Chu & Liu (1965) and Edmonds (1967). Of equal heads the first one is taken.

    Args:
        scores: (B, W, 1 + W); ``[b, w, h]`` is for word ``w + 1`` with the head ``h``, and ``h`` = 0 is the root.
            Scores of a word as its own head, and beyond the sentence's length, are not read.
        lengths: words of each sentence.

    Returns:
        (B, W) int64, the heads, 0 for the root; -1 beyond the sentence's length.
    """
    batch, words = scores.shape[:2]
    inside = np.arange(words) < np.asarray(lengths).reshape(batch, 1)
    allowed = inside[:, :, None] & np.pad(inside, ((0, 0), (1, 0)), constant_values=True)[:, None]
    allowed[:, np.arange(words), np.arange(words) + 1] = False
    scores = np.where(allowed, scores, -np.inf).astype(np.float64)
    if not np.isfinite(scores[allowed]).all():
        raise XalignError(
            "the scores of the heads are not finite",
            where="parsing",
            found="nan or infinity",
            remedy=("if the training has diverged, try a lower", Parameter("lr"), "or no", Parameter("fp16")),
        )
    heads = np.where(inside, scores.argmax(2), -1)
    for row in np.flatnonzero(~_are_trees(heads)).tolist():
        length = lengths[row]
        heads[row, :length] = maximum_spanning_tree(scores[row, :length, : length + 1])
    return heads


def maximum_spanning_tree(scores: np.ndarray) -> np.ndarray:
    """The heads (W,) of the best tree of one sentence with one word under the root, from scores (W, 1 + W) float64.

    All arcs from the root lose the same constant, so large that a tree with one such arc beats every tree with more;
    differences between trees with one arc stay (Stanojević & Cohen, 2021, discuss the ways to have one root).
    """
    words = len(scores)
    square = np.full((words + 1, words + 1), -np.inf)
    square[1:] = scores
    np.fill_diagonal(square, -np.inf)
    finite = square[np.isfinite(square)]
    square[1:, 0] -= 1 + words * (finite.max() - finite.min())
    return _arborescence(square)[1:]


def _are_trees(heads: np.ndarray) -> np.ndarray:
    """Which rows of heads (B, W), -1 at padding, reach the root from every word and have one word under it; (B,)."""
    one_root = (heads == 0).sum(1) == 1
    reached = np.pad(heads.clip(min=0), ((0, 0), (1, 0)))
    for _ in range(heads.shape[1].bit_length()):
        reached = np.take_along_axis(reached, reached, 1)
    return (one_root | (heads < 0).all(1)) & ~reached.any(1)


def _arborescence(score: np.ndarray) -> np.ndarray:
    """Chu-Liu/Edmonds on scores (n, n) of [node, head], root 0; changes them. Returns the heads (n,), -1 for the root.

    While the best heads have a cycle, it is contracted into its first node: an arc into the cycle is worth what it
    gains over the cycle's own arc that it replaces. ``node`` and ``head`` say which arc of the input stands for each.
    """
    size = len(score)
    node, head = (grid.copy() for grid in np.indices((size, size)))
    best = score.argmax(1)
    alive = np.ones(size, dtype=bool)
    members: list[list[int]] = [[k] for k in range(size)]
    opened: list[tuple[list[int], int, int]] = []
    while len(cycle := _cycle(best, np.flatnonzero(alive))):
        alive[cycle] = False
        first, outside = cycle[0], np.flatnonzero(alive)
        # The cycle's own arcs, each with the nodes of the input that it can be entered by instead.
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
    # From the outermost cycle inwards: the node at which a cycle is entered gets its new head, the others keep theirs.
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
