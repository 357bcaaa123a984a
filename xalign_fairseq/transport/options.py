"""Options of a transport plan and of the links read from it."""

import math
from dataclasses import dataclass

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.transport.extraction import check_link_options
from xalign_fairseq.transport.names import ORDERS

# In float32 the scaled linear domain keeps every link down to this mu; below it relevant entries underflow.
SMALLEST_LINEAR_MU = 0.05


@dataclass(frozen=True)
class SinkhornOptions:
    """Options of :func:`~xalign_fairseq.transport.sinkhorn.reference.sinkhorn`.

    The defaults are the released code's (XLM-Align, Chi et al., 2021); the paper's order is ``rows-first``.

    Attributes:
        iterations: passes over both sides; 0 switches Sinkhorn off.
        mu: weight of the entropy (Eq. 3).
        eps: floor of the similarity (Eq. 1).
        order: ``columns-first`` or ``rows-first``.

    Sinkhorn iterates on K down to mu = 0.05, and on log K below. At mu = 1, K needs neither exp nor log. A plan that
    would lose entries (small mu and many iterations, or masses of 0) is recomputed on log K.

    Raises:
        XalignError: an option has an invalid value.

    Example::

        >>> SinkhornOptions(mu=0.01, iterations=20).log_domain
        True
    """

    iterations: int = 2
    mu: float = 1.0
    eps: float = 1e-6
    order: str = ORDERS[0]

    def __post_init__(self) -> None:
        check_values(
            "a Sinkhorn option has an invalid value",
            ("iterations", self.iterations, self.iterations >= 0, "0 or more"),
            ("mu", self.mu, 0 < self.mu < math.inf, "a number above 0"),
            ("eps", self.eps, self.eps > 0, "a number above 0"),
            ("order", self.order, self.order in ORDERS, " or ".join(ORDERS)),
        )

    @property
    def rows_first(self) -> bool:
        """Whether rows are normalised before columns."""
        return self.order == "rows-first"

    @property
    def log_domain(self) -> bool:
        """Whether iterations run on log K."""
        return self.mu < SMALLEST_LINEAR_MU


RELEASED = SinkhornOptions()


@dataclass(frozen=True)
class TransportOptions(SinkhornOptions):
    """How hidden states become links: the options of Sinkhorn and of the filter on its plan.

    ``filter``, ``rounds`` and ``alpha`` are those of :func:`~xalign_fairseq.transport.extraction.find_links`. The
    defaults are the released code's; the paper's are ``order="rows-first"`` and ``filter="itermax-paper"``.
    """

    filter: str = "itermax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check_link_options(self.filter, self.rounds, self.alpha)
