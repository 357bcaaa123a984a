"""The signature of a score: one line that says what was compared, and how the links were made."""

from xalign_fairseq import __version__
from xalign_fairseq.alignment.labels import LabelOptions


def score_signature(
    *,
    unit: str = "word",
    hyp_base: int = 0,
    gold_base: int = 0,
    layer: int | None = None,
    options: LabelOptions | None = None,
    similarity: str = "hidden",
    encoding: str = "joint",
    languages: tuple[str, str] | None = None,
    embedded: tuple[str, str] | None = None,
    system: str | None = None,
) -> str:
    """One line of ``key:value`` joined by ``|``, in the manner of sacrebleu; two scores compare if their lines agree.

    The policies that it names: possible links include the sure ones; tokens without a partner have no link (a null link
    does not exist and is not counted); counts are summed over sentences before the division.

    Args:
        unit: what a link joins, ``word`` or ``subword``.
        hyp_base: the index base of the hypothesis file.
        gold_base: that of the gold file.
        layer: the encoder layer of the hidden states, if known.
        options: how hidden states became links, if known.
        similarity: what the similarity of two tokens was, ``hidden`` (dot product) or ``pointer``; named with options.
        encoding: how pairs were encoded; named, with options, where it is not ``joint``.
        languages: of the sides whose hidden states were mapped linearly, if they were; named with options.
        embedded: languages of the sides whose embeddings the encoder has added, if it has any; named with options.
        system: another description of what made the links; kept to one line.

    Example::

        score_signature(layer=8, options=LabelOptions())
        # base:hyp0,gold0|possible:includes-sure|null:unlinked|unit:word|average:micro|layer:8|similarity:hidden|...
    """
    parts = {
        "base": f"hyp{hyp_base},gold{gold_base}",
        "possible": "includes-sure",
        "null": "unlinked",
        "unit": unit,
        "average": "micro",
    }
    if layer is not None:
        parts["layer"] = str(layer)
    if options is not None:
        if encoding != "joint":
            parts["encoding"] = encoding
        if languages is not None:
            parts["maps"] = "-".join(languages)
        if embedded is not None:
            parts["languages"] = "-".join(embedded)
        parts |= {"similarity": similarity, "filter": options.filter}
        if options.filter.startswith("itermax"):
            parts |= {"rounds": str(options.rounds), "alpha": f"{options.alpha:g}"}
        parts |= {
            "mu": f"{options.mu:g}",
            "eps": f"{options.eps:g}",
            "iterations": str(options.iterations),
            "order": options.order,
        }
    if system is not None:
        parts["system"] = " ".join(system.split()).replace("|", "/")
    parts["version"] = __version__
    return "|".join(f"{key}:{value}" for key, value in parts.items())
