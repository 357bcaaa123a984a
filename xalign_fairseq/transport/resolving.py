"""How links are made: the requested options, completed by the checkpoint, its family or a default."""

from dataclasses import replace

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.layers import at_depth, layer_range, resolve_layer
from xalign_fairseq.transport.link_scorer import LAYERS, LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.scored import OWN, Scored

NOT_MEASURED = "not measured here"

_E5_SMALL = (
    Linking("grow", {"threshold": 0.5}, (6, 7), encoding="separate"),
    Linking("softmax", {"threshold": 0.4}, (6, 7), encoding="separate"),
    Linking("argmax", {}, (6, 7), encoding="separate"),
    Linking("transport", {"filter": "argmax"}, (7,), encoding="separate"),
    Linking("released", {}, (7,), encoding="separate"),
    Linking("grow", {"threshold": 0.5}, (7,), encoding="joint"),
    Linking("itermax", {}, (7,), encoding="separate"),
    Linking("softmax", {"threshold": 0.5}, (7,), encoding="joint"),
    Linking("transport", {"filter": "argmax"}, (7,), encoding="joint"),
    Linking("released", {}, (7,), encoding="joint"),
    Linking("match", {}, (6, 7), encoding="separate"),
    Linking("argmax", {}, (7,), encoding="joint"),
    Linking("itermax", {}, (7,), encoding="joint"),
    Linking("match", {}, (7,), encoding="joint"),
)
_SIMALIGN = (
    Linking("argmax", {}, (8,), encoding="separate"),
    Linking("itermax", {}, (8,), encoding="separate"),
    Linking("match", {}, (8,), encoding="separate"),
)
SCORED = Linking("scored", {}, LAYERS, encoding="separate")
"""The packaged encoder without further training, with the packaged link scorer: better than ``grow`` on each of the 16
development sets of languages or annotators that the scorer did not learn from (``link-scorer-e5-small.json``)."""
TABLE: tuple[tuple[tuple[str, ...], tuple[Linking, ...], str], ...] = (
    (
        ("e5-small",),
        _E5_SMALL,
        "the lowest mean AER over XL-WA's ten development sets, Hansards' trial, "
        "WPT05's Hindi trial, INESC's three and KFTT's",
    ),
    (
        ("e5-base", "e5-large", "minilm-l12", "mpnet-base", "bge-m3"),
        _E5_SMALL[:7],
        f"as for e5-small, also a sentence encoder, at the same depth; {NOT_MEASURED}",
    ),
    (
        ("xlm-r-base", "xlm-r-large", "xlm-v-base", "glot500-base", "infoxlm-base", "infoxlm-large", "xlm-align-base"),
        (Linking("transport", {}, (8,), encoding="joint"), *_SIMALIGN),
        "XLM-Align (Chi et al. 2021), Table 2: layer 8 of XLM-R base and XLM-Align base, transport and SimAlign's "
        f"rules; the same depth elsewhere; {NOT_MEASURED}",
    ),
    (
        ("mbert", "mbert-uncased"),
        (Linking("softmax", {"threshold": 0.001}, (8,), encoding="separate"), *_SIMALIGN),
        "awesome-align (Dou and Neubig 2021) and SimAlign (Jalili Sabet et al. 2020): layer 8 of mBERT; the same depth "
        f"elsewhere; {NOT_MEASURED}",
    ),
    (
        ("labse",),
        (Linking("softmax", {"threshold": 0.1}, (6,), encoding="separate"),),
        f"AccAlign (Wang et al. 2022), its released run: layer 6, threshold 0.1; {NOT_MEASURED}",
    ),
)
"""Names of families (:mod:`~xalign_fairseq.encoder.pretrained.known`), their linkings (the best first), and the source.

There is at most one linking for each method and encoding. Layers are those of 12; other encoders use the same depths.
"""
# Slope and shift of Platt's scaling, for methods whose scores are far from the share of correct links. Fitted to 16
# development sets for the family's first linking of each method (scripts/results/calibration.json).
CALIBRATIONS = {"e5-small": {"transport": (1.0553, 4.5157), "released": (1.0514, 4.5086)}}
RESULTS = {"e5-small": "defaults-e5-small.json"}  # the table's source, below scripts/results
LINKINGS_OF_FAMILY = {family: linkings for families, linkings, _ in TABLE for family in families}


