"""Cross-entropy of a linear layer over a large vocabulary, without all logits in memory at once.

The vocabulary is processed in chunks. The forward pass adds each chunk's logits to a running log-sum-exp per
prediction. From it, the backward pass computes the gradient of each chunk's logits, and adds this to three sums.
Because gradients are computed in the backward pass, each prediction may have a different upstream gradient, loss
scaling applies before rounding to half precision, and each row of the embedding's gradient is written once.

Backward recomputes the logits of each chunk, except for the first :data:`KEPT` bytes. If their dtype is the precision
of the sums, their exponentials are kept, with the highest logits as reference. In half precision the logits are kept,
because small exponentials would be lost before loss scaling.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.transport.ops.products import linear, weight_gradient

# Numbers in a chunk of logits or embedding rows. On the CPU a chunk fits into the cache; a GPU needs large products.
CHUNK = {"cpu": 2**21}
CHUNK_ELSEWHERE = 2**26
NARROWEST = 512  # minimum width of a chunk, for any number of predictions
KEPT = 2**28  # bytes of logits kept for the backward pass
BLOCK = 64  # logits in a block, whose maximum is taken before the row's


class TokenLosses(NamedTuple):
    """For each of N predictions: - log p(label) in nats (N,), with gradient; whether the label has the highest logit
    (the first of equal logits counts); whether there is a label.
    """

    nll: Tensor
    correct: Tensor
    counted: Tensor


def linear_cross_entropy(features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor) -> TokenLosses:
    """nll_i = log sum_v exp(z_iv) - z_iy, with logits z = x E^T + b and y the label of prediction i.

    Products are in the precision of the parameters or of autocast; exponentials, sums and the gradient of x in float32
    at least. Extra memory besides the gradients is one chunk and :data:`KEPT` bytes. Nothing waits for the device, and
    the same input gives the same bits.

    Args:
        features: x, (N, H).
        weight: E, (V, H).
        bias: b, (V,).
        labels: y, (N,) int64. A negative label means no prediction: loss and gradients are 0. A label beyond the
            vocabulary has a loss of NaN.
    """
    kept = KEPT if torch.is_grad_enabled() else 0
    dtype = torch.promote_types(features.dtype, weight.dtype)
    if torch.is_autocast_enabled(features.device.type) and dtype != torch.float64:
        dtype = torch.get_autocast_dtype(features.device.type)
    given = (features, weight, bias, labels, dtype, kept)
    nll, correct = LinearCrossEntropy.apply(*given)  # type: ignore[no-untyped-call]
    counted = labels >= 0
    return TokenLosses(nll.masked_fill(~counted, 0), correct, counted)


class LinearCrossEntropy(torch.autograd.Function):
    """:func:`linear_cross_entropy`, and its gradients chunk by chunk."""

    @staticmethod
    def forward(
        ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, dtype: torch.dtype, kept: int
    ) -> tuple[Tensor, Tensor]:
        """Return nll and correct. ``dtype`` is the products' dtype; ``kept`` bytes of logits are kept for backward."""
        x = features.to(dtype)
        highest = x.new_full(labels.shape, -torch.inf, dtype=_of_sums(dtype))
        scale, chosen = torch.zeros_like(highest), torch.zeros_like(labels)
        of_label = torch.full_like(highest, torch.nan)
        ctx.kept, ctx.highest = {}, []
        chunks = _chunks(x, weight)
        half = dtype != highest.dtype
        scratch = _scratch(chunks if half else [], highest)
        for start, stop in chunks:
            logits = linear(x, weight[start:stop].to(dtype), bias[start:stop].to(dtype))
            wide = scratch[: logits.numel()].view_as(logits).copy_(logits) if half else logits
            top, at = _first_highest(wide)
            chosen = torch.where(top > highest, at + start, chosen)
            # Finite, so that a chunk of only -inf has no effect: a difference of two of them would be NaN.
            before, highest = highest, torch.maximum(highest, top).clamp_min(torch.finfo(highest.dtype).min)
            inside, place = _place(labels, start, stop)
            of_label = torch.where(inside, wide.gather(1, place)[:, 0], of_label)
            scale = scale * (before - highest).exp() + wide.sub_(highest[:, None]).exp_().sum(1)
            size = logits.numel() * logits.element_size()
            if size <= kept:
                ctx.kept[start], kept = logits, kept - size
            ctx.highest.append(highest)
        total = scale.log() + highest
        ctx.save_for_backward(features, weight, bias, labels, total)
        ctx.dtype = dtype
        correct = chosen == labels
        ctx.mark_non_differentiable(correct)
        return total - of_label, correct

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """dL/dz = (softmax(z) - [v = y]) dL/dnll; dL/dx = dL/dz E, dL/dE = dL/dz^T x, dL/db = its sum over rows."""
        features, weight, bias, labels, total = ctx.saved_tensors
        need_features, need_weight, need_bias = ctx.needs_input_grad[:3]
        upstream, x = grads[0], features.to(ctx.dtype)
        empty = torch.empty_like if len(labels) else torch.zeros_like  # without predictions there are no chunks
        grad_features = torch.zeros_like(features, dtype=_of_sums(ctx.dtype)) if need_features else None
        grad_weight = empty(weight) if need_weight else None
        grad_bias = empty(bias) if need_bias else None
        chunks = _chunks(x, weight)
        half = ctx.dtype != total.dtype
        scratch = _scratch(chunks if half else [], total)
        for (start, stop), highest in zip(chunks, ctx.highest, strict=True):
            rows = weight[start:stop].to(ctx.dtype)
            # The stored logits are freed after a first backward pass.
            logits = kept = ctx.kept.pop(start, None)
            if logits is None:
                logits = linear(x, rows, bias[start:stop].to(ctx.dtype))
            grad = scratch[: logits.numel()].view_as(logits).copy_(logits) if half else logits
            if half or kept is None:
                grad.sub_(highest[:, None]).exp_()
            grad.mul_(((highest - total).exp() * upstream)[:, None])
            inside, place = _place(labels, start, stop)
            grad.scatter_add_(1, place, torch.where(inside, -upstream, 0)[:, None])
            if grad_bias is not None:
                grad_bias[start:stop] = grad.sum(0)
            grad = logits.copy_(grad) if half else grad
            if grad_features is not None:
                grad_features += linear(grad, rows.t())
            if grad_weight is not None:
                weight_gradient(grad, x, out=grad_weight[start:stop])
        if grad_features is not None:
            grad_features = grad_features.to(features.dtype)
        return grad_features, grad_weight, grad_bias, None, None, None


