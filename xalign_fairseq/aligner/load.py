"""Load any word aligner by its path: an encoder, statistics of bitext, or both."""

import logging
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.kinds import Best, BitextAlone, Guided, find_kind
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.processes import AlignerPool
from xalign_fairseq.aligner.options import AlignerOptions, BestParts
from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.aligner.run_record import model_state
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner
from xalign_fairseq.aligner.statistical.folder import load
from xalign_fairseq.encoder.pretrained.packaged import NAME
from xalign_fairseq.encoder.pretrained.reading import comes_with_scorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.resolving import uses_scorer

logger = logging.getLogger(__name__)

SINKHORN = "xalign_fairseq.transport.sinkhorn"
LEAST = 1e-6  # lower probabilities are not links


def load_aligner(
    path: str | os.PathLike[str] = NAME, options: AlignerOptions | None = None, **more: object
) -> WordAligner:
    """Load a word aligner.

    Args:
        path: an encoder: ``e5-small`` (packaged, the default), a checkpoint, the folder of a run, of XLM-R or of a
            Hugging Face model, or a name on the hub
            (:func:`~xalign_fairseq.encoder.pretrained.reading.read_pretrained`); or the folder of an aligner from
            bitext alone, or of ``xalign train-aligner --best``.
        options: all options as one value.
        more: options by name, as in :class:`~xalign_fairseq.aligner.options.AlignerOptions`.

    Returns:
        an :class:`~xalign_fairseq.aligner.neural.aligner.Aligner`, or an
        :class:`~xalign_fairseq.aligner.neural.processes.AlignerPool` of several;
        with ``statistics`` or ``--best``, a :class:`~xalign_fairseq.aligner.combined.CombinedAligner`; from bitext
        alone, a :class:`~xalign_fairseq.aligner.statistical.aligner.StatisticalAligner`.

    Raises:
        XalignError: there is no such model, it cannot be read, or an option does not apply to it.

    Example::

        >>> from xalign_fairseq import Linking
        >>> aligner = load_aligner("e5-small", linking=Linking("argmax", layers=(7,)), device="cpu")
        >>> [pair] = aligner.align(["the red house"], ["la maison rouge"])
        >>> sorted(pair.links)
        [(0, 0), (1, 2), (2, 1)]
    """
    options = (options or AlignerOptions()).changed(**more)
    kind = find_kind(path, options.statistics)
    options = kind.check(options)
    if isinstance(kind, BitextAlone) and kind.folder is not None:
        return StatisticalAligner(load(kind.folder), options.min_probability)
    if isinstance(kind, Guided) and kind.folder is not None:
        return combine(BestParts(os.fspath(path), "", None, Path(kind.folder)), options)
    if isinstance(kind, Best):
        return combine(kind.parts, options)
    devices = options.device.split(",")
    if len(devices) == 1:
        return Aligner.from_pretrained(path, options)
    pool = AlignerPool(partial(Aligner.from_pretrained, path, options), devices)
    pool.ask(partial(_log_backend, level=logging.getLogger(SINKHORN).level))
    return pool


def combine(parts: BestParts, options: AlignerOptions) -> CombinedAligner:
    """Load encoders and statistics as one aligner; :func:`scoring_method` chooses a method that is not given."""
    trained = load(parts.statistics) if parts.statistics else None
    method = parts.method
    if trained and not method:
        state = model_state(parts.encoder)
        guide = trained.method if trained.guide == state else None
        method = scoring_method(parts.encoder, options.linking, options.maps, guide)
        if trained.guide not in (None, state):
            guided = "the statistics in %s were learned with %s, but are used with %s"
            logger.warning(guided, parts.statistics, trained.guide, parts.encoder)
    second = load_aligner(parts.trained, scoring_options(options, "grow")) if parts.trained else None
    encoder = load_aligner(parts.encoder, scoring_options(options, method))
    return CombinedAligner(encoder, trained, method, *choice_of(options), second)


def choice_of(options: AlignerOptions) -> tuple[float | None, float | None]:
    """How a :class:`CombinedAligner` chooses links: by a minimum probability, or by threshold and growth, if given."""
    if options.min_probability is not None:
        return max(options.min_probability, LEAST), 1.0
    return options.linking.options.get("threshold"), options.linking.options.get("growth")


def scoring_method(path: str | os.PathLike[str], asked: Linking, maps: bool, guide: str | None = None) -> str:
    """The encoder's method: the requested one, otherwise the statistics' ``guide``, otherwise the model's own."""
    if asked.method or guide:
        return asked.method or str(guide)
    return "scored" if uses_scorer(asked, maps, comes_with_scorer(path)) else "grow"


def scoring_options(options: AlignerOptions, method: str) -> AlignerOptions:
    """Options for the scoring encoder of a combined aligner, without the options that choose links."""
    kept = {name: value for name, value in options.linking.options.items() if name not in ("threshold", "growth")}
    linking = replace(options.linking, method=method, options=kept | {"threshold": 1.0})
    return replace(options, min_probability=None, linking=linking, statistics=None)


def _log_backend(_: Aligner, level: int) -> None:
    """Log on stderr which backend computes transport; only one of several equal processes logs it."""
    logging.getLogger(SINKHORN).setLevel(level)
    logging.getLogger(SINKHORN).addHandler(logging.StreamHandler())
