"""The aligner of bitext alone in the form of the others: pairs in, links with probabilities out."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.protocol import Progress, SentencePair, WordAligner
from xalign_fairseq.aligner.sentence_pairs import SentencePairs, chunks
from xalign_fairseq.aligner.statistical.choice import USUAL, Choice, Report, choose
from xalign_fairseq.aligner.statistical.folder import Progress as UnitProgress
from xalign_fairseq.aligner.statistical.folder import TrainedModels, finish, load, train_models
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.signature import score_signature
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.growing import grown_links
from xalign_fairseq.links.pharaoh import check_bounds

AT_ONCE = 2048


class StatisticalAligner(WordAligner):
    """Word alignment by tables that were learned from bitext alone.

    Args:
        trained: what was learned.
        min_probability: of a link; all links of this probability are taken, and no others. Without one, links grow
            as was best on development gold (:func:`~xalign_fairseq.links.growing.grown_links`).

    Example::

        aligner = StatisticalAligner.from_folder("aligner")
        [pair] = aligner.align(["das Haus"], ["the house"])
        pair.links  # {(0, 0): 0.97, (1, 1): 0.99}
    """

    def __init__(self, trained: TrainedModels, min_probability: float | None = None):
        self._models = trained.models
        self.threshold, self.growth, self._calibration = trained.choice
        if min_probability is not None:
            self.threshold = self.growth = self._calibration.score(min_probability)

    @classmethod
    def from_folder(cls, path: str | os.PathLike[str], min_probability: float | None = None) -> "StatisticalAligner":
        """Read a folder that ``xalign train-aligner --from-scratch`` has written."""
        return cls(load(Path(path)), min_probability)

    def stream(self, pairs: Iterable[SentencePair], progress: Progress | None = None) -> Iterator[Alignment]:
        """As of :class:`~xalign_fairseq.aligner.protocol.WordAligner`."""
        for chunk in chunks(pairs, AT_ONCE):
            for (src, tgt), scores in zip(chunk, mean_scores(self._models, chunk), strict=True):
                found = grown_links(scores, self.threshold, self.growth)
                probabilities = self._calibration.probability(np.array(list(found.values())))
                links = dict(zip(found, map(float, probabilities), strict=True))
                yield Alignment(src, tgt, links, too_long=scores is None)
            if progress:
                progress(len(chunk))

    def describe(self) -> str:
        """How links are found, in a line."""
        names = ", ".join(model.name for model in self._models)
        least, growth = self._calibration.probability(np.array([self.threshold, self.growth]))
        grown = f", grown by those of {growth:.2f} and more" if self.growth < self.threshold else ""
        return f"from bitext alone ({names}), links of probability {least:.2f} and more{grown}"

    def signature(self) -> str:
        """As of :class:`~xalign_fairseq.aligner.protocol.WordAligner`."""
        return score_signature(system=self.describe())


def train_from_scratch(
    src: str, tgt: str, folder: Path, progress: UnitProgress, dev: tuple[str, str, str] | None = None
) -> Report | None:
    """Learn an aligner of a bitext into a folder; how good it is on a development set, if there is one.

    Args:
        src: source sentences, one a line; words are what white space separates.
        tgt: target sentences.
        folder: the aligner; the same call goes on with one that was broken off.
        progress: is told the units, passes done, and of all.
        dev: source, target and gold links, which choose the thresholds and calibrate probabilities.
    """
    identity = {"xalign_fairseq": __version__, "src": text_sha256(src), "tgt": text_sha256(tgt)}
    golds = pairs = None
    if dev:
        pairs = list(SentencePairs(*dev[:2]))
        golds = read_gold(dev[2], pairs=len(pairs))
        check_bounds([gold.possible for gold in golds], [(len(a), len(b)) for a, b in pairs], where=dev[2])
    text = SentencePairs(src, tgt)
    models = train_models(text, folder, identity, progress)
    choice: Choice = USUAL
    report = None
    if golds is not None and pairs is not None:
        choice, report = choose(mean_scores(models, pairs), golds)
    finish(folder, choice)
    return report
