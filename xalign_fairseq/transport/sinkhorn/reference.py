"""The definition of the transport plan: masked, batched Sinkhorn in the linear or the log domain."""

from typing import NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.transport.options import RELEASED, SinkhornOptions
from xalign_fairseq.transport.precision import at_least_float32


def sinkhorn(
    similarity: Tensor,
    src_mask: Tensor,
    tgt_mask: Tensor,
    options: SinkhornOptions = RELEASED,
    *,
    src_mass: Tensor | None = None,
    tgt_mass: Tensor | None = None,
) -> Tensor:
    r"""Transport plan :math:`A = \mathrm{diag}(u)\,K\,\mathrm{diag}(v)` of each pair of a batch.

    :math:`K_{ij} = \max(\epsilon, S_{ij})^{1/\mu}` (XLM-Align, Chi et al., 2021, Eq. 4 to 6; the minus sign printed in
    its Eq. 1 would prefer dissimilar tokens). ``rows-first`` iterates as Eq. 6, :math:`u = a/(Kv)`,
    :math:`v = b/(K^\top u)` from :math:`v = 1`, and ends with columns that sum to b; ``columns-first``, the released
    code's order, does v before u from :math:`u = 1` and ends with rows that sum to a. By default, all masses are
    1; if the totals n and m differ, no matrix has all these sums, but the iteration converges up to a scalar.
    ``iterations=0`` switches Sinkhorn off: the plan is K divided by its largest entry, whatever the masses.

    Args:
        similarity: (B, n, m); float32 and float64 are kept, narrower dtypes widened to float32.
        src_mask: (B, n) bool, the tokens of the source side.
        tgt_mask: (B, m) bool, the tokens of the target side.
        options: iterations, order, mu and eps; the released code's by default.
        src_mass: (B, n), the mass a of every source token, 0 or more (Cuturi, 2013); default: 1 each.
        tgt_mass: (B, m), b likewise.

    Returns:
        (B, n, m), exactly 0 outside the masks. A pair with NaN or an infinity inside its masks, or a negative mass,
        gets an all-zero plan, hence no links; other pairs are not affected. Nothing is read back from the device.

    Raises:
        XalignError: the shapes do not fit, or a mask is not bool.

    Example::

        >>> mask = torch.ones(1, 2, dtype=torch.bool)
        >>> plan = sinkhorn(torch.tensor([[[3.0, 1.0], [1.0, 2.0]]]), mask, mask)
        >>> plan.sum(2)
        tensor([[1., 1.]])
    """
    check_sinkhorn_shapes(similarity, src_mask, tgt_mask, src_mass, tgt_mass)
    similarity = at_least_float32(similarity)
    if similarity.numel() == 0:
        return torch.zeros_like(similarity)
    problem = Problem.of(similarity, src_mask, tgt_mask, options, src_mass, tgt_mass)
    return problem.turned(_columns_first(problem))


def check_sinkhorn_shapes(
    similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor, src_mass: Tensor | None, tgt_mass: Tensor | None
) -> None:
    """Raise XalignError if the arguments of :func:`sinkhorn` do not belong to one batch."""
    if similarity.dim() != 3 or src_mask.shape != similarity.shape[:2] or tgt_mask.shape != similarity.shape[::2]:
        found = f"{tuple(similarity.shape)}, {tuple(src_mask.shape)}, {tuple(tgt_mask.shape)}"
        expected = "(B, n, m), (B, n), (B, m)"
        raise XalignError("similarity and masks do not match", found=found, expected=expected)
    for side, mask, mass in (("src", src_mask, src_mass), ("tgt", tgt_mask, tgt_mass)):
        check_values("a mask is not bool", (f"{side}_mask", mask.dtype, mask.dtype == torch.bool, "torch.bool"))
        if mass is not None and mass.shape != mask.shape:
            shapes = f"{tuple(mass.shape)} and {tuple(mask.shape)}"
            raise XalignError("masses and masks differ in shape", where=f"{side}_mass", found=shapes)


class Problem(NamedTuple):
    """The iteration's input, transposed so that columns come first: Eq. 6 is the same on the transposed matrix.

    Attributes:
        options: of Sinkhorn; with ``rows-first`` the sides are exchanged.
        values: (B, n, m), max(eps, S).
        outside: (B, n, m) bool, True at padding and everywhere in pairs without a plan.
        single: (B, 1, 1) bool, pairs with one token on a side. K cancels out of their plan except for rounding, which
            would break exact ties.
        rows, columns: masses (B, n, 1) and (B, 1, m), 1 at padding and in pairs without a plan; None: 1 each.
    """

    options: SinkhornOptions
    values: Tensor
    outside: Tensor
    single: Tensor
    rows: Tensor | None
    columns: Tensor | None

    @classmethod
    def of(
        cls,
        similarity: Tensor,
        src_mask: Tensor,
        tgt_mask: Tensor,
        options: SinkhornOptions,
        src_mass: Tensor | None,
        tgt_mass: Tensor | None,
    ) -> "Problem":
        """Floored similarities and their mask; ``similarity`` is float32 or float64."""
        sides = ((src_mask, src_mass), (tgt_mask, tgt_mass))
        if options.rows_first:
            similarity, sides = similarity.transpose(1, 2), (sides[1], sides[0])
        (row_mask, row_mass), (column_mask, column_mass) = sides
        outside = ~(row_mask[:, :, None] & column_mask[:, None, :])
        values = similarity.masked_fill(outside, 0.0)
        # One sum finds NaN and both infinities (the floor would hide a negative one).
        usable = values.sum((1, 2)).isfinite()
        usable = usable & _usable_masses(row_mass, row_mask) & _usable_masses(column_mass, column_mask)
        single = (row_mask.sum(1) == 1) | (column_mask.sum(1) == 1)
        rows, columns = (
            None if mass is None else mass.to(values.dtype).masked_fill(~(mask & usable[:, None]), 1.0)
            for mask, mass in sides
        )
        return cls(
            options,
            values.clamp_min(options.eps),
            outside | ~usable[:, None, None],
            single[:, None, None],
            None if rows is None else rows[:, :, None],
            None if columns is None else columns[:, None, :],
        )

    def turned(self, matrices: Tensor) -> Tensor:
        """Matrices (B, n, m) of the problem with source and target sides restored, or the reverse."""
        return matrices.transpose(1, 2) if self.options.rows_first else matrices

    def log_kernel(self) -> Tensor:
        """log K (B, n, m), -inf outside."""
        logs = self.values.masked_fill(self.single, 1.0).log().div(self.options.mu)
        return logs.masked_fill(self.outside, float("-inf"))

    def log_masses(self) -> tuple[Tensor, Tensor]:
        """Logarithms of both sides' masses, which broadcast against (B, n, 1) and (B, 1, m)."""
        one = self.values.new_zeros(())
        return one if self.rows is None else self.rows.log(), one if self.columns is None else self.columns.log()


