"""Methods that find links in hidden states of sentence pairs: transport, and what SimAlign and awesome-align do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.extraction import check_link_options, find_links, link_probability
from xalign_fairseq.transport.labels import Measure, pair_links, self_label
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.partners import partners_of_matrix
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn.dustbin import check_dustbin_options, dustbin_plan
from xalign_fairseq.transport.token_links import TokenLinks, links_of_matrix

COSINE_FILTERS = ("argmax", "itermax", "match")


class Method(Protocol):
    """What finds links in hidden states. Nothing is differentiated, and a batch's padding changes no link.

    A pair whose similarities are not all finite has no links.

    Attributes:
        encoding: the usual one of its pairs, ``joint`` or ``separate``.
        depth: of the layer that it usually reads, as a fraction of all layers.
    """

    encoding: ClassVar[str]
    depth: ClassVar[float]

    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """The links between the tokens of each pair, from hidden states (B, T, H).

        Args:
            hidden: any floating dtype; similarities are float32 (float64 for float64 states).
            spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end) in the sequence.
            sizes: (n, m), the longest sides, if they are known.
        """

    def describe(self) -> dict[str, Any]:
        """``method``, its name in :data:`METHODS`, and the options that bear on its links."""


class LabellingMethod(Method, Protocol):
    """A method that can label a model's own training: without a look at the host it gives each token one partner."""

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """Partner positions (B, T), as :func:`~xalign_fairseq.transport.labels.self_label` returns them.

        With ``sizes`` nothing is read back from the device.
        """


@dataclass(frozen=True)
class Transport(TransportOptions):
    """XLM-Align's links (Chi et al., 2021): a transport plan of dot products, and a filter on it.

    Options as in :class:`~xalign_fairseq.transport.options.TransportOptions`. The probability of a link is the
    geometric mean of its shares of its row and of its column of the plan
    (:func:`~xalign_fairseq.transport.extraction.link_probability`). ``measure`` puts a trained pointer's scores in the
    place of dot products.

    Example::

        links = Transport(filter="argmax")(hidden, spans)
    """

    encoding: ClassVar[str] = "joint"
    depth: ClassVar[float] = 10 / 12

    measure: Measure = field(default=pair_similarity, repr=False, compare=False)

    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        return pair_links(hidden, spans, self, measure=self.measure, sizes=sizes)

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """As :meth:`LabellingMethod.labels`."""
        return self_label(hidden, spans, self, measure=self.measure, sizes=sizes)

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        plan = {"mu": self.mu, "eps": self.eps, "iterations": self.iterations, "order": self.order}
        return {"method": "transport", **_filter(self), **plan}


