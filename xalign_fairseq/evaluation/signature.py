"""The signature of a score: one line with the kind of comparison, the data and the linking."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.metric import Metric

if TYPE_CHECKING:  # at run time it would load torch
    from xalign_fairseq.transport.linking import Linking


def score_signature(
    *,
    hyp_base: int = 0,
    gold_base: int = 0,
    linking: "Linking | None" = None,
    languages: tuple[str, str] | None = None,
    embedded: tuple[str, str] | None = None,
    dtype: str = "float32",
    system: str | None = None,
) -> str:
    """One line of ``key:value`` joined by ``|``, as in sacrebleu; scores are comparable if their lines agree.

    Its policies: possible links include the sure ones; tokens without a partner have no link (there are no null links);
    counts are summed over sentences before the division.

    Args:
        linking: an encoder's complete linking; the encoding is named if it is not ``joint``.
        languages: the sides' languages, if their hidden states were mapped linearly.
        embedded: the sides' languages, if the encoder added language embeddings.
        dtype: the encoder's dtype; named if it is not ``float32``.
        system: another description of the links' origin; joined to one line.
    """
    parts = {
        "base": f"hyp{hyp_base},gold{gold_base}",
        "possible": "includes-sure",
        "null": "unlinked",
        "unit": "word",
        "average": "micro",
    }
    if linking is not None:
        parts["layer"] = ",".join(map(str, linking.layers))
        if linking.encoding != "joint":
            parts["encoding"] = linking.encoding
        if languages is not None:
            parts["maps"] = "-".join(languages)
        if embedded is not None:
            parts["languages"] = "-".join(embedded)
        parts["similarity"] = linking.similarity
        for key, value in linking.finder.describe().items():
            parts[key] = value if isinstance(value, str) else f"{value:g}"
        if dtype != "float32":
            parts["dtype"] = dtype
    if system is not None:
        parts["system"] = system
    return _line(parts)


def task_signature(metric: Metric, benchmark: str, data_digest: str, **more: object) -> str:
    """The signature of a transfer task's score, with the short sha256 of the test file and ``more`` settings."""
    parts = {"metric": metric.name, "variant": metric.variant, "benchmark": benchmark}
    parts |= {key: str(value) for key, value in more.items()}
    return _line(parts | {"data": f"sha256-{data_digest}"})


def on_data(signature: str, digests: Mapping[str, str]) -> str:
    """The signature of a score on test sets, with the shortened sha256 of each set; the version is last."""
    parts = parse_signature(signature)
    parts.pop("version", None)
    return _line(parts | {"data": ",".join(f"{name}=sha256-{digest}" for name, digest in digests.items())})


def shared_signature(signatures: Sequence[tuple[str, str]]) -> str:
    """The signature of several scores; a differing part lists each value with its owner."""
    every = [(owner, parse_signature(signature)) for owner, signature in signatures]
    shared = {}
    for key in dict.fromkeys(key for _, parts in every for key in parts):
        owners: dict[str, dict[str, None]] = {}
        for owner, parts in every:
            owners.setdefault(parts.get(key, "unsaid"), {})[owner] = None
        each = [f"{value} ({', '.join(found)})" for value, found in owners.items()]
        shared[key] = ", ".join(each if len(each) > 1 else owners)
    return _joined(shared)


def parse_signature(signature: str) -> dict[str, str]:
    """The parts of a signature by their keys."""
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def _line(parts: Mapping[str, str]) -> str:
    """A signature of the parts and the package's version."""
    return _joined({**parts, "version": __version__})


def _joined(parts: Mapping[str, str]) -> str:
    """One line of all parts; separators inside a part are replaced."""
    return "|".join(f"{key}:{' '.join(value.split()).replace('|', '/')}" for key, value in parts.items())
