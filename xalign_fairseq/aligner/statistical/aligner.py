"""The aligner from bitext alone, with the interface of all aligners."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from xalign_fairseq.aligner.protocol import Alignment, Progress, SentencePair, WordAligner
from xalign_fairseq.aligner.statistical.folder import TrainedModels
from xalign_fairseq.aligner.statistical.models import UnitModel, WordPairs, mean_scores
from xalign_fairseq.aligner.statistical.units import cut_all
from xalign_fairseq.core.text.pairs import chunks
from xalign_fairseq.links.growing import grown_links

logger = logging.getLogger(__name__)
AT_ONCE = 2048
LEAST_UNITS = 20  # minimum number of units per side for a warning
LEAST_KNOWN = 0.4  # share of the units of a text that an aligner of its languages knows


@dataclass(frozen=True)
class StatisticalAligner(WordAligner):
    """Word alignment by tables that were learned from bitext alone.

    Args:
        min_probability: take exactly the links of at least this probability. None: links grow by the best setting on
            development gold (:func:`~xalign_fairseq.links.growing.grown_links`).
    """

    trained: TrainedModels
    min_probability: float | None = None

    @property
    def least(self) -> tuple[float, float]:
        """The minimum scores of a link: alone, and next to other links."""
        threshold, growth, calibration = self.trained.choice
        if self.min_probability is None:
            return threshold, growth
        return (calibration.score(self.min_probability),) * 2

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        least, calibration = self.least, self.trained.choice.calibration
        for chunk in judged(self.trained.models[0], chunks(pairs, AT_ONCE)):
            all_scores = mean_scores(self.trained.models, chunk)
            all_links = [grown_links(scores, *least) for scores in all_scores]
            values = np.fromiter(chain.from_iterable(found.values() for found in all_links), float)
            probabilities = iter(calibration.probability(values).tolist())
            for (src, tgt), scores, found in zip(chunk, all_scores, all_links, strict=True):
                links = {link: next(probabilities) for link in found}
                matrix = calibration.probability(scores) if matrices and scores is not None else None
                yield Alignment(src, tgt, links, too_long=scores is None, matrix=matrix)
            if progress:
                progress(len(chunk))

    def describe(self) -> str:
        names = ", ".join(model.name for model in self.trained.models)
        least, growth = self.trained.choice.calibration.probability(np.array(self.least))
        grown = f", next to others {growth:.2f}" if growth < least else ""
        source = "statistics that an encoder guided" if self.trained.guide else "bitext alone"
        return f"from {source} ({names}), links with a probability of at least {least:.2f}{grown}"


def judged(model: UnitModel, text: Iterable[WordPairs]) -> Iterator[WordPairs]:
    """The chunks of a text, with a warning if the first seems to be in other languages."""
    for number, chunk in enumerate(text):
        if not number:
            warn_of_other_languages(model, chunk)
        yield chunk


def warn_of_other_languages(model: UnitModel, pairs: WordPairs) -> None:
    """Log if the model knows few words of a side, or many more with the sides swapped."""
    tables = (model.tables.src, model.tables.tgt)
    texts = [list(chain.from_iterable(pair[side] for pair in pairs)) for side in (0, 1)]
    cut = [list(chain.from_iterable(cut_all(model.units[side], texts[side]))) for side in (0, 1)]
    units = [[unit for unit in side if unit[:1].isalpha()] for side in cut]
    if min(map(len, units)) < LEAST_UNITS:
        return
    share = [[sum(unit in known for unit in side) / len(side) for known in tables] for side in units]
    if share[0][1] + share[1][0] > share[0][0] + share[1][1] + 0.2:
        logger.warning("source and target may be swapped: the statistics then know more words")
    elif (least := min(share[0][0], share[1][1])) < LEAST_KNOWN:
        side = "source" if share[0][0] == least else "target"
        logger.warning(
            "the statistics know only %.0f %% of the words of the %s: are they for other languages?", 100 * least, side
        )