@dataclass(frozen=True)
class Dustbin:
    """Links by transport with a dustbin (:func:`~xalign_fairseq.transport.sinkhorn.dustbin.dustbin_plan`).

    Scores are the cosines of the hidden states, scaled for each pair so that its lowest is 0 and its highest 1 (all 1
    where they are equal), ``dustbin`` that of having no partner: the higher, the fewer links. One of a link's tokens at
    least must send it more mass than it sends to the dustbin (three subwords with one partner have a third of its mass
    each, and send the rest there); ``filter``, ``rounds`` and ``alpha`` choose among those
    (:func:`~xalign_fairseq.transport.extraction.find_links`). Its probability is the geometric mean of its shares of
    its row and of its column, the dustbin's mass included.

    Example::

        links = Dustbin(dustbin=0.6)(hidden, spans)
    """

    encoding: ClassVar[str] = "joint"
    depth: ClassVar[float] = 10 / 12

    dustbin: float = 0.5
    mu: float = 0.1
    iterations: int = 20
    filter: str = "argmax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        check_dustbin_options(self.dustbin, self.mu, self.iterations)
        check_link_options(self.filter, self.rounds, self.alpha)

    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        links, plan = self._links(hidden, spans, sizes)
        return links_of_matrix(links, link_probability(plan)[:, :-1, :-1])

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """As :meth:`LabellingMethod.labels`."""
        return partners_of_matrix(self._links(hidden, spans, sizes)[0], spans, hidden.shape[1])

    @torch.no_grad()
    def _links(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """Links (B, n, m) bool, and the plan with the dustbin's row and column."""
        cosine, src_mask, tgt_mask = _cosines(hidden, spans, sizes)
        scores = _scaled(cosine, src_mask[:, :, None] & tgt_mask[:, None, :])
        plan = dustbin_plan(scores, src_mask, tgt_mask, self.dustbin, mu=self.mu, iterations=self.iterations)
        inner = plan[:, :-1, :-1]
        partnered = (inner > plan[:, :-1, -1:]) | (inner > plan[:, -1:, :-1])
        links = find_links(
            inner * partnered, src_mask, tgt_mask, filter=self.filter, rounds=self.rounds, alpha=self.alpha
        )
        return links, plan

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        plan = {"dustbin": self.dustbin, "mu": self.mu, "iterations": self.iterations}
        return {"method": "ot-unbalanced", **_filter(self), **plan}


@dataclass(frozen=True)
class Cosine:
    """SimAlign's links (Jalili Sabet et al., 2020), on the similarity (1 + cos(h_i, h_j)) / 2.

    - ``argmax``: pairs each of which is the other's most similar.
    - ``itermax``: these, and ``rounds - 1`` further rounds among free tokens, discounted by ``alpha``; the same rule as
      on a transport plan (:func:`~xalign_fairseq.transport.extraction.find_links`).
    - ``match``: the min(n, m) one-to-one links with the largest sum of similarities, by SciPy on the host.

    The probability of a link is its similarity, which knows nothing of other candidates.

    Example::

        links = Cosine("itermax")(hidden, spans)
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[float] = 8 / 12

    filter: str = "argmax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        if self.filter not in COSINE_FILTERS:
            raise XalignError(
                "there is no such rule on cosines", found=self.filter, expected=" or ".join(COSINE_FILTERS)
            )
        if self.filter == "match":
            _assignment()  # a missing SciPy is told before the work begins
        else:
            check_link_options(self.filter, self.rounds, self.alpha)

    @torch.no_grad()
    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        cosine, src_mask, tgt_mask = _cosines(hidden, spans, sizes)
        # In place and in this order, whose rounding is SimAlign's.
        similarity = cosine.add_(1.0).div_(2.0).clamp_min_(0.0)
        similarity.masked_fill_(~(src_mask[:, :, None] & tgt_mask[:, None, :]), 0.0)
        if self.filter == "match":
            return links_of_matrix(_matching(similarity, src_mask, tgt_mask), similarity)
        links = find_links(similarity, src_mask, tgt_mask, filter=self.filter, rounds=self.rounds, alpha=self.alpha)
        return links_of_matrix(links, similarity)

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        options = _filter(self)
        return {"method": options.pop("filter"), **options}


@dataclass(frozen=True)
class Softmax:
    """awesome-align's links (Dou & Neubig, 2021): dot products through a softmax over either side.

    Links are where both softmaxes exceed ``threshold``; the probability is their geometric mean.

    Example::

        links = Softmax()(hidden, spans)
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[float] = 8 / 12

    threshold: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise XalignError(
                "a probability can't exceed the threshold",
                where="threshold",
                found=self.threshold,
                expected="0 or more, below 1",
            )

    @torch.no_grad()
    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        similarity, src_mask, tgt_mask = _finite(*pair_similarity(hidden, spans, sizes=sizes))
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        # Finite instead of -inf, which would make rows of padding NaN.
        similarity = similarity.masked_fill(~inside, torch.finfo(similarity.dtype).min)
        forward, backward = similarity.softmax(2), similarity.softmax(1)
        links = (forward > self.threshold) & (backward > self.threshold) & inside
        return links_of_matrix(links, (forward * backward).sqrt())

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        return {"method": "softmax", "threshold": self.threshold}


class Kind(NamedTuple):
    """What a method's name stands for: a class, the options that the name fixes, and those that are left."""

    kind: Callable[..., Method]
    fixed: dict[str, Any]
    options: tuple[str, ...]


_FILTER = ("filter", "rounds", "alpha")
METHODS = {
    "transport": Kind(Transport, {}, (*_FILTER, "iterations", "mu", "order")),
    "ot-unbalanced": Kind(Dustbin, {}, (*_FILTER, "iterations", "mu", "dustbin")),
    "argmax": Kind(Cosine, {"filter": "argmax"}, ()),
    "itermax": Kind(Cosine, {"filter": "itermax"}, ("rounds", "alpha")),
    "match": Kind(Cosine, {"filter": "match"}, ()),
    "softmax": Kind(Softmax, {}, ("threshold",)),
}


def make_method(name: str, **options: Any) -> Method:
    """A method by its name on the command line; options that are None keep the method's own defaults.

    Raises:
        XalignError: there is no such method, it has no such option, or the option no such value.

    Example::

        make_method("transport", filter="argmax", mu=None)  # Transport(filter="argmax")
    """
    if name not in METHODS:
        raise XalignError("there is no such method", where="--method", found=name, expected=" or ".join(METHODS))
    return METHODS[name].kind(**METHODS[name].fixed, **_given(name, options))


def with_options(method: Method, **options: Any) -> Method:
    """A method with some options changed; those that are None stay as they are. Errors as those of :func:`make_method`.

    Example::

        with_options(Transport(mu=0.5), filter="argmax", mu=None)  # Transport(mu=0.5, filter="argmax")
    """
    return replace(method, **_given(method.describe()["method"], options))  # type: ignore[type-var]


def method_state(method: Method) -> dict[str, Any]:
    """A method as plain values, for a checkpoint; the inverse of :func:`method_of_state`."""
    name = method.describe()["method"]
    left_out = {*METHODS[name].fixed, "measure"}
    each = fields(method)  # type: ignore[arg-type]
    return {"name": name, **{one.name: getattr(method, one.name) for one in each if one.name not in left_out}}


def method_of_state(state: Mapping[str, Any]) -> Method:
    """The method that :func:`method_state` described; :class:`XalignError` for one that this version does not know."""
    options = dict(state)
    try:
        kind = METHODS[options.pop("name")]
        return kind.kind(**kind.fixed, **options)
    except (KeyError, TypeError) as error:
        raise XalignError(
            "a labelling method is of another version of this package", found=f"{dict(state)} ({error})"
        ) from None


def method_label(method: Method) -> str:
    """A method in a word, for tables: its name, and behind transport's the filter: ``transport-itermax``."""
    described = method.describe()
    return "-".join(described[key] for key in ("method", "filter") if key in described)


def _given(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not None; :class:`XalignError` for one that the method of this name has not."""
    known = METHODS[name].options
    given = {key: value for key, value in options.items() if value is not None}
    for key in given.keys() - set(known):
        raise XalignError(
            f"the method {name} has no such option",
            where=f"--method {name}",
            found=f"--{key}",
            expected=", ".join(f"--{key}" for key in known) or "none",
        )
    return given


def _filter(method: Transport | Dustbin | Cosine) -> dict[str, Any]:
    """The filter, and its options where it has any."""
    rounds = {"rounds": method.rounds, "alpha": method.alpha} if method.filter.startswith("itermax") else {}
    return {"filter": method.filter, **rounds}


def _finite(similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The same with the masks of pairs emptied whose similarities are not all finite, and these as zeros."""
    finite = similarity.sum((1, 2)).isfinite()[:, None]
    return similarity.masked_fill_(~finite[:, :, None], 0.0), src_mask & finite, tgt_mask & finite


def _cosines(hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor, Tensor]:
    """Cosines (B, n, m), 0 outside the masks, and the masks of pairs with finite states."""
    wide = hidden if hidden.dtype == torch.float64 else hidden.float()
    return _finite(*pair_similarity(F.normalize(wide, dim=2), spans, sizes=sizes))


def _scaled(scores: Tensor, inside: Tensor) -> Tensor:
    """Scores of each pair from 0, its lowest, to 1, its highest; all 1 where these are equal."""
    if scores.numel() == 0:
        return scores
    low = scores.masked_fill(~inside, float("inf")).amin((1, 2), keepdim=True)
    high = scores.masked_fill(~inside, float("-inf")).amax((1, 2), keepdim=True)
    return torch.where(high > low, (scores - low) / (high - low), 1.0)


def _matching(similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
    """The assignment with the largest sum for each pair, (B, n, m) bool on the device of the similarities."""
    assignment = _assignment()
    links = torch.zeros(similarity.shape, dtype=torch.bool)
    sizes = zip(src_mask.sum(1).tolist(), tgt_mask.sum(1).tolist(), strict=True)
    for pair, matrix, (n, m) in zip(links, similarity.cpu().numpy(), sizes, strict=True):
        pair[assignment(matrix[:n, :m], maximize=True)] = True
    return links.to(similarity.device)


def _assignment() -> Callable[..., Any]:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise XalignError("matching needs SciPy", where="--method match", next="pip install scipy") from None
    return linear_sum_assignment
