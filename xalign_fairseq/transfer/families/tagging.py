"""A tag for each word, from the hidden state of its first subword (POS, NER)."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.labelled.examples import WordsExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.evaluation.tagging import repair_bio
from xalign_fairseq.transfer.family import (
    HEAD_DROPOUT,
    EncodedExample,
    TaskFamily,
    collate_words,
    encode_words,
    register_family,
    word_states,
)
from xalign_fairseq.transfer.heads.features import require_finite
from xalign_fairseq.transport.precision import at_least_float32


class LinearChainCRF(nn.Module):
    r"""p(y | x) = exp(s(x, y)) / Z(x) with

    .. math:: s(x, y) = b_{y_1} + \sum_w e_{w, y_w} + \sum_{w > 1} t_{y_{w-1}, y_w} + f_{y_n}

    Scores e are given. Scores b of the first tag, t of neighbours and f of the last tag are learned, from 0.
    Computation is in log space, in float32 for narrower input.

    Args:
        tags: number of tags.
    """

    def __init__(self, tags: int):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(tags))
        self.neighbours = nn.Parameter(torch.zeros(tags, tags))
        self.last = nn.Parameter(torch.zeros(tags))

    def negative_log_likelihood(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """-log p(tags) of each sentence, (B,) in nats, from scores (B, W, tags); a tag of -1 stands for any."""
        scores = at_least_float32(scores)
        every = torch.arange(scores.shape[-1], device=tags.device)
        other = (tags[..., None] != every) & (tags[..., None] >= 0) & mask[..., None]
        # One pass over the words for both sums: over all taggings, and over taggings that agree with the tags.
        both = torch.cat([scores, scores.masked_fill(other, -torch.inf)])
        partition, agreeing = self._log_sum(both, mask.repeat(2, 1)).chunk(2)
        return partition - agreeing

    def _log_sum(self, scores: Tensor, mask: Tensor) -> Tensor:
        """log of the sum over all taggings of exp(s): the forward algorithm; (B,)."""
        first, neighbours, last = self._parameters_as(scores)
        alpha = first + scores[:, 0]
        for w in range(1, scores.shape[1]):
            step = (alpha[:, :, None] + neighbours).logsumexp(1) + scores[:, w]
            alpha = torch.where(mask[:, w, None], step, alpha)
        return (alpha + last).logsumexp(1)

    def decode(self, scores: Tensor, mask: Tensor) -> Tensor:
        """The best tagging of each sentence, (B, W) int64 (Viterbi); meaningless at padding."""
        scores = at_least_float32(scores)
        if not scores.shape[1]:
            return torch.zeros_like(mask, dtype=torch.long)
        first, neighbours, last = self._parameters_as(scores)
        best = first + scores[:, 0]
        stay = torch.arange(best.shape[1], device=best.device).expand_as(best)
        before: list[Tensor] = []
        for w in range(1, scores.shape[1]):
            value, previous = (best[:, :, None] + neighbours).max(1)
            word = mask[:, w, None]
            best = torch.where(word, value + scores[:, w], best)
            before.append(torch.where(word, previous, stay))
        tags = [(best + last).argmax(1)]
        for previous in reversed(before):
            tags.append(previous.gather(1, tags[-1][:, None])[:, 0])
        return torch.stack(tags[::-1], 1)

    def _parameters_as(self, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.first.to(scores.dtype), self.neighbours.to(scores.dtype), self.last.to(scores.dtype)


class TaggingHead(nn.Module):
    """Dropout and a linear map to tag scores; with ``crf`` a score for the whole tag sequence."""

    def __init__(self, size: int, tags: int, crf: bool):
        super().__init__()
        self.dropout = nn.Dropout(HEAD_DROPOUT)
        self.linear = nn.Linear(size, tags)
        self.crf = LinearChainCRF(tags) if crf else None

    def forward(self, states: Tensor) -> Tensor:
        """Hidden states (B, W, H) -> scores (B, W, tags)."""
        return self.linear(self.dropout(states))


@register_family("tagging")
class Tagging(TaskFamily[WordsExample]):
    r"""p(y_w) = softmax(W h_w + b), h_w the hidden state of word w's first subword (Devlin et al. 2019), or a CRF.

    The loss is the mean over words, also with a CRF. Words with an unknown tag do not count in the loss.
    """

    defaults: ClassVar = {"crf": False, "repair_bio": False}
    help: ClassVar = {
        "crf": "score neighbouring tags too, and choose the best sequence of tags",
        "repair_bio": "predict valid BIO: an I- that continues nothing becomes a B- (F1 does not change)",
    }

    @staticmethod
    def gold(example: WordsExample) -> list[str] | None:
        return None if example.tags is None else list(example.tags)

    def encode(self, example: WordsExample) -> EncodedExample:
        """Windows of the sentence, the places of its words, and the numbers of their tags."""
        windows, window, position = encode_words(self.tokenizer, example.words, self.limits)
        numbers = {label: number for number, label in enumerate(self.labels)}
        tags = [numbers.get(tag, -1) for tag in example.tags or [""] * len(example.words)]
        arrays = {"window": window, "position": position, "tags": np.array(tags, dtype=np.int64)}
        return EncodedExample(windows, arrays)

    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """Windows and words as in :func:`collate_words`, and ``tags`` (B, W), -1 at padding and without a tag."""
        return collate_words(encoded) | {"tags": pad([each.arrays["tags"] for each in encoded], -1)}

    def build_head(self, config: EncoderConfig) -> TaggingHead:
        """The output layer, with a CRF if the options request it."""
        return TaggingHead(config.encoder_embed_dim, len(self.labels), self.options["crf"])

    def loss(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the tags, or -log p of the sequences; and the number of words with a tag."""
        assert isinstance(head, TaggingHead)
        tags, mask = batch["tags"], batch["word_window"] >= 0
        scores = head(word_states(hidden, batch))
        if head.crf is not None:
            total = head.crf.negative_log_likelihood(scores, tags, mask).sum()
        else:
            total = F.cross_entropy(
                at_least_float32(scores).flatten(0, 1), tags.flatten(), ignore_index=-1, reduction="sum"
            )
        return total, (tags >= 0).sum()

    def predict(
        self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor], examples: Sequence[WordsExample]
    ) -> list[list[str]]:
        """The best tag of each word; with a CRF, the best tag sequence."""
        assert isinstance(head, TaggingHead)
        scores, mask = head(word_states(hidden, batch)), batch["word_window"] >= 0
        require_finite(scores[mask])
        best = head.crf.decode(scores, mask) if head.crf is not None else scores.argmax(2)
        predictions = [
            [self.labels[number] for number in row[: len(example.words)]]
            for row, example in zip(best.tolist(), examples, strict=True)
        ]
        return [repair_bio(tags) for tags in predictions] if self.options["repair_bio"] else predictions
