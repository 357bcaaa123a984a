"""What decides a transport plan and the links that are taken from it."""

from dataclasses import dataclass

from xalign_fairseq.transport.extraction import check_link_options
from xalign_fairseq.transport.sinkhorn.reference import check_sinkhorn_options


@dataclass(frozen=True)
class TransportOptions:
    """How hidden states become links; the defaults are the released code's (XLM-Align, Chi et al., 2021).

    ``iterations``, ``mu``, ``eps``, ``order`` and ``domain`` are those of
    :func:`~xalign_fairseq.transport.sinkhorn.reference.sinkhorn`, ``filter``, ``rounds`` and ``alpha`` those of
    :func:`~xalign_fairseq.transport.extraction.find_links`. The paper's reading is ``order="rows-first"`` and
    ``filter="itermax-paper"``. Values without a meaning raise XalignError when the options are made.
    """

    iterations: int = 2
    mu: float = 1.0
    eps: float = 1e-6
    order: str = "columns-first"
    domain: str = "auto"
    filter: str = "itermax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        check_sinkhorn_options(self.iterations, self.mu, self.eps, self.order, self.domain)
        check_link_options(self.filter, self.rounds, self.alpha)
