"""Masked language modelling with a bilingual dictionary (DICT-MLM, Chaudhary et al. 2020)."""

from dataclasses import dataclass, field

import torch
from torch import nn

from xalign_fairseq.data.lexicon import TRAINED
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.translations import TranslationTable
from xalign_fairseq.errors import XalignError
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, choice, register_objective
from xalign_fairseq.objectives.step import Step


@dataclass
class DictMlmConfig(ObjectiveConfig):
    """Options of ``dict_mlm``."""

    variant: str = field(
        default="input",
        metadata={
            "help": "input: the translation is read and the original predicted, a token without one is left as it is "
            "(ALIGN-MLM's released code); target: the translation is predicted (Chaudhary et al. 2020)"
        },
    )
    prob: float = field(
        default=0.5, metadata={"help": "share of the chosen tokens that the dictionary is asked for; others are MLM's"}
    )


@register_objective("dict_mlm", dataclass=DictMlmConfig)
class DictMaskedLanguageModel(Objective):
    """L_DICT-MLM = - sum_{i in M} log p(y_i | x~), in place of MLM on monolingual blocks.

    M are MLM's chosen positions; at each the dictionary is asked with probability ``prob``. Entries of one subword on
    either side serve, in both directions; of several translations one is drawn. ``input``: x~_i is the translation of
    x_i, and y_i = x_i. ``target``: y_i is the translation, and x~_i what MLM made of x_i.
    """

    needs = ("mono", "lexicon")
    stats = ("accuracy", "translated")
    predicts_tokens = True
    cfg: DictMlmConfig

    def __init__(self, cfg: DictMlmConfig):
        super().__init__(cfg)
        choice(cfg.variant, ("input", "target"), "--dict-mlm-variant")
        if not 0 < cfg.prob <= 1:
            raise XalignError(
                "the share of tokens that the dictionary is asked for is outside (0, 1]",
                where="--dict-mlm-prob",
                found=cfg.prob,
                next="--criterion mlm does without a dictionary",
            )

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """The translations.

        Raises:
            XalignError: no entry to train on has one subword on either side.
        """
        table = TranslationTable(self.lexicons, config.vocab_size)
        if not table.count.any():
            trained = sum(int((lexicon.part == TRAINED).sum()) for lexicon in self.lexicons)
            raise XalignError(
                "no entry of the dictionary translates a single token",
                where="dict_mlm",
                found=f"{trained} entries to train on, all of several subwords",
                expected="entries of one subword on either side",
                next="take a larger dictionary, or lexicon_align, which reads the mean of subwords",
            )
        return table

    def forward(self, step: Step) -> Loss:
        """Sum over the chosen tokens of the blocks."""
        mono, table = step.mono, step.head
        masked, targets = mono.masked, mono.targets
        chosen = targets.ne(PAD)
        asked = chosen & (mono.draw < self.cfg.prob)
        # Below prob the draw is uniform once more, and chooses between several translations.
        translation, there = table.translate(targets, mono.draw / self.cfg.prob)
        if self.cfg.variant == "input":
            masked = torch.where(asked, translation, masked)
        else:
            targets = torch.where(asked & there, translation, targets)
        loss = masked_cross_entropy(step.encoder, mono.input(masked), targets, mono.predicted)
        loss.stats["translated"] = ((asked & there).sum(), loss.count)
        return loss
