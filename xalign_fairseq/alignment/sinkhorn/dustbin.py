"""Unbalanced transport with a dustbin: words without a partner send their mass there. Log domain, plain torch."""

import torch
from torch import Tensor

from xalign_fairseq.errors import XalignError, check_values


def check_dustbin_options(dustbin: float, mu: float, iterations: int) -> None:
    """Raise XalignError for the first option that has no meaning."""
    check_values(
        "an option of transport with a dustbin has no such value",
        ("dustbin", dustbin, 0 <= dustbin <= 1, "0 to 1"),
        ("mu", mu, mu > 0, "a number above 0"),
        ("iterations", iterations, iterations >= 1, "1 or more"),
    )


def dustbin_plan(
    scores: Tensor,
    src_mask: Tensor,
    tgt_mask: Tensor,
    dustbin: float | Tensor,
    *,
    mu: float = 0.1,
    iterations: int = 20,
) -> Tensor:
    r"""Transport plan of each pair, with one more row and one more column for tokens without a partner.

    The scores get a last row and a last column of the dustbin's score z (as Sarlin et al., 2020, match key points;
    unbalanced transport for words: Arase et al., 2023), :math:`K = \exp(\bar S/\mu)`. Every token has mass 1, the
    source's dustbin (last row) m and the target's (last column) n, so that either side has n + m in all and any token
    may stay alone. Each iteration scales the rows of K to these marginals, then the columns, which the plan meets
    exactly; its rows come near with iterations.

    Args:
        scores: (B, n, m), any floating dtype; 16-bit ones are widened to float32. Gradients flow.
        src_mask: (B, n) bool, the tokens of the source side.
        tgt_mask: (B, m) bool, the tokens of the target side.
        dustbin: z, in the unit of the scores; a tensor of one element may be learnt.
        mu: weight of the entropy.
        iterations: passes over both sides, 1 or more.

    Returns:
        (B, n + 1, m + 1), 0 at padding; a pair with an empty side has nothing but its dustbins.

    Raises:
        XalignError: the shapes do not fit.

    Example::

        mask = torch.ones(1, 2, dtype=torch.bool)
        plan = dustbin_plan(torch.tensor([[[1.0, 0.0], [0.0, 0.1]]]), mask, mask, 0.5)
        plan[0, 1].argmax()  # 2: the second token stays alone
    """
    if scores.dim() != 3 or src_mask.shape != scores.shape[:2] or tgt_mask.shape != scores.shape[::2]:
        raise XalignError(
            "scores and masks do not belong together",
            found=f"{tuple(scores.shape)}, {tuple(src_mask.shape)}, {tuple(tgt_mask.shape)}",
            expected="(B, n, m), (B, n), (B, m)",
        )
    wide = scores if scores.dtype == torch.float64 else scores.float()
    batch, n, m = wide.shape
    kernel = torch.as_tensor(dustbin, dtype=wide.dtype, device=wide.device).expand(batch, n + 1, m + 1).clone()
    kernel[:, :n, :m] = wide
    rows, columns = _with_dustbin(src_mask), _with_dustbin(tgt_mask)
    inside = rows[:, :, None] & columns[:, None, :]
    # Finite instead of -inf, which would make the gradients at padding NaN.
    kernel = (kernel / mu).masked_fill(~inside, torch.finfo(wide.dtype).min / 4)
    row_mass, column_mass = _marginals(rows, tgt_mask, wide.dtype), _marginals(columns, src_mask, wide.dtype)
    v = torch.zeros_like(column_mass)
    for _ in range(iterations):
        u = (row_mass - torch.logsumexp(kernel + v[:, None, :], 2)).masked_fill(~rows, 0.0)
        v = (column_mass - torch.logsumexp(kernel + u[:, :, None], 1)).masked_fill(~columns, 0.0)
    return (kernel + u[:, :, None] + v[:, None, :]).exp().masked_fill(~inside, 0.0)


def _with_dustbin(mask: Tensor) -> Tensor:
    return torch.cat([mask, mask.new_ones(len(mask), 1)], 1)


def _marginals(own: Tensor, other: Tensor, dtype: torch.dtype) -> Tensor:
    """Logarithms (B, n + 1) of the masses of one side; its dustbin has that of all the other side's tokens."""
    logs = torch.zeros(own.shape, dtype=dtype, device=own.device)
    # Without any token there is no mass to take, and its logarithm would be infinite.
    logs[:, -1] = other.sum(1).clamp_min(1).to(dtype).log()
    return logs
