"""Linked words pulled together (Cao et al. 2020, in the form of Wu & Dredze 2020)."""

from collections.abc import Iterable

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.word_vectors import POOLINGS
from xalign_fairseq.objectives.registry import Loss, Objective, choice, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.objectives.word_pairs import WordPairConfig, WordPairs
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("l2_align", dataclass=WordPairConfig)
class L2Align(Objective):
    """L = sum_i ||s_i - t_i||^2 over the linked words of sides that are encoded separately (Eq. 3).

    The count is the number of word pairs, so that the mean is the paper's. All words at one point would be its minimum:
    train it beside ``reg_param`` (Eq. 6) or ``reg_hidden``.
    """

    needs = ("bitext", "links")
    in_nats = False
    counts_ahead = True
    cfg: WordPairConfig

    def __init__(self, cfg: WordPairConfig):
        super().__init__(cfg)
        choice(cfg.pooling, POOLINGS, "--l2-align-pooling")

    def prepare(self, config: EncoderConfig) -> None:
        """Check the layer."""
        config.resolve_layer(self.cfg.layer, "--l2-align-layer")

    def count(self, batch: Batch) -> int:
        """Word pairs."""
        return len(declared(batch.bitext, "bitext").links)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """Both sides, each by itself."""
        return [(given, self.cfg.layer) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        """Sum over word pairs; which side is the pivot's does not matter here."""
        bitext = step.bitext
        pairs = WordPairs(bitext)
        s, t = pairs.vectors(
            lambda side: step.encoder.states(bitext.side_input(side)).layer(self.cfg.layer), self.cfg.pooling
        )
        # Sums in half precision overflow.
        total = at_least_float32(s - t).square().sum()
        return Loss(total, pairs.rows.new_full((), len(pairs)))