def _usable_masses(mass: Tensor | None, mask: Tensor) -> Tensor:
    """(B,) bool: pairs whose masses of one side are finite and not negative; all pairs without masses."""
    if mass is None:
        return mask.new_ones(len(mask))
    return (((mass >= 0) & mass.isfinite()) | ~mask).all(1)


def _columns_first(problem: Problem) -> Tensor:
    options, values, outside = problem.options, problem.values, problem.outside
    if options.iterations == 0:
        # A quotient of at most 1 cannot overflow in any power.
        peak = values.masked_fill(outside, options.eps).amax((1, 2), keepdim=True)
        return (values / peak).pow(1.0 / options.mu).masked_fill(outside, 0.0)
    with torch.autocast(values.device.type, enabled=False):
        if options.log_domain:
            return _log_domain(problem)
        plan, lost = _linear_domain(problem)
        if values.device.type == "cpu" and not torch.compiler.is_compiling() and not lost.any():
            return plan
        return torch.where(lost, _log_domain(problem), plan)


def _linear_domain(problem: Problem) -> tuple[Tensor, Tensor]:
    """Columns, then rows, on K itself; and (B, 1, 1) bool, the pairs whose plan lost entries by underflow.

    An entry or product that underflows is below the smallest number. A sum 10^6 times that number loses less than its
    own rounding for each such entry.
    """
    rows: Tensor | float = 1.0 if problem.rows is None else problem.rows
    columns: Tensor | float = 1.0 if problem.columns is None else problem.columns.transpose(1, 2)
    if problem.options.mu == 1.0:
        kernel = problem.values.masked_fill(problem.single, 1.0).masked_fill(problem.outside, 0.0)
        u = torch.ones_like(kernel[:, :, :1])
    else:
        # K / (column maximum) / (row maximum of that): every row and every column then holds a 1, so that no sum
        # overflows or vanishes. Column factors vanish in v; the row factors must be in the first u for equal iterates.
        logs = problem.log_kernel()
        logs = logs - finite(logs.amax(1, keepdim=True))
        row_peak = finite(logs.amax(2, keepdim=True))
        kernel = (logs - row_peak).exp()
        u = row_peak.exp()
    row_inside, column_inside = (~problem.outside.all(side, keepdim=True) for side in (2, 1))
    lost = problem.outside.new_zeros(problem.single.shape)
    for _ in range(problem.options.iterations):
        sums = torch.bmm(kernel.transpose(1, 2), u)
        lost = lost | (_too_small(sums, columns, u) & column_inside.transpose(1, 2)).any(1, keepdim=True)
        v = _near_one(_quotient(columns, sums))
        sums = torch.bmm(kernel, v)
        lost = lost | (_too_small(sums, rows, v) & row_inside).any(1, keepdim=True)
        u = _quotient(rows, sums)
    return kernel * u * v.transpose(1, 2), lost


def _log_domain(problem: Problem) -> Tensor:
    """The same on log K with the potentials f = log u, g = log v, which are 0 outside the masks."""
    logs = problem.log_kernel()
    rows, columns = problem.log_masses()
    f = torch.zeros_like(logs[:, :, :1])
    for _ in range(problem.options.iterations):
        g = columns - finite((logs + f).logsumexp(1, keepdim=True))
        f = rows - finite((logs + g).logsumexp(2, keepdim=True))
    return (logs + f + g).exp()


def finite(logs: Tensor) -> Tensor:
    """0 for the logarithm of an empty row or column, which would turn its masked entries into NaN."""
    return logs.masked_fill(logs.isinf(), 0.0)


def _quotient(mass: Tensor | float, sums: Tensor) -> Tensor:
    """mass / sums, and 0 for the empty sum of a row or column outside the mask."""
    return torch.where(sums > 0, mass / sums, 0.0)


def _too_small(sums: Tensor, mass: Tensor | float, factors: Tensor) -> Tensor:
    """Sums (B, n, 1) of products with ``factors`` that may have lost terms to underflow, or have too large a factor."""
    limits = torch.finfo(sums.dtype)
    least = 1e6 * limits.tiny * factors.sum(1, keepdim=True).clamp_min(1.0)
    some = torch.as_tensor(mass, device=sums.device) > 0
    return some & ~((sums >= least) & (mass <= sums * (limits.max / 2)))


def _near_one(factors: Tensor) -> Tensor:
    """Factors divided by a power of two: with n != m they would shrink by m/n in each iteration, the others grow."""
    peak = factors.amax(1, keepdim=True)
    return factors * torch.where(peak > 0, torch.frexp(peak).mantissa / peak, 1.0)
