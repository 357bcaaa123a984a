"""How encoders of known families make links by default.

Choices of ``xalign layers`` on development gold have a results file with all comparisons; the others are from the named
papers. Test sets were not used.
"""

from xalign_fairseq.transport.linking import Linking

OF = 12  # layers of the encoder that the table's layers refer to
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
    Linking("ot-unbalanced", {"filter": "argmax"}, (7, 8), encoding="separate"),
    Linking("ot-unbalanced", {"filter": "argmax"}, (12,), encoding="joint"),
)
_SIMALIGN = (
    Linking("argmax", {}, (8,), encoding="separate"),
    Linking("itermax", {}, (8,), encoding="separate"),
    Linking("match", {}, (8,), encoding="separate"),
)
SCORED = Linking("scored", {}, (4, 6, 7, 9), encoding="separate")
"""The packaged encoder without further training, with the packaged link scorer: better than ``grow`` on each of the 16
development sets of languages or annotators that the scorer did not learn from (``link-scorer-e5-small.json``)."""
TABLE: tuple[tuple[tuple[str, ...], tuple[Linking, ...], str], ...] = (
    (
        ("e5-small",),
        _E5_SMALL,
        "the lowest mean AER over 16 development sets (XL-WA's ten, Hansards' "
        "trial, WPT05's Hindi trial, INESC's three, KFTT's)",
    ),
    (
        ("e5-base", "e5-large", "minilm-l12", "mpnet-base", "bge-m3"),
        _E5_SMALL[:7],
        f"those of e5-small, an encoder of sentences too, at the same depth; {NOT_MEASURED}",
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
"""Families (:mod:`~xalign_fairseq.encoder.pretrained.known`), their linkings, the best first, and where they come from.

There is at most one linking for each method and encoding. In an encoder with another number of layers they are taken at
the same depth.
"""
# Slope and shift of Platt's scaling, for methods whose scores are far from the share of right links. Fitted to 16
# development sets for the family's first linking of each method (scripts/results/calibration.json).
CALIBRATIONS = {
    "e5-small": {"transport": (1.0553, 4.5157), "released": (1.0514, 4.5086), "ot-unbalanced": (1.7005, 3.446)}
}
RESULTS = {"e5-small": "defaults-e5-small.json"}  # below scripts/results, what the table was read from
FAMILIES = {family: linkings for families, linkings, _ in TABLE for family in families}


def calibration_of(family: str | None, linking: Linking) -> tuple[float, float] | None:
    """Slope and shift by which a linking's scores become probabilities; ``None`` if they were not fitted to it."""
    first = next((each for each in FAMILIES.get(family or "", ()) if each.method == linking.method), None)
    fitted = first is not None and first.arguments() == linking.arguments()
    return CALIBRATIONS.get(family or "", {}).get(linking.method) if fitted else None
