"""How links are made, as one value for users, encoder families, objectives, checkpoints and signatures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NotRequired, TypedDict

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.transport.layers import layer_range
from xalign_fairseq.transport.method import Method, require_transport
from xalign_fairseq.transport.methods import change_method, make_method, method_of_state
from xalign_fairseq.transport.names import ENCODINGS, METHODS, SIMILARITIES

# `arguments` always writes these options: families have other values of them.
CHOSEN = ("filter", "threshold")


class _State(TypedDict):
    """A checkpoint's record of how its model labels itself."""

    method: dict[str, Any]
    layers: dict[str, int]
    similarity: str
    encoding: NotRequired[str]


@dataclass(frozen=True)
class Linking:
    """How links are made. The model, its family or a default completes empty fields.

    Attributes:
        method: its name, such as ``grow`` (:data:`~xalign_fairseq.transport.names.METHODS`).
        options: the method's options that differ from its defaults; if ``method`` is empty, they replace the model's.
        layers: the layers whose hidden states are averaged; 0 are the embeddings, -1 is the last layer.
        similarity: the method's input: ``hidden`` states, or the scores of a trained ``pointer``.
        encoding: of the pairs, ``joint`` or ``separate``.
        other_layers: the layer of the similarity that ``similarity`` does not name: ``{"pointer": 12}``.
        origin: where the empty fields were taken from: the model ``itself``, a family's name, or None.

    Raises:
        XalignError: unknown method, similarity or encoding, or a pointer with a method other than transport.

    Example::

        >>> Linking("grow", {"threshold": 0.4}, layers=(6, 7), encoding="separate").arguments()
        {'method': 'grow', 'threshold': '0.4', 'layer': '6-7', 'encoding': 'separate'}
    """

    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    layers: tuple[int, ...] = ()
    similarity: str = ""
    encoding: str = ""
    other_layers: Mapping[str, int] = field(default_factory=dict)
    origin: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        check_values(
            "a part of the linking is unknown",
            *(
                (name, value, not value or value in known, " or ".join(known))
                for name, value, known in (
                    ("method", self.method, METHODS),
                    ("similarity", self.similarity, SIMILARITIES),
                    ("encoding", self.encoding, ENCODINGS),
                )
            ),
        )
        if self.similarity == "pointer" and self.method:
            require_transport(self.method)

    @classmethod
    def of(cls, method: Method, layers: Mapping[str, int], similarity: str = "hidden", encoding: str = "") -> "Linking":
        """How a model labels itself: by a method, with the layer of each of its similarities."""
        others = {name: layer for name, layer in layers.items() if name != similarity}
        own = (layers[similarity],) if similarity in layers else ()
        return cls(method.name, _changed(method), own, similarity, encoding, others)

    def with_options(self, **options: object) -> "Linking":
        """The same with some options of the method changed; None keeps an option.

        Raises:
            XalignError: the method lacks an option, or the option has no effect with its filter.
        """
        return replace(self, options=_changed(change_method(self.finder, **options)))

    @cached_property
    def finder(self) -> Method:
        """The method with its options."""
        return method_of_state({"name": self.method, **self.options})

    @property
    def layer(self) -> int:
        """The only layer of a model that labels itself."""
        [layer] = self.layers
        return layer

    @property
    def pair_encoding(self) -> str:
        """The encoding, or the method's usual one."""
        return self.encoding or self.finder.encoding

    @property
    def own_layers(self) -> dict[str, int]:
        """The layer of each similarity of a model that labels itself."""
        return {**self.other_layers, **({self.similarity: self.layer} if self.layers else {})}

    def of_similarity(self, similarity: str) -> "Linking":
        """The same with another similarity of the model, at that similarity's layer."""
        return Linking.of(self.finder, self.own_layers, similarity, self.encoding)

    def arguments(self) -> dict[str, str]:
        """The options of ``xalign align`` for these links, independent of the model's defaults."""
        bearing = self.finder.describe()  # only itermax has rounds and alpha
        values = {name: getattr(self.finder, name) for name in METHODS[self.method] if name in bearing}
        named = {name: str(value) for name, value in values.items() if name in CHOSEN or name in self.options}
        return {"method": self.method, **named, "layer": layer_range(self.layers), "encoding": self.encoding}

    def state(self) -> dict[str, Any]:
        """Plain values, for the checkpoint of a model that labels itself."""
        encoding = {"encoding": self.encoding} if self.encoding else {}
        return {"method": self.finder.state(), "layers": self.own_layers, "similarity": self.similarity, **encoding}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], where: object = "checkpoint") -> "Linking":
        """The inverse of :meth:`state`; raises :class:`XalignError` for anything else."""
        found = require_form(state, _State, f"{where}, labelling")
        if found["similarity"] not in found["layers"]:
            raise XalignError("labelling needs a layer", where=where, found=found["similarity"])
        return cls.of(method_of_state(found["method"]), found["layers"], found["similarity"], found.get("encoding", ""))


UNSPECIFIED = Linking()


def _changed(method: Method) -> dict[str, Any]:
    """The options of a method that differ from its defaults."""
    usual = make_method(method.name).state()
    return {name: value for name, value in method.state().items() if value != usual[name]}
