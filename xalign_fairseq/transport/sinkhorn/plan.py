"""The transport plan as a differentiable function: Sinkhorn with its own backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.transport.options import RELEASED, SinkhornOptions
from xalign_fairseq.transport.sinkhorn import backend, fused
from xalign_fairseq.transport.sinkhorn.reference import Problem, check_sinkhorn_shapes, finite, sinkhorn


def sinkhorn_plan(
    similarity: Tensor,
    src_mask: Tensor,
    tgt_mask: Tensor,
    options: SinkhornOptions = RELEASED,
    *,
    src_mass: Tensor | None = None,
    tgt_mass: Tensor | None = None,
) -> Tensor:
    r"""The plan of :func:`~xalign_fairseq.transport.sinkhorn.reference.sinkhorn`, differentiable with respect to S.

    The backward pass keeps no matrix of any iteration. With few iterations it recomputes the potentials of the forward
    pass and differentiates them, which is exact. From max(50, 10/mu) iterations on, it treats the plan as the fixed
    point (Luise et al., 2018; Eisenberger et al., 2022), where every iteration has the same effect on the gradient. Let
    R and C be the plan A divided by its row and its column sums, G the gradient with respect to A, and :math:`W = G
    \circ A`. The gradient with respect to log K is :math:`W - R \circ (W 1 - C z) 1^\top - C \circ 1 z^\top` with
    :math:`z = \sum_k (R^\top C)^k (W^\top 1 - R^\top W 1)`, which solves the fixed point's linear system after
    elimination of the rows' part. The sum has one term per iteration (rounded up to a power of two), by repeated
    squaring. The entries of z sum to 0, which fixes the system's free shift. This neglects that the plan has not
    converged; a smaller mu needs more iterations (tests/transport/sinkhorn/test_plan.py has the errors).

    Args:
        similarity: (B, n, m), any floating dtype. Gradients flow, in this dtype.
        src_mask: (B, n) bool, the tokens of the source side.
        tgt_mask: (B, m) bool, the tokens of the target side.
        options: at least 1 iteration; no gradient flows below ``eps``. The backward pass is in the log domain.
        src_mass: (B, n), the mass of each source token, 0 or more, without gradient; default: 1 each.
        tgt_mass: (B, m), likewise.

    Returns:
        (B, n, m) float32 (float64 for float64 input), by the selected backend. Padding, and
        pairs with NaN or an infinity, have a plan of 0 and a gradient of 0. It cannot be differentiated twice.

    Raises:
        XalignError: the shapes do not fit, a mask is not bool, there is no iteration, or a mass requires a gradient.

    Example::

        >>> mask = torch.ones(1, 2, dtype=torch.bool)
        >>> cosine = torch.tensor([[[0.9, 0.1], [0.2, 0.8]]], requires_grad=True)
        >>> plan = sinkhorn_plan(cosine.exp(), mask, mask, SinkhornOptions(iterations=20, mu=0.1))
        >>> (plan * (1 - cosine)).sum().backward()
        >>> cosine.grad.shape
        torch.Size([1, 2, 2])
    """
    check_sinkhorn_shapes(similarity, src_mask, tgt_mask, src_mass, tgt_mass)
    check_values(
        "a plan needs at least one iteration", ("iterations", options.iterations, options.iterations >= 1, "1 or more")
    )
    if any(mass is not None and mass.requires_grad for mass in (src_mass, tgt_mass)):
        raise XalignError("no gradient flows to masses", parameter=("src_mass", "tgt_mass"), remedy="detach them")
    given = (similarity, src_mask, tgt_mask, src_mass, tgt_mass, options)
    plan: Tensor = _Plan.apply(*given)  # type: ignore[no-untyped-call]
    return plan


class _Plan(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        similarity: Tensor,
        src_mask: Tensor,
        tgt_mask: Tensor,
        src_mass: Tensor | None,
        tgt_mass: Tensor | None,
        options: SinkhornOptions,
    ) -> Tensor:
        masses = {"src_mass": src_mass, "tgt_mass": tgt_mass}
        if backend.chosen(similarity) == "reference":
            plan = sinkhorn(similarity, src_mask, tgt_mask, options, **masses)
        else:  # the operator reads the first tokens of a side, so those outside the masks are moved behind them
            orders = [(~mask).byte().argsort(dim=1, stable=True) for mask in (src_mask, tgt_mask)]
            by_side = zip(masses.items(), orders, strict=True)
            moved = {name: mass if mass is None else mass.gather(1, order) for (name, mass), order in by_side}
            plan = fused.plan(_reordered(similarity, *orders), src_mask.sum(1), tgt_mask.sum(1), options, **moved)
            plan = _reordered(plan, *(order.argsort(1) for order in orders))
        ctx.options = options
        ctx.save_for_backward(similarity, src_mask, tgt_mask, src_mass, tgt_mass, plan if _converges(options) else None)
        return plan

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        similarity, src_mask, tgt_mask, src_mass, tgt_mass, plan = ctx.saved_tensors
        options: SinkhornOptions = ctx.options
        nothing = (None,) * 5
        if similarity.numel() == 0:
            return torch.zeros_like(similarity), *nothing
        wide = similarity.to(gradients[0].dtype)
        problem = Problem.of(wide, src_mask, tgt_mask, options, src_mass, tgt_mass)
        gradient = problem.turned(gradients[0]).masked_fill(problem.outside, 0.0)
        with torch.autocast(similarity.device.type, enabled=False):
            if plan is None:
                by_log = _unrolled(problem, gradient)
            else:
                by_log = _implicit(problem.turned(plan), gradient, options.iterations)
        # The derivative of log K = log max(eps, S) / mu, which is 0 at the floor.
        flat = problem.outside | problem.single | (problem.turned(wide) < options.eps)
        found = (by_log / (problem.values * options.mu)).masked_fill(flat, 0.0)
        return problem.turned(found).to(similarity.dtype), *nothing


def _reordered(matrices: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    places = rows[:, :, None] * matrices.shape[2] + columns[:, None]
    return matrices.flatten(1).gather(1, places.flatten(1)).view_as(matrices)


def _converges(options: SinkhornOptions) -> bool:
    """Whether this number of iterations comes near a fixed point; a smaller mu needs more."""
    return options.iterations >= max(50, 10 / options.mu)


def _unrolled(problem: Problem, gradient: Tensor) -> Tensor:
    """The gradient (B, n, m) with respect to log K from that of the plan, by differentiating each iteration."""
    logs = problem.log_kernel()
    row_mass, column_mass = problem.log_masses()
    f, steps = torch.zeros_like(logs[:, :, :1]), []
    for _ in range(problem.options.iterations):
        column_sum = finite((logs + f).logsumexp(1, keepdim=True))
        g = column_mass - column_sum
        row_sum = finite((logs + g).logsumexp(2, keepdim=True))
        steps.append((f, column_sum, g, row_sum))
        f = row_mass - row_sum
    by_log = gradient * (logs + f + g).exp()
    by_f, by_g = by_log.sum(2, keepdim=True), by_log.sum(1, keepdim=True)
    for before, column_sum, g, row_sum in reversed(steps):
        by_row_sum = by_f * (logs + g - row_sum).exp()
        by_g = by_g - by_row_sum.sum(1, keepdim=True)
        by_column_sum = by_g * (logs + before - column_sum).exp()
        by_log -= by_row_sum + by_column_sum
        by_f, by_g = -by_column_sum.sum(2, keepdim=True), torch.zeros_like(by_g)
    return by_log


def _implicit(plan: Tensor, gradient: Tensor, iterations: int) -> Tensor:
    """The same gradient, with the plan treated as the fixed point."""
    weighted = gradient * plan
    sums = (plan.sum(side, keepdim=True) for side in (2, 1))
    by_rows, by_columns = (plan * torch.where(each > 0, 1 / each, 0.0) for each in sums)  # 0 without mass
    by_f, by_g = weighted.sum(2, keepdim=True), weighted.sum(1)[:, :, None]
    z = by_g - by_rows.transpose(1, 2) @ by_f
    power = by_rows.transpose(1, 2) @ by_columns
    for doubling in range((iterations - 1).bit_length()):
        # No entry is negative, so squaring loses no digits.
        power = power @ power if doubling else power
        z = z + power @ z
    return weighted - by_rows * (by_f - by_columns @ z) - by_columns * z.transpose(1, 2)
