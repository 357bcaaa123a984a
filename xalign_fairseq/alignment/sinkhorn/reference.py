"""The definition of the transport plan: masked, batched Sinkhorn in the linear or the log domain."""

import torch
from torch import Tensor

from xalign_fairseq.errors import XalignError, check_values

ORDERS = ("columns-first", "rows-first")
DOMAINS = ("auto", "linear", "log")
# In float32 the scaled linear domain keeps every link down to this mu; below it entries that matter underflow.
SMALLEST_LINEAR_MU = 0.05


def check_sinkhorn_options(iterations: int, mu: float, eps: float, order: str, domain: str) -> None:
    """Raise XalignError for the first option of :func:`sinkhorn` that has no meaning."""
    check_values(
        "a Sinkhorn option has no such value",
        ("iterations", iterations, iterations >= 0, "0 or more"),
        ("mu", mu, mu > 0, "a number above 0"),
        ("eps", eps, eps > 0, "a number above 0"),
        ("order", order, order in ORDERS, " or ".join(ORDERS)),
        ("domain", domain, domain in DOMAINS, " or ".join(DOMAINS)),
    )


def sinkhorn(
    similarity: Tensor,
    src_mask: Tensor,
    tgt_mask: Tensor,
    *,
    iterations: int = 2,
    mu: float = 1.0,
    eps: float = 1e-6,
    order: str = "columns-first",
    domain: str = "auto",
) -> Tensor:
    r"""Transport plan :math:`A = \mathrm{diag}(u)\,K\,\mathrm{diag}(v)` of each pair of a batch.

    :math:`K_{ij} = \max(\epsilon, S_{ij})^{1/\mu}` (XLM-Align, Chi et al., 2021, Eq. 4 to 6; the minus sign printed in
    its Eq. 1 would prefer dissimilar tokens). ``rows-first`` iterates as Eq. 6, :math:`u = 1/(Kv)`,
    :math:`v = 1/(K^\top u)` from :math:`v = 1`, and ends with columns that sum to 1; ``columns-first``, the released
    code's order, does v before u from :math:`u = 1` and ends with rows that sum to 1. With n != m no matrix is doubly
    stochastic, but the iteration converges up to a scalar. ``iterations=0`` switches Sinkhorn off: K itself,
    divided by its largest entry.

    Args:
        similarity: (B, n, m); float32 and float64 are kept, narrower dtypes widened to float32.
        src_mask: (B, n) bool, the tokens of the source side.
        tgt_mask: (B, m) bool, the tokens of the target side.
        iterations: passes over both sides.
        mu: weight of the entropy (Eq. 3).
        eps: floor of the similarity (Eq. 1).
        order: ``columns-first`` or ``rows-first``.
        domain: ``linear``, ``log``, or ``auto``: linear down to mu = 0.05, log below. At mu = 1 the linear domain needs
            neither exp nor log.

    Returns:
        (B, n, m), exactly 0 outside the masks. A pair with NaN or an infinity inside its masks gets an all-zero plan,
        hence no links, and leaves the other pairs as they are. Nothing is read back from the device.

    Raises:
        XalignError: the shapes do not fit, or an option has no such value.

    Example::

        mask = torch.ones(1, 2, dtype=torch.bool)
        plan = sinkhorn(torch.tensor([[[3.0, 1.0], [1.0, 2.0]]]), mask, mask)
        plan.sum(2)  # tensor([[1., 1.]])
    """
    check_sinkhorn_options(iterations, mu, eps, order, domain)
    if similarity.dim() != 3 or src_mask.shape != similarity.shape[:2] or tgt_mask.shape != similarity.shape[::2]:
        raise XalignError(
            "similarity and masks do not belong together",
            found=f"{tuple(similarity.shape)}, {tuple(src_mask.shape)}, {tuple(tgt_mask.shape)}",
            expected="(B, n, m), (B, n), (B, m)",
        )
    wide = similarity.dtype if similarity.dtype == torch.float64 else torch.float32
    if similarity.numel() == 0:
        return torch.zeros_like(similarity, dtype=wide)
    linear = domain == "linear" or (domain == "auto" and mu >= SMALLEST_LINEAR_MU)
    similarity = similarity.to(wide)
    if order == "columns-first":
        return _columns_first(similarity, src_mask, tgt_mask, iterations, mu, eps, linear)
    # Eq. 6 is the same on the transposed matrix.
    return _columns_first(similarity.transpose(1, 2), tgt_mask, src_mask, iterations, mu, eps, linear).transpose(1, 2)


def _columns_first(
    similarity: Tensor, rows: Tensor, columns: Tensor, iterations: int, mu: float, eps: float, linear: bool
) -> Tensor:
    outside = ~(rows[:, :, None] & columns[:, None, :])
    values = similarity.masked_fill(outside, 0.0)
    # One sum finds NaN and both infinities (the floor would hide a negative one).
    outside = outside | ~values.sum((1, 2), keepdim=True).isfinite()
    values = values.clamp_min(eps)
    if iterations == 0:
        # A quotient of at most 1 cannot overflow, whatever its power.
        peak = values.masked_fill(outside, eps).amax((1, 2), keepdim=True)
        return (values / peak).pow(1.0 / mu).masked_fill(outside, 0.0)
    # With one token on a side all entries of the plan are equal, and rounding would choose among them: K = 1 is exact.
    single = (rows.sum(1) == 1) | (columns.sum(1) == 1)
    values = values.masked_fill_(single[:, None, None], 1.0)
    return _linear_domain(values, outside, iterations, mu) if linear else _log_domain(values, outside, iterations, mu)


def _linear_domain(values: Tensor, outside: Tensor, iterations: int, mu: float) -> Tensor:
    """Columns, then rows, on K itself; ``values`` are floored similarities."""
    if mu == 1.0:
        kernel = values.masked_fill(outside, 0.0)
        u = torch.ones_like(kernel[:, :, :1])
    else:
        # K / (column maximum) / (row maximum of that): every row and every column then holds a 1, so that no sum
        # overflows or vanishes. Column factors vanish in v; the row factors must be in the first u for equal iterates.
        logs = values.log().div(mu).masked_fill(outside, float("-inf"))
        logs = logs - _finite(logs.amax(1, keepdim=True))
        row_peak = _finite(logs.amax(2, keepdim=True))
        kernel = (logs - row_peak).exp()
        u = row_peak.exp()
    for _ in range(iterations):
        v = _reciprocal(torch.bmm(kernel.transpose(1, 2), u))
        u = _reciprocal(torch.bmm(kernel, v))
    return kernel * u * v.transpose(1, 2)


def _log_domain(values: Tensor, outside: Tensor, iterations: int, mu: float) -> Tensor:
    """The same on log K with the potentials f = log u, g = log v, which are 0 outside the masks."""
    logs = values.log().div(mu).masked_fill(outside, float("-inf"))
    f = torch.zeros_like(logs[:, :, :1])
    for _ in range(iterations):
        g = -_finite((logs + f).logsumexp(1, keepdim=True))
        f = -_finite((logs + g).logsumexp(2, keepdim=True))
    return (logs + f + g).exp()


def _finite(logs: Tensor) -> Tensor:
    """0 for the logarithm of an empty row or column, which would turn its masked entries into NaN."""
    return logs.masked_fill(logs.isinf(), 0.0)


def _reciprocal(sums: Tensor) -> Tensor:
    """1 / sums, and 0 for the empty sum of a row or column outside the mask."""
    return torch.where(sums > 0, sums.reciprocal(), 0.0)
