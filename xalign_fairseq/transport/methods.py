"""Methods that find links in hidden states of sentence pairs: transport, SimAlign's and awesome-align's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.grown import Grown
from xalign_fairseq.transport.labels import Transport
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.peers import Cosine, Released, Softmax
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.scored import Scored
from xalign_fairseq.transport.token_links import TokenLinks, word_links, word_scores


class Method(Protocol):
    """A method that finds links in hidden states, without gradient. Padding does not change links.

    A pair whose similarities are not all finite has no links.

    Attributes:
        encoding: the usual encoding of pairs, ``joint`` or ``separate``.
        depth: the usual layer, as a fraction of all layers.
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

    def matrix(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """The same links as (B, n, m) bool, the tokens counted from the first of their side.

        With ``sizes`` nothing is read back from the device, unless links are found on the host (``match``).
        """

    def with_scores(
        self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
    ) -> tuple[TokenLinks, Tensor]:
        """The links, and the probabilities (B, n, m) of all token pairs; undefined at padding."""

    def describe(self) -> dict[str, Any]:
        """``method``, its name, and the options that affect its links."""


@runtime_checkable
class WordMethod(Protocol):
    """A method that finds links between words instead of tokens."""

    def words(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> list[dict[Link, float]]:
        """The word links of each pair, with their probabilities; arguments as of :func:`links_of_words`."""

    def scores(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
        """The probabilities of all pairs of words (B, n, m)."""

    def choose(self, scores: np.ndarray) -> dict[Link, float]:
        """The links of a pair, from the scores (n, m) of its words."""


_CLASSES: dict[str, Callable[..., Method]] = {
    "transport": Transport,
    "argmax": Cosine,
    "itermax": Cosine,
    "match": Cosine,
    "softmax": Softmax,
    "grow": Grown,
    "released": Released,
    "scored": Scored,
}


def _fixed(name: str) -> dict[str, str]:
    return {"filter": name} if _CLASSES[name] is Cosine else {}


def make_method(name: str, **options: object) -> Method:
    """Make a method from its command-line name. None keeps a default; XalignError for an option without effect."""
    if name not in METHODS:
        raise XalignError("there is no such method", parameter="method", found=name, expected=" or ".join(METHODS))
    given = _given(name, options)
    return _with_use(_CLASSES[name](**_fixed(name), **given), given)


def of_layers(method: Method, states: Sequence[Tensor]) -> Tensor:
    """The input of a method from the states (B, T, H) of its layers: (B, T, L * H) for a link scorer, otherwise the
    mean, in float32 or float64."""
    if isinstance(method, Scored):
        return torch.cat(list(states), 2)
    wide = [at_least_float32(hidden) for hidden in states]
    return wide[0] if len(wide) == 1 else torch.stack(wide).mean(0)


def links_of_words(
    method: Method, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor
) -> list[dict[Link, float]]:
    """The word links of each pair with their probabilities: from the method, or between the words of linked tokens.

    ``src_words`` (B, n) and ``tgt_words`` (B, m) int are the word of each token of a side; -1 for no word.
    """
    if isinstance(method, WordMethod):
        return method.words(hidden, spans, src_words, tgt_words)
    links = method(hidden, spans, sizes=(src_words.shape[1], tgt_words.shape[1]))
    return word_links(links, src_words, tgt_words)


def links_and_scores(
    method: Method, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor
) -> tuple[list[dict[Link, float]], np.ndarray]:
    """The links of :func:`links_of_words`, and the probabilities of all pairs of words (B, words, words).

    With a method that scores tokens, a word pair has the largest score of its token pairs; positions beyond a pair's
    words are 0.
    """
    if isinstance(method, WordMethod):
        scores = method.scores(hidden, spans, src_words, tgt_words).cpu().numpy()
        return [method.choose(each) for each in scores], scores
    links, found = method.with_scores(hidden, spans, sizes=(src_words.shape[1], tgt_words.shape[1]))
    return word_links(links, src_words, tgt_words), word_scores(found, src_words, tgt_words).cpu().numpy()


def with_options(method: Method, **options: object) -> Method:
    """A method with some options changed; None keeps an option. Errors as in :func:`make_method`."""
    given = _given(method.describe()["method"], options)
    return _with_use(replace(method, **given), given)  # type: ignore[type-var]


def method_state(method: Method) -> dict[str, Any]:
    """A method as plain values, for a checkpoint; the inverse of :func:`method_of_state`."""
    name = method.describe()["method"]
    left_out = {*_fixed(name), "measure"}
    each = fields(method)  # type: ignore[arg-type]
    return {"name": name, **{one.name: getattr(method, one.name) for one in each if one.name not in left_out}}


def method_of_state(state: Mapping[str, Any]) -> Method:
    """The method that :func:`method_state` described; :class:`XalignError` for an unknown method."""
    options = dict(state)
    options.pop("domain", None)  # an option of older checkpoints
    try:
        name = options.pop("name")
        made = _CLASSES[name](**_fixed(name), **options)
        for key, value in method_state(_CLASSES[name](**_fixed(name))).items():
            if key in options and value is not None and not isinstance(options[key], (type(value), int)):
                raise TypeError(f"{key} is of another type")
        return made
    except (KeyError, TypeError) as error:
        raise XalignError(
            "a labelling method was saved by another version of this package", found=f"{dict(state)} ({error})"
        ) from None


def method_label(method: Method) -> str:
    """A method's name for tables; for transport with the filter: ``transport-itermax``."""
    described = method.describe()
    return "-".join(described[key] for key in ("method", "filter") if key in described)


def _given(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not None; :class:`XalignError` for an option that the method lacks."""
    given = {key: value for key, value in options.items() if value is not None}
    for key in given.keys() - set(METHODS[name]):
        raise XalignError(
            f"the method {name} has no such option", parameter=key, expected=", ".join(METHODS[name]) or "none"
        )
    return given


def _with_use(method: Method, given: Mapping[str, Any]) -> Method:
    """The method; :class:`XalignError` for an option without effect on its links, such as itermax's options without
    itermax.
    """
    described = method.describe()
    for key in given.keys() - described.keys():
        raise XalignError(
            f"the filter {described['filter']} has no such option",
            parameter=key,
            remedy=("leave it out, or set", Parameter("filter", "itermax")),
        )
    return method
