"""How links are made where not everything is said: by what the user says, then the model itself, then its family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xalign_fairseq.aligner.neural.defaults import default_labelling
from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.labelling import stored_labelling
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.methods import Method, Transport, make_method, with_options


@dataclass(frozen=True)
class Said:
    """What is said of how links are made; None where nothing is.

    Attributes:
        layer: or several, which are averaged; negative ones count from the last.
        method: its name, with ``options`` for it; or the method itself.
        options: of the method that is named, or else changes of the usual one's.
        similarity: ``hidden`` or ``pointer``.
        encoding: ``joint`` or ``separate``.
        maps: whether linear maps are used, which are of separately encoded sides.
    """

    layer: int | Sequence[int] | None = None
    method: Method | str | None = None
    options: Mapping[str, Any] | None = None
    similarity: str | None = None
    encoding: str | None = None
    maps: bool = False

    @property
    def given(self) -> dict[str, Any]:
        """The options that are not None."""
        return {name: value for name, value in (self.options or {}).items() if value is not None}

    @property
    def name(self) -> str | None:
        """The method's name."""
        if self.method is None or isinstance(self.method, str):
            return self.method
        return str(self.method.describe()["method"])

    def check(self) -> None:
        """Raise :class:`~xalign_fairseq.core.errors.XalignError` for a method or an option that there is not."""
        if isinstance(self.method, str):
            make_method(self.method, **self.given)


@dataclass(frozen=True)
class Settled:
    """How links are made: the setting, what similarities are read from, and where the unsaid comes from.

    ``origin`` is ``itself`` for a model that labelled itself, else its family; None for a model of none.
    """

    setting: LinkSetting
    similarity: str
    origin: str | None


def settle(said: Said, state: dict[str, Any], config: EncoderConfig) -> Settled:
    """What is said, completed by what the model labelled itself with, else by what is usual for its family.

    Args:
        said: by the user.
        state: the checkpoint.
        config: of its encoder.

    Raises:
        XalignError: there is no such method, option or layer.

    Example::

        settle(Said(method="transport"), state, config).setting.layers  # (7,) of multilingual E5
    """
    own = stored_labelling(state, config)
    method, layer, similarity, encoding = _by_itself(said, own) if own else _by_family(said, state, config)
    if layer is None:
        layer = max(1, round(config.encoder_layers * method.depth))
    layers = tuple(config.resolve_layer(each, "layer") for each in ([layer] if isinstance(layer, int) else layer))
    return Settled(
        LinkSetting(layers, method, encoding or ("separate" if said.maps else method.encoding)),
        similarity,
        "itself" if own else family_of(state),
    )


_Found = tuple[Method, int | Sequence[int] | None, str, str | None]


def _by_itself(said: Said, own: LabelOptions) -> _Found:
    """Method, layer, similarity and encoding of a model that labelled itself; a method that is named is as it is."""
    method = with_options(own.method, **said.given) if said.method is None else said.method
    if isinstance(method, str):
        method = make_method(method, **said.given)
    # A pointer's scores are of use to transport alone.
    similarity = said.similarity or (own.similarity if isinstance(method, Transport) else "hidden")
    encoding = said.encoding
    if encoding is None and similarity == "hidden" and not said.maps:
        encoding = own.encoding
    return method, own.layers.get(similarity) if said.layer is None else said.layer, similarity, encoding


def _by_family(said: Said, state: dict[str, Any], config: EncoderConfig) -> _Found:
    """The same for a model that never labelled."""
    pointer = said.similarity == "pointer"
    name = said.name or ("transport" if pointer else None)
    encoding = said.encoding or ("joint" if pointer else "separate" if said.maps else None)
    usual = default_labelling(family_of(state), config.encoder_layers, name, encoding, said.given)
    method = said.method
    if method is None or isinstance(method, str):
        method = with_options(usual.method, **said.given)
    return method, usual.layers if said.layer is None else said.layer, said.similarity or "hidden", usual.encoding
