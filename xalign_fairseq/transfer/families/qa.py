"""Extractive question answering: the best span of a context by its first and last token (XQuAD, MLQA, TyDiQA-GoldP)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.labelled.examples import QuestionExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import initialise
from xalign_fairseq.transfer.family import EncodedExample, Limits, TaskFamily, collate_windows, register_family
from xalign_fairseq.transfer.heads.features import require_finite
from xalign_fairseq.transport.precision import at_least_float32

NO_ANSWER = 0  # the position of <s>, the target in windows without the answer
UNLABELLED = -1


def _starts(size: int, room: int, overlap: int) -> list[int]:
    """First tokens of windows of ``room`` tokens over ``size`` tokens."""
    if size <= room:
        return [0]
    return [*range(0, size - room, room - overlap), size - room]


def _targets(inside: np.ndarray, starts: np.ndarray, room: int, head: int) -> np.ndarray:
    """The answer's first and last token in each window; ``inside`` are its tokens, counted in the context."""
    targets = np.full((len(starts), 2), NO_ANSWER, dtype=np.int64)
    if len(inside):
        first, last = inside[0], inside[-1]
        whole = (first >= starts) & (last < starts + room)
        targets[whole] = np.array([first, last]) - starts[whole, None] + head
    return targets


@register_family("qa")
class QuestionAnswering(TaskFamily[QuestionExample]):
    r"""p(first = i) = softmax_i(w_s h_i + b_s), and p(last = j), in each window (Devlin et al. 2019, section 4.2).

    Both are distributions over the context's tokens and ``<s>``, the target of windows without the answer. Training
    uses the first answer of an example. :func:`best_span` finds the answer; its text is copied from the original
    context, without detokenisation. If no window has a span, the answer is empty.
    """

    defaults: ClassVar = {"max_question_tokens": 64}
    help: ClassVar = {"max_question_tokens": "maximum number of tokens of a question"}

    @classmethod
    def check(cls, limits: Limits, options: dict[str, Any]) -> None:
        """Refuse windows without room for new context next to the longest question and the overlap, too."""
        super().check(limits, options)
        room = limits.tokens - 2 - limits.separators - options["max_question_tokens"]
        if room <= limits.overlap:
            raise XalignError(
                "the windows have no room for the context",
                parameter=("max_length", "overlap", "max_question_tokens"),
                found=f"{room} tokens of context in a window of {limits.tokens}, of which {limits.overlap} overlap",
                expected="more tokens of context than overlap",
                remedy=("raise", Parameter("max_length"), "(384 is usual), or lower one of the others"),
            )

    @staticmethod
    def gold(example: QuestionExample) -> list[str] | None:
        """The texts of all answers."""
        return None if example.answers is None else [text for text, _ in example.answers]

    def encode(self, example: QuestionExample) -> EncodedExample:
        """Windows ``<s> question </s></s> context </s>``, with the characters and the answer's tokens of each.

        Windows share ``limits.overlap`` tokens of the context; each has the question's first ``max_question_tokens``.
        Arrays: ``begin`` and ``end``, (T,) int64 for each window, are each token's characters in the context, 0 and 0
        for all other tokens; ``targets`` (windows, 2) int64 are the first and last token that overlap the first answer,
        ``NO_ANSWER`` twice in windows that do not hold all of them, ``UNLABELLED`` twice without answers.
        """
        dictionary, limits = self.tokenizer.dictionary, self.limits
        asked, most = self.tokenizer.encode(example.question), self.options["max_question_tokens"]
        head = [dictionary.bos_index, *asked[:most], *[dictionary.eos_index] * limits.separators]
        ids, begin, end = self.tokenizer.encode_with_offsets(example.context)
        covers = end > begin
        begin, end = np.where(covers, begin, 0), np.where(covers, end, 0)
        room = limits.tokens - len(head) - 1
        starts = _starts(len(ids), room, limits.overlap)
        targets = np.full((len(starts), 2), UNLABELLED, dtype=np.int64)
        if example.answers:
            text, first = example.answers[0]
            # Tokens without characters end at 0.
            inside = np.flatnonzero((end > first) & (begin < first + len(text)))
            targets = _targets(inside, np.array(starts), room, len(head))
        slices = [slice(start, start + room) for start in starts]
        windows = [np.array([*head, *ids[part], dictionary.eos_index], dtype=np.int64) for part in slices]
        arrays = {
            "begin": [np.pad(begin[part], (len(head), 1)) for part in slices],
            "end": [np.pad(end[part], (len(head), 1)) for part in slices],
            "targets": targets,
        }
        return EncodedExample(windows, arrays, cut=max(0, len(asked) - most), second=len(head))

    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """``tokens``, ``begin``, ``end`` (N, T), ``targets`` (N, 2), and ``example`` (N,), the example of each row."""
        begin, end = (pad([row for each in encoded for row in each.arrays[name]], 0) for name in ("begin", "end"))
        windows = torch.tensor([len(each.windows) for each in encoded])
        return {
            "tokens": collate_windows(encoded),
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
        """The text of the best span in an example's windows; the earliest among equals."""
        logits = at_least_float32(head(hidden))
        require_finite(logits[batch["end"] > batch["begin"]])
        scores = logits.cpu().numpy()
        begin, end, owner = (batch[name].cpu().numpy() for name in ("begin", "end", "example"))
        best = [(-np.inf, 0, 0)] * len(examples)
        for window, example in enumerate(owner.tolist()):
            candidates = np.flatnonzero(end[window] > begin[window])
            span = best_span(scores[window], candidates)
            if span is not None and span[0] > best[example][0]:
                best[example] = (span[0], int(begin[window, span[1]]), int(end[window, span[2]]))
        return [example.context[first:last] for example, (_, first, last) in zip(examples, best, strict=True)]


def best_span(
    scores: np.ndarray, candidates: np.ndarray, *, n_best: int = 20, longest: int = 30
) -> tuple[float, int, int] | None:
    """The ``(score, first, last)`` with the greatest sum of scores (T, 2) in one window; None without one.

    Pairs of the ``n_best`` best starts and ends of the ``candidates`` (C,) count, of at most ``longest`` tokens; of
    equal ones, the earliest.
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
