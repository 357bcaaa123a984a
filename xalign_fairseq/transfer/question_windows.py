"""A question and a long context as overlapping windows, with the context's characters of each token."""

from dataclasses import dataclass

import numpy as np

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.transfer.family import Limits

NO_ANSWER = 0  # the position of <s>, to which windows without the answer point
UNLABELLED = -1


@dataclass
class QuestionWindows:
    """The windows of one question.

    Attributes:
        tokens: ids (T,) int64 of each window: ``<s> question </s></s> context </s>``.
        begin, end: (T,) int64 of each window, the characters of the context behind each token; an empty range, 0 and 0,
            at special tokens, at the question and where the token has no character (``▁`` alone). Only tokens with
            characters can begin or end an answer.
        targets: (windows, 2) int64, first and last token of the answer in each window; ``NO_ANSWER`` twice if the
            window does not have the whole answer, ``UNLABELLED`` twice without an answer.
        cut: tokens of the question that no window has.
        context: position in every window where the context begins.
    """

    tokens: list[np.ndarray]
    begin: list[np.ndarray]
    end: list[np.ndarray]
    targets: np.ndarray
    cut: int
    context: int


def check_room(limits: Limits, question_tokens: int) -> None:
    """Refuse limits that leave no window room for new context next to the longest question and the overlap."""
    room = limits.tokens - 2 - limits.separators - question_tokens
    if room <= max(limits.overlap, 0):
        raise XalignError(
            "the windows have no room for the context",
            parameter=("max_length", "overlap", "max_question_tokens"),
            found=f"{room} tokens of context in a window of {limits.tokens}, of which {limits.overlap} overlap",
            expected="more tokens of context than overlap",
            remedy=("raise", Parameter("max_length"), "(384 is usual), or lower one of the others"),
        )


def encode_question(
    tokenizer: Tokenizer,
    question: str,
    context: str,
    limits: Limits,
    question_tokens: int,
    answer: tuple[int, int] | None = None,
) -> QuestionWindows:
    """Windows of at most ``limits.tokens`` tokens over a context, each with the whole question.

    The question keeps its first ``question_tokens`` tokens. Consecutive windows share ``limits.overlap`` tokens of
    context; the last one reaches back as far as it can. A context without a token gives one window.

    Args:
        tokenizer: the encoder's own.
        question, context: texts.
        limits: that :func:`check_room` has let pass.
        question_tokens: most tokens of a question.
        answer: its range of characters in the context, if known. All tokens that overlap it are its tokens, so that
            it grows by the rest of a token.

    Example::

        windows = encode_question(tokenizer, "Where?", "In the north of Ghana.", Limits(384, 128), 64, (3, 21))
        windows.targets[0]  # where "▁the" and "▁Ghana" are in windows.tokens[0]
    """
    dictionary = tokenizer.dictionary
    asked = tokenizer.encode(question)
    head = [dictionary.bos_index, *asked[:question_tokens], *[dictionary.eos_index] * limits.separators]
    ids, begin, end = tokenizer.encode_with_offsets(context)
    covers = end > begin
    begin, end = np.where(covers, begin, 0), np.where(covers, end, 0)
    room = limits.tokens - len(head) - 1
    starts = _starts(len(ids), room, limits.overlap)
    slices = [slice(start, start + room) for start in starts]
    if answer is None:
        targets = np.full((len(starts), 2), UNLABELLED, dtype=np.int64)
    else:
        inside = np.flatnonzero((end > answer[0]) & (begin < answer[1]))  # tokens without characters end at 0
        targets = _targets(inside, np.array(starts), room, len(head))
    return QuestionWindows(
        [np.array([*head, *ids[part], dictionary.eos_index], dtype=np.int64) for part in slices],
        [np.pad(begin[part], (len(head), 1)) for part in slices],
        [np.pad(end[part], (len(head), 1)) for part in slices],
        targets,
        max(0, len(asked) - question_tokens),
        len(head),
    )


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
