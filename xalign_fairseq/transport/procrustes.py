"""Orthogonal maps in closed form, from sums that take the same memory for a corpus of any length."""

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError


class Procrustes:
    r"""W = argmin ||S - T W||^2 over orthogonal W, for several layers at once, from word pairs that come in batches.

    With the singular value decomposition :math:`U \Sigma V^\top = T^\top S` it is :math:`W = U V^\top` (Schoenemann
    1966; Smith et al. 2017; Wu & Dredze 2020, Eq. 1). Only T^T S (H, H) and the squared norms are kept, in float64.

    Args:
        layers: number L of problems.
        dim: hidden size H.

    Attributes:
        pairs: word pairs so far.

    Example::

        problem = Procrustes(layers=13, dim=768)
        problem.add(s, t)          # (13, K, 768) each; any number of times
        maps = problem.solve()     # (13, 768, 768) float64
    """

    def __init__(self, layers: int, dim: int, device: torch.device | str = "cpu"):
        self.pairs = 0
        self._products = torch.zeros(layers, dim, dim, dtype=torch.float64, device=device)
        self._squares = torch.zeros(layers, dtype=torch.float64, device=device)

    def add(self, s: Tensor, t: Tensor) -> None:
        """Add K word pairs: s and t (L, K, H) of any floating dtype."""
        s, t = s.double(), t.double()
        self.pairs += s.shape[1]
        self._products += t.mT @ s
        self._squares += s.square().sum((1, 2)) + t.square().sum((1, 2))

    def solve(self, where: object = None) -> Tensor:
        """W (L, H, H) float64, orthogonal also where the pairs leave directions open; ``where`` is for messages.

        Raises:
            XalignError: no pairs, or vectors that are not finite.
        """
        if not self.pairs or not self._products.isfinite().all():
            raise XalignError(
                "no map can be computed",
                where=where,
                found="hidden states that are not finite" if self.pairs else "no linked words",
                expected="bitext with links, and a trained encoder",
            )
        u, _, vh = torch.linalg.svd(self._products)
        maps: Tensor = u @ vh
        return maps

    def distance(self, maps: Tensor | None = None) -> Tensor:
        """Mean over the pairs of ||s - t W||^2, (L,); of orthogonal W, by default identities."""
        if maps is None:
            inner = self._products.diagonal(dim1=1, dim2=2).sum(1)
        else:
            inner = (self._products * maps.to(self._products)).sum((1, 2))
        return (self._squares - 2 * inner).clamp(min=0) / self.pairs
