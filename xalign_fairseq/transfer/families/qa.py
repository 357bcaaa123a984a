"""Extractive question answering: the best span of a context by its first and last token (XQuAD, MLQA, TyDiQA-GoldP)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.labelled.examples import QuestionExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import initialise
from xalign_fairseq.transfer.family import EncodedExample, Limits, TaskFamily, register_family
from xalign_fairseq.transfer.question_windows import NO_ANSWER, UNLABELLED, check_room, encode_question
from xalign_fairseq.transfer.word_windows import collate_windows
from xalign_fairseq.transport.precision import at_least_float32

Span = tuple[float, int, int]  # score, first token, last token


@register_family("qa")
class QuestionAnswering(TaskFamily[QuestionExample]):
    r"""p(first = i) = softmax_i(w_s h_i + b_s), and p(last = j), in each window (Devlin et al. 2019, section 4.2).

    Both are distributions over the context's tokens and ``<s>``, the target of windows without the answer. Training
    uses the first answer of an example. :func:`best_span` finds the answer, which is copied from the original context
    without detokenisation. If no window has a span, the answer is empty.
    """

    defaults: ClassVar = {"max_question_tokens": 64, "max_answer_tokens": 30, "n_best": 20}
    help: ClassVar = {
        "max_question_tokens": "largest number of tokens of a question",
        "max_answer_tokens": "longest answer, in tokens",
        "n_best": "first and last tokens that are combined in each window",
    }

    @classmethod
    def check(cls, limits: Limits, options: dict[str, Any]) -> None:
        """Refuse windows without room for context, and what every family refuses."""
        super().check(limits, options)
        check_room(limits, options["max_question_tokens"])

    @staticmethod
    def labels_of(examples: Sequence[QuestionExample]) -> list[str]:
        """None: answers are spans, not classes."""
        return []

    @staticmethod
    def gold(example: QuestionExample) -> list[str] | None:
        """The texts of all answers."""
        return None if example.answers is None else [text for text, _ in example.answers]

    def encode(self, example: QuestionExample) -> EncodedExample:
        """Windows, the characters behind each token, and the answer's tokens in each window."""
        text, first = example.answers[0] if example.answers else ("", 0)
        answer = (first, first + len(text)) if example.answers else None
        limit = self.options["max_question_tokens"]
        found = encode_question(self.tokenizer, example.question, example.context, self.limits, limit, answer)
        arrays = {"begin": found.begin, "end": found.end, "targets": found.targets}
        return EncodedExample(found.tokens, arrays, found.cut, second=found.context)

    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """``tokens``, ``begin``, ``end`` (N, T), ``targets`` (N, 2), and ``example`` (N,), whose window each row is."""
        tokens, _ = collate_windows(encoded)
        begin, end = (pad([row for each in encoded for row in each.arrays[name]], 0) for name in ("begin", "end"))
        windows = torch.tensor([len(each.windows) for each in encoded])
        return {
            "tokens": tokens,
            "begin": begin,
            "end": end,
            "targets": torch.from_numpy(np.concatenate([each.arrays["targets"] for each in encoded])),
            "example": torch.arange(len(encoded)).repeat_interleave(windows),
        }

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """A linear map to the scores of first and last."""
        return nn.Linear(config.encoder_embed_dim, 2).apply(initialise)

    def loss(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Cross-entropies of first and last token, two predictions a window."""
        candidates = batch["end"] > batch["begin"]
        candidates[:, NO_ANSWER] = True
        logits = at_least_float32(head(hidden)).masked_fill(~candidates[..., None], -torch.inf)
        targets = batch["targets"]
        total = F.cross_entropy(logits, targets, ignore_index=UNLABELLED, reduction="sum")  # over dimension 1, T
        return total, (targets != UNLABELLED).sum()

    def predict(
        self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor], examples: Sequence[QuestionExample]
    ) -> list[str]:
        """The text of the best span over an example's windows; the earliest of equals."""
        scores = at_least_float32(head(hidden)).cpu().numpy()
        begin, end, owner = (batch[name].cpu().numpy() for name in ("begin", "end", "example"))
        best = [(-np.inf, 0, 0)] * len(examples)
        for window, example in enumerate(owner.tolist()):
            candidates = np.flatnonzero(end[window] > begin[window])
            span = best_span(
                scores[window], candidates, n_best=self.options["n_best"], longest=self.options["max_answer_tokens"]
            )
            if span is not None and span[0] > best[example][0]:
                best[example] = (span[0], int(begin[window, span[1]]), int(end[window, span[2]]))
        return [example.context[first:last] for example, (_, first, last) in zip(examples, best, strict=True)]


def best_span(scores: np.ndarray, candidates: np.ndarray, *, n_best: int = 20, longest: int = 30) -> Span | None:
    """The span of one window whose scores of first and last token have the greatest sum.

    The ``n_best`` best first tokens are combined with the ``n_best`` best last tokens; a pair counts if it is in order
    and spans at most ``longest`` tokens. Of equal tokens, and of equal pairs, the earliest is taken (for pairs the
    earliest first token, then the earliest last one).

    Args:
        scores: (T, 2) float, of being first and last.
        candidates: (C,) int64, ascending, the positions that a span may begin and end with.
        n_best, longest: see above.

    Returns:
        the score, the first and the last token; ``None`` if no pair counts.

    Example::

        best_span(np.array([[0, 0], [3, 1], [0, 2.0]]), np.array([1, 2]))  # (5.0, 1, 2)
    """
    first, last = (
        np.sort(candidates[np.argsort(-scores[candidates, side], kind="stable")[:n_best]]) for side in (0, 1)
    )
    length = last[None, :] - first[:, None] + 1
    counts = (length >= 1) & (length <= longest)
    if not counts.any():
        return None
    sums = np.where(counts, scores[first, 0][:, None] + scores[last, 1][None, :], -np.inf)
    i, j = np.unravel_index(sums.argmax(), sums.shape)
    return float(sums[i, j]), int(first[i]), int(last[j])
