"""How links are made: the requested options, completed by the checkpoint, its family or a default."""

from dataclasses import replace

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.families import FAMILIES, OF, SCORED
from xalign_fairseq.transport.linking import Linking, changed_options, layer_range, resolve_layer
from xalign_fairseq.transport.methods import Method, with_options
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.scored import Scored

DEFAULT = "transport"  # the method of a model of no known family
ITSELF = "itself"


def resolve_linking(
    asked: Linking,
    depth: int,
    own: Linking | None = None,
    family: str | None = None,
    maps: bool = False,
    width: int | None = None,
    scored: bool = False,
) -> Linking:
    """Complete the requested options: by the model's own linking, otherwise its family's, otherwise the method's
    defaults.

    Args:
        asked: by the user.
        depth: layers of the encoder.
        own: how the model labelled itself in its training, if it did.
        family: as :mod:`~xalign_fairseq.encoder.pretrained.known` names it.
        maps: whether linear maps are used, which are of separately encoded sides.
        width: of the hidden states, which a link scorer depends on.
        scored: whether the packaged link scorer knows this very encoder, and is better than its family's linking.

    Returns:
        a linking without unspecified parts, whose layers are counted from 0.
    """
    if scored and own is None and not maps and agrees(asked, SCORED) and _is_of(SCORED.finder, depth, width):
        usual = replace(SCORED, similarity="hidden")
    else:
        usual = _by_itself(asked, own, maps) if own else _by_family(asked, depth, family, maps)
    finder = with_options(usual.finder, **asked.options)
    layers = asked.layers or usual.layers or (max(1, round(depth * finder.depth)),)
    if isinstance(finder, Scored):
        layers = scored_layers(finder, asked.layers, depth, width)
    return Linking(
        usual.method,
        changed_options(finder),
        tuple(resolve_layer(layer, depth) for layer in layers),
        usual.similarity,
        asked.encoding or usual.encoding or ("separate" if maps else finder.encoding),
        origin=ITSELF if own else family,
    )


def agrees(asked: Linking, usual: Linking) -> bool:
    """Whether no requested option belongs to a method other than the usual one."""
    return (
        asked.method in ("", usual.method)
        and set(asked.options) <= set(METHODS[usual.method])
        and asked.layers in ((), usual.layers)
        and asked.similarity in ("", "hidden")
        and asked.encoding in ("", usual.encoding)
    )


def _is_of(finder: Method, depth: int, width: int | None) -> bool:
    """Whether an encoder is of the size that a link scorer reads."""
    return isinstance(finder, Scored) and width in (None, finder.network.dim) and depth >= max(finder.layers)


def scored_layers(finder: Scored, asked: tuple[int, ...], depth: int, width: int | None) -> tuple[int, ...]:
    """The layers of a link scorer; :class:`XalignError` if other layers are requested, or it belongs to another
    encoder.
    """
    if not _is_of(finder, depth, width):
        raise XalignError(
            "the link scorer is of another encoder",
            parameter="scorer",
            found=f"{depth} layers of {width}",
            expected=f"layers {layer_range(finder.layers)} of {finder.network.dim}",
            remedy=("set", Parameter("method", "grow")),
        )
    if asked and tuple(resolve_layer(layer, depth) for layer in asked) != finder.layers:
        raise XalignError(
            "a link scorer reads layers of its own",
            parameter="layer",
            found=layer_range(asked),
            expected=layer_range(finder.layers),
            remedy="leave it out",
        )
    return finder.layers


def _by_itself(asked: Linking, own: Linking, maps: bool) -> Linking:
    method = asked.method or own.method
    # Only transport reads a pointer's scores.
    similarity = asked.similarity or (own.similarity if method == DEFAULT else "hidden")
    encoding = own.encoding if similarity == "hidden" and not maps else ""
    layers = {similarity: own.own_layers[similarity]} if similarity in own.own_layers else {}
    return Linking(method, {} if asked.method else own.options, tuple(layers.values()), similarity, encoding)


def _by_family(asked: Linking, depth: int, family: str | None, maps: bool) -> Linking:
    """The first of the family's linkings that agrees with the request."""
    pointer = asked.similarity == "pointer"
    method = asked.method or (DEFAULT if pointer else "")
    encoding = asked.encoding or ("joint" if pointer else "separate" if maps else "")
    for each in FAMILIES.get(family or "", ()):
        if method in ("", each.method) and encoding in ("", each.encoding):
            if not method and not set(asked.options) <= set(METHODS[each.method]):
                # The options are of another method: of transport.
                return _by_family(replace(asked, method=DEFAULT), depth, family, maps)
            at = tuple(dict.fromkeys(max(1, round(layer * depth / OF)) for layer in each.layers))
            return replace(each, layers=at, similarity=asked.similarity or "hidden")
    return Linking(method or DEFAULT, similarity=asked.similarity or "hidden", encoding=encoding)
