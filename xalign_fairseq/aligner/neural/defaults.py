"""How models that never labelled links align unless they are told otherwise: chosen for each known family.

What ``xalign layers`` chose on development gold has a results file with all that was compared; what could not be
measured here is taken from a paper, and its source says so. Test sets chose nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.transport.methods import make_method
from xalign_fairseq.transport.names import METHODS

GLOBAL = "transport"  # the method of a model of no known family
OF = 12  # layers, of which those of the table are
NOT_MEASURED = "not measured here"


class FamilyEntry(NamedTuple):
    """A setting as plain values: method, layers and encoding, and the options that are not the method's own."""

    method: str
    layers: tuple[int, ...]
    encoding: str
    options: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class FamilyDefaults:
    """What is usual for some families.

    Attributes:
        families: as :mod:`~xalign_fairseq.encoder.pretrained.known` names them.
        entries: best first, at most one for each method and encoding; layers are of 12, and have the same depth in an
            encoder with another number.
        source: where they come from.
        results: the file below ``scripts/results`` that they were read from, if they were measured.
    """

    families: tuple[str, ...]
    entries: tuple[FamilyEntry, ...]
    source: str
    results: str | None = None


_E5_SMALL = (
    FamilyEntry("grow", (6, 7), "separate", {"threshold": 0.5}),
    FamilyEntry("softmax", (6, 7), "separate", {"threshold": 0.4}),
    FamilyEntry("argmax", (6, 7), "separate"),
    FamilyEntry("transport", (7,), "separate", {"filter": "argmax"}),
    FamilyEntry("released", (7,), "separate"),
    FamilyEntry("grow", (7,), "joint", {"threshold": 0.5}),
    FamilyEntry("itermax", (7,), "separate"),
    FamilyEntry("softmax", (7,), "joint", {"threshold": 0.5}),
    FamilyEntry("transport", (7,), "joint", {"filter": "argmax"}),
    FamilyEntry("released", (7,), "joint"),
    FamilyEntry("match", (6, 7), "separate"),
    FamilyEntry("argmax", (7,), "joint"),
    FamilyEntry("itermax", (7,), "joint"),
    FamilyEntry("match", (7,), "joint"),
    FamilyEntry("ot-unbalanced", (7, 8), "separate", {"filter": "argmax"}),
    FamilyEntry("ot-unbalanced", (12,), "joint", {"filter": "argmax"}),
)
_SIMALIGN = (
    FamilyEntry("argmax", (8,), "separate"),
    FamilyEntry("itermax", (8,), "separate"),
    FamilyEntry("match", (8,), "separate"),
)
FAMILIES = (
    FamilyDefaults(
        ("e5-small",),
        _E5_SMALL,
        "the lowest mean AER over 16 development sets (XL-WA's ten, Hansards' "
        "trial, WPT05's Hindi trial, INESC's three, KFTT's)",
        results="defaults-e5-small.json",
    ),
    FamilyDefaults(
        ("e5-base", "e5-large", "minilm-l12", "mpnet-base", "bge-m3"),
        _E5_SMALL[:7],
        f"those of e5-small, an encoder of sentences too, at the same depth; {NOT_MEASURED}",
    ),
    FamilyDefaults(
        ("xlm-r-base", "xlm-r-large", "xlm-v-base", "glot500-base", "infoxlm-base", "infoxlm-large", "xlm-align-base"),
        (FamilyEntry("transport", (8,), "joint"), *_SIMALIGN),
        "XLM-Align (Chi et al. 2021), Table 2: layer 8 of XLM-R base and XLM-Align base, transport and SimAlign's "
        f"rules; the same depth elsewhere; {NOT_MEASURED}",
    ),
    FamilyDefaults(
        ("mbert", "mbert-uncased", "distilmbert"),
        (FamilyEntry("softmax", (8,), "separate", {"threshold": 0.001}), *_SIMALIGN),
        "awesome-align (Dou and Neubig 2021) and SimAlign (Jalili Sabet et al. 2020): layer 8 of mBERT; the same depth "
        f"elsewhere; {NOT_MEASURED}",
    ),
    FamilyDefaults(
        ("labse",),
        (FamilyEntry("softmax", (6,), "separate", {"threshold": 0.1}),),
        f"AccAlign (Wang et al. 2022), its released run: layer 6, threshold 0.1; {NOT_MEASURED}",
    ),
)


def default_labelling(
    family: str | None,
    layers: int,
    method: str | None = None,
    encoding: str | None = None,
    options: Collection[str] = (),
) -> LinkSetting:
    """How a model of a family, with so many layers, makes links, as far as that is not said.

    It is the first of the family's entries that agrees with what is said; if none does, the method (``transport``, if
    none is said) with its usual options, depth and encoding.

    Args:
        family: None, or one that is not known here: of no family.
        layers: of the encoder.
        method: the name of a method, if it is said.
        encoding: if it is said.
        options: names of options that are said without a method: where the family's method has no such, ``transport``
            is meant.

    Example::

        default_labelling("mbert", 12)  # LinkSetting((8,), Softmax(0.001), "separate")
        default_labelling(None, 12)  # LinkSetting((10,), Transport(), "joint")
    """
    row = next((row for row in FAMILIES if family in row.families), None)
    for entry in row.entries if row else ():
        if method in (None, entry.method) and encoding in (None, entry.encoding):
            if method is None and not set(options) <= set(METHODS[entry.method]):
                return default_labelling(family, layers, GLOBAL, encoding)
            at = tuple(dict.fromkeys(max(1, round(layer * layers / OF)) for layer in entry.layers))
            return LinkSetting(at, make_method(entry.method, **entry.options), entry.encoding)
    made = make_method(method or GLOBAL)
    return LinkSetting((max(1, round(layers * made.depth)),), made, encoding or made.encoding)