def calibration_of(family: str | None, linking: Linking) -> tuple[float, float] | None:
    """Slope and shift that turn a linking's scores into probabilities; ``None`` if they were not fitted."""
    first = next((each for each in LINKINGS_OF_FAMILY.get(family or "", ()) if each.method == linking.method), None)
    fitted = first is not None and first.arguments() == linking.arguments()
    return CALIBRATIONS.get(family or "", {}).get(linking.method) if fitted else None


DEFAULT = "transport"  # the method of models of unknown family
ITSELF = "itself"


def resolve_linking(
    asked: Linking,
    depth: int,
    own: Linking | None = None,
    family: str | None = None,
    maps: bool = False,
    width: int | None = None,
    with_scorer: bool = False,
    scorer: LinkScorer | None = None,
) -> Linking:
    """Complete the requested options: by the model's own linking, its family's, or the method's defaults.

    The encoder has ``depth`` layers of hidden size ``width``; linear ``maps`` need separately encoded sides.
    ``with_scorer``: the model comes with a link scorer (:func:`uses_scorer`), ``scorer`` or else the packaged one.
    """
    scored = uses_scorer(asked, maps, with_scorer)
    if scored and scorer is not None and not asked.options.get("scorer"):
        layers = scored_layers(Scored(measure=scorer), asked.layers, depth, width)
        options, encoding = {**asked.options, "scorer": OWN}, asked.encoding or Scored.encoding
        return replace(asked, method="scored", options=options, layers=layers, encoding=encoding)
    if scored and with_scorer and scorer is None and own is None and _is_of(SCORED.finder, depth, width):
        usual = replace(SCORED, similarity="hidden")
    else:
        usual = _by_itself(asked, own, maps) if own else _by_family(asked, depth, family, maps)
    usual = usual.with_options(**asked.options)
    finder = usual.finder
    layers = asked.layers or usual.layers or at_depth(depth, finder.depth)
    if isinstance(finder, Scored):
        layers = scored_layers(finder, asked.layers, depth, width)
    return Linking(
        usual.method,
        usual.options,
        tuple(resolve_layer(layer, depth) for layer in layers),
        usual.similarity,
        asked.encoding or usual.encoding or ("separate" if maps else finder.encoding),
        origin=ITSELF if own else family,
    )


def uses_scorer(asked: Linking, maps: bool, with_scorer: bool) -> bool:
    """Whether a link scorer makes the links: on request, or because the model has one that fits the request.

    e5-small and small model files (:mod:`~xalign_fairseq.encoder.pretrained.low_rank`) come with one.
    """
    fits = (
        not asked.method
        and set(asked.options) <= set(METHODS[SCORED.method])
        and asked.layers in ((), SCORED.layers)
        and asked.similarity in ("", "hidden")
        and asked.encoding in ("", SCORED.encoding)
    )
    return asked.method == SCORED.method or (with_scorer and not maps and fits)


def _is_of(finder: Method, depth: int, width: int | None) -> bool:
    """Whether an encoder has the size that a link scorer reads."""
    return isinstance(finder, Scored) and width in (None, finder.network.dim) and depth >= max(finder.layers)


def scored_layers(finder: Scored, asked: tuple[int, ...], depth: int, width: int | None) -> tuple[int, ...]:
    """The layers of a link scorer; :class:`XalignError` if other layers are requested, or it belongs to another
    encoder.
    """
    if not _is_of(finder, depth, width):
        raise XalignError(
            "the link scorer belongs to another encoder",
            parameter="scorer",
            found=f"{depth} layers of size {width}",
            expected=f"layers {layer_range(finder.layers)}, of size {finder.network.dim}",
            remedy=("set", Parameter("method", "grow")),
        )
    if asked and tuple(resolve_layer(layer, depth) for layer in asked) != finder.layers:
        raise XalignError(
            "a link scorer has its own layers",
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
    for each in LINKINGS_OF_FAMILY.get(family or "", ()):
        if method in ("", each.method) and encoding in ("", each.encoding):
            if not method and not set(asked.options) <= set(METHODS[each.method]):
                # This method lacks the options: try transport.
                return _by_family(replace(asked, method=DEFAULT), depth, family, maps)
            return replace(each, layers=at_depth(depth, *each.layers), similarity=asked.similarity or "hidden")
    return Linking(method or DEFAULT, similarity=asked.similarity or "hidden", encoding=encoding)