def _of_sums(dtype: torch.dtype) -> torch.dtype:
    """The dtype of sums, at least float32: in half precision they overflow or lose the last terms."""
    return torch.promote_types(dtype, torch.float32)


def _chunks(features: Tensor, weight: Tensor) -> list[tuple[int, int]]:
    """The row ranges [start, stop) of the weight's chunks; none without predictions."""
    if not len(features):
        return []
    size = CHUNK.get(features.device.type, CHUNK_ELSEWHERE)
    width = max(size // max(features.shape) // BLOCK * BLOCK, NARROWEST)
    return [(start, min(start + width, len(weight))) for start in range(0, len(weight), width)]


def _scratch(chunks: list[tuple[int, int]], rows: Tensor) -> Tensor:
    """Memory for the widest chunk's logits in the dtype of sums; allocating per chunk would cost more than exp."""
    return rows.new_empty(max((stop - start for start, stop in chunks), default=0) * len(rows))


def _place(labels: Tensor, start: int, stop: int) -> tuple[Tensor, Tensor]:
    """Which labels are in a chunk, (N,), and their columns in it, (N, 1), arbitrary for other labels."""
    column = labels - start
    return (column >= 0) & (labels < stop), column.clamp(0, stop - start - 1)[:, None]


def _first_highest(logits: Tensor) -> tuple[Tensor, Tensor]:
    """The highest logit of each row (N, C), and its first column.

    ``max(1)`` reads one logit at a time; maxima of blocks are ten times as fast.
    """
    if logits.shape[1] % BLOCK:
        return logits.max(1)
    blocks = logits.unflatten(1, (-1, BLOCK))
    top, block = blocks.amax(2).max(1)
    inside = blocks.gather(1, block[:, None, None].expand(-1, -1, BLOCK))[:, 0].argmax(1)
    return top, block * BLOCK + inside
