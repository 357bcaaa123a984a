"""Accuracy of finding translations of sentences by an encoder's vectors, with intervals."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.progress import progress
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder.mappings import load_maps
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.encoder.sentence_vectors import retrieval_layer, side_vectors
from xalign_fairseq.evaluation.metric import ratio
from xalign_fairseq.evaluation.retrieval import retrieval_counts
from xalign_fairseq.evaluation.statistics import bootstrap_interval
from xalign_fairseq.links.bootstrap import check_options

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetrievalOptions:
    """The search's encoder options; layer None is 7/12 of the depth, or the last with ``cls`` pooling (PPA)."""

    layer: int | None = None
    pooling: str = "mean"
    bootstrap: int = 1000
    seed: int = 1
    languages: tuple[str, str] | None = None
    maps: bool = False
    device: str = "auto"
    batch_tokens: int = 8192
    quiet: bool = False


def translation_accuracy(
    model: str | os.PathLike[str],
    src: Sequence[str],
    tgt: Sequence[str],
    options: RetrievalOptions | None = None,
) -> dict[str, Any]:
    """Accuracy by cosine and by margin, in both directions, with 95 % intervals by a bootstrap over sentences."""
    options = options or RetrievalOptions()
    check_options(options.bootstrap, seed=options.seed)
    device = choose_device(options.device)
    opened = open_model(model)
    config, languages = opened.encoder.config, options.languages
    maps = opened.maps().to(device) if options.maps else None
    if maps is not None:
        maps.require(languages or (), opened.where)
    elif load_maps(opened.heads) is not None:
        logger.warning("the checkpoint has linear maps, which are not used")
    config.require_use_of(languages if maps is None else None)
    layer = retrieval_layer(config, options.layer, options.pooling)
    with progress(total=len(set(src)) + len(set(tgt)), unit=" sentences", quiet=options.quiet) as bar:
        given = {"pooling": options.pooling, "max_tokens": options.batch_tokens, "progress": bar.update}
        encoder = opened.encoder.to(device)
        counts = retrieval_counts(*side_vectors(encoder, opened.tokenizer, (src, tgt), layer, languages, maps, **given))
    scores = []
    for name, found in counts.items():  # in these names, English is the target side
        interval = bootstrap_interval(found, ratio, samples=options.bootstrap, seed=options.seed)
        scores.append(
            {
                "direction": "tgt to src" if name.endswith("-from-en") else "src to tgt",
                "by": "margin" if name.startswith("margin") else "cosine",
                "accuracy": float(ratio(found.sum(0))),
                "interval": list(interval),
            }
        )
    pair = "-".join(languages) if languages else ""
    how = {"layer": layer, "pooling": options.pooling, "maps": pair if options.maps else "none"}
    if config.languages:
        how["languages"] = pair
    how |= {"version": __version__, "bootstrap": options.bootstrap}
    return {"sentences": len(src), **how, "scores": scores}
