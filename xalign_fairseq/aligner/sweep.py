"""Links by many settings at once, to compare layers and methods on text with gold links."""

from collections.abc import Callable, Iterable, Sequence

from xalign_fairseq.aligner.aligner import Aligner, Layers, Sentence
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.methods import Method


def sweep_links(
    aligner: Aligner,
    pairs: Iterable[tuple[Sentence, Sentence]],
    settings: Sequence[tuple[Layers, Method]],
    progress: Callable[[int], object] | None = None,
) -> list[list[set[Link]]]:
    """The links of every pair by each setting (layer or layers, method), from one pass of the encoder.

    Returns:
        for each setting, in their order, the links of all pairs.

    Example::

        by_layer = sweep_links(aligner, pairs, [(layer, Transport()) for layer in range(13)])
        best = min(range(13), key=lambda layer: score(by_layer[layer], golds).aer)
    """
    found: list[list[set[Link]]] = [[] for _ in settings]
    for alignments in aligner.sweep(pairs, settings, progress):
        for links, alignment in zip(found, alignments, strict=True):
            links.append(set(alignment.links))
    return found
