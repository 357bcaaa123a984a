"""How a model labels word links: one value for its training, its validation and whoever aligns with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.methods import Method, Transport, method_of_state, method_state
from xalign_fairseq.transport.pointer import Pointer

Finder = TypeVar("Finder", bound=Method)


@dataclass(frozen=True)
class LabelOptions:
    """A labelling method with its options, what it reads, and at which layer; a checkpoint stores it.

    Attributes:
        method: what finds the links.
        layers: the layer of each similarity that there is, from 0, the embeddings: ``{"hidden": 10, "pointer": 12}``.
        similarity: what the method reads: ``hidden`` states, or a ``pointer``'s scores.
        encoding: of the pairs, ``joint`` or ``separate``; None: the method's usual one.

    Raises:
        XalignError: a method other than transport is to read a pointer's scores.

    Example::

        options = LabelOptions(Transport(filter="argmax"), {"hidden": 10})
        links = options.method(states.layer(options.layer), spans)
    """

    method: Method
    layers: Mapping[str, int]
    similarity: str = "hidden"
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.similarity == "pointer":
            require_transport(self.method)

    @property
    def layer(self) -> int:
        """Of the similarity that the method reads."""
        return self.layers[self.similarity]

    @property
    def reads(self) -> str:
        """The encoding of the pairs whose states the method reads."""
        return self.encoding or self.method.encoding

    def state(self) -> dict[str, Any]:
        """Plain values, for a checkpoint."""
        state = {"method": method_state(self.method), "layers": dict(self.layers), "similarity": self.similarity}
        return state if self.encoding is None else {**state, "encoding": self.encoding}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "LabelOptions":
        """The inverse of :meth:`state`."""
        return cls(method_of_state(state["method"]), state["layers"], state["similarity"], state.get("encoding"))


def reading(method: Finder, pointer: Pointer | None) -> Finder:
    """The method with a pointer's scores, if there is a pointer, in the place of dot products.

    Raises:
        XalignError: the method is not transport.
    """
    if pointer is None:
        return method
    require_transport(method)
    return replace(method, measure=pointer.similarity)  # type: ignore[type-var]


def require_transport(method: Method) -> None:
    """:class:`XalignError` for a method that can't read a pointer's scores."""
    if not isinstance(method, Transport):
        raise XalignError(
            "a pointer's scores are of use to transport alone",
            parameter=("method", "similarity"),
            found=method.describe()["method"],
            remedy=("set", Parameter("method", "transport"), "or", Parameter("similarity", "hidden")),
        )
