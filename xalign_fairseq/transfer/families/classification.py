"""Classification of a pair of texts by the hidden state of ``<s>`` (XNLI, PAWS-X)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.family import (
    HEAD_DROPOUT,
    EncodedExample,
    Limits,
    TaskFamily,
    collate_windows,
    register_family,
)
from xalign_fairseq.transfer.heads.features import require_finite
from xalign_fairseq.transport.precision import at_least_float32


@register_family("classification")
class Classification(TaskFamily[PairExample]):
    r"""p(y) = softmax(W h_1 + b), h_1 the last hidden state of ``<s>`` (Devlin et al. 2019; Wu & Dredze section 3).

    A pair is ``<s> first </s></s> second </s>`` with XLM-R's two separators, ``<s> first </s> second </s>`` with one
    (``--pair-separators``; by default as the encoder's tokenizer joins pairs). A pair that is too
    long loses tokens from the end of its longer side, one by one.
    """

    first_alone = True
    cuts_windows = False

    @classmethod
    def check(cls, limits: Limits, options: dict[str, Any]) -> None:
        """Refuse windows without room for two texts; do the checks of all families."""
        super().check(limits, options)
        least = 4 + limits.separators  # <s>, </s> and one token of each text
        if limits.tokens < least:
            raise XalignError(
                "the windows have no room for two texts",
                parameter=("max_length", "pair_separators"),
                found=f"{limits.tokens} tokens, {limits.separators} separators",
                expected=f"at least {least} tokens",
            )

    @staticmethod
    def gold(example: PairExample) -> str | None:
        return example.label

    def encode(self, example: PairExample) -> EncodedExample:
        """One window, and the class's number."""
        dictionary = self.tokenizer.dictionary
        first, second = (self.tokenizer.encode(text) for text in (example.first, example.second))
        separators = [dictionary.eos_index] * self.limits.separators
        room = self.limits.tokens - 2 - len(separators)
        # The longer side is cut first, then both equally.
        kept = min(len(first), max(room // 2, room - len(second)))
        keep = kept, min(len(second), room - kept)
        tokens = [dictionary.bos_index, *first[: keep[0]], *separators, *second[: keep[1]], dictionary.eos_index]
        label = self.labels.index(example.label) if example.label in self.labels else -1  # tests may have other labels
        cut = len(first) + len(second) - sum(keep)
        begin = 1 + keep[0] + len(separators)
        return EncodedExample([np.array(tokens, dtype=np.int64)], {"label": label}, cut, second=begin)

    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """``tokens`` (B, T) and ``labels`` (B,), -1 without a label."""
        labels = torch.tensor([each.arrays["label"] for each in encoded])
        return {"tokens": collate_windows(encoded), "labels": labels}

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """Dropout and the output layer."""
        return nn.Sequential(nn.Dropout(HEAD_DROPOUT), nn.Linear(config.encoder_embed_dim, len(self.labels)))

    def loss(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the class."""
        logits = at_least_float32(head(hidden[:, 0]))
        labels = batch["labels"]
        return F.cross_entropy(logits, labels, ignore_index=-1, reduction="sum"), (labels >= 0).sum()

    def predict(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor], examples: Sequence[Any]) -> list[str]:
        """The most probable class; the first among equals."""
        scores = head(hidden[:, 0])
        require_finite(scores)
        return [self.labels[i] for i in scores.argmax(1).tolist()]
