"""Masked language modelling with a bilingual dictionary (DICT-MLM, Chaudhary et al. 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch, Mono
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.encoder.translations import Translation, TranslationTable
from xalign_fairseq.objectives.prediction import TokenPrediction
from xalign_fairseq.objectives.registry import Loss, option, register_objective
from xalign_fairseq.objectives.step import Step, declared


@register_objective("dict_mlm")
@dataclass
class DictMLM(TokenPrediction):
    """L_DICT-MLM = - sum_{i in M} log p(y_i | x~), which replaces MLM on monolingual blocks.

    M are MLM's positions; each is looked up in the dictionary with probability ``prob``. Only entries with one subword
    on each side are used, in both directions; one of several translations is drawn. ``input``: x~_i is the translation
    of x_i, and y_i = x_i. ``target``: y_i is the translation, and x~_i is MLM's input.

    With language embeddings, a translation gets the embedding of its language. For ``input``, MLM's random tokens are
    drawn from all tokens except those that occur only on the target side of the dictionaries. In ALIGN-MLM's released
    code, these are the natural language's half of the vocabulary; between natural languages, they include tokens
    without an entry and shared tokens.
    """

    traits = replace(TokenPrediction.traits, needs=("mono", "lexicon"), stats=("accuracy", "translated"))

    variant: str = option(
        "input",
        "input: read the translation and predict the original; a token without translation is unchanged "
        "(ALIGN-MLM's released code). target: predict the translation (Chaudhary et al. 2020)",
    )
    prob: float = option(0.5, "share of the chosen tokens that are looked up in the dictionary; MLM handles the others")
    translation_language: str = option(
        "own",
        "language embedding of a translation that is read: own (ALIGN-MLM's released code) or block (that "
        "of the surrounding text)",
    )
    random_tokens: str = option(
        "source",
        "source of MLM's random tokens for variant input: source (all tokens except those only on the "
        "dictionaries' target side; ALIGN-MLM's released code) or all",
    )

    def __post_init__(self) -> None:
        self.require_choices(
            variant=("input", "target"), translation_language=("own", "block"), random_tokens=("source", "all")
        )
        self.require_values(prob=(0 < self.prob <= 1, "above 0, at most 1"))

    def build_head(self) -> nn.Module:
        """The translations, and the tokens to draw random tokens from."""
        config, lexicons = self.context.config, self.context.lexicons
        own = config.languages and self.variant == "input" and self.translation_language == "own"
        mask, language_row = self.context.mask, config.language_row if own else None
        table = TranslationTable(lexicons, config.vocab_size, mask, language_row)
        if not table.count.any():
            remedy = "use a larger dictionary, or lexicon_align, which averages subwords"
            raise XalignError("no entry of the dictionary translates a single token", where="dict_mlm", remedy=remedy)
        return table

    def count(self, batch: Batch) -> int:
        return len(declared(batch.mono, "mono").predicted)

    def predicts(self, step: Step) -> Sequence[Prediction]:
        mono, targets = step.mono, step.mono.targets
        asked, found = self._looked_up(step)
        translated = asked & found.there
        if self.variant == "input":
            tokens = torch.where(asked, found.tokens, self._masked(step))
            read = mono.input(tokens, self._languages(mono, found, translated))
        else:
            read = mono.input()
            targets = torch.where(translated, found.tokens, targets)
        return [Prediction.of(read, targets, mono.predicted)]

    def forward(self, step: Step) -> Loss:
        loss = super().forward(step)
        asked, found = self._looked_up(step)
        loss.stats["translated"] = ((asked & found.there).sum(), loss.count)
        return loss

    def _looked_up(self, step: Step) -> tuple[Tensor, Translation]:
        """The positions (B, T) to translate, and the translations of the original tokens."""
        mono, table = step.mono, step.head
        asked = mono.targets.ne(PAD) & (mono.draw < self.prob)
        # Draws below prob, divided by it, are uniform too; they choose among several translations.
        return asked, table.translate(mono.targets, mono.draw / self.prob)

    def _masked(self, step: Step) -> Tensor:
        """MLM's input for the blocks (B, T), with the random tokens that the options choose."""
        mono, source = step.mono, step.head.source
        if self.random_tokens == "all":
            return mono.masked
        replaced = mono.targets.ne(PAD) & mono.masked.ne(mono.targets) & mono.masked.ne(self.context.mask)
        # Draws of at least prob are uniform, too.
        share = (mono.draw.double() - self.prob) / ((1 - self.prob) or 1)
        at = (share * len(source)).long().clamp(0, len(source) - 1)
        return torch.where(replaced, source[at], mono.masked)

    def _languages(self, mono: Mono, found: Translation, translated: Tensor) -> Tensor | None:
        """(B, T), rows of the language embeddings; None: the languages of the blocks."""
        rows = mono.language_rows
        if rows is None or self.translation_language == "block":
            return None
        return torch.where(translated, found.languages, rows[:, None])
