"""The interface of a family of transfer tasks: classification, tagging, parsing, QA."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.packing import lengths_of
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder.config import EncoderConfig

E = TypeVar("E")
TASK_FAMILIES: dict[str, type["TaskFamily"]] = {}
HEAD_DROPOUT = 0.1  # before an output layer (Devlin et al. 2019)


@dataclass(frozen=True)
class Limits:
    """The lengths of the encoder's sequences, in tokens: windows, their overlap, and ``</s>`` between two texts."""

    tokens: int = 128
    overlap: int = 32
    separators: int = 2

    def __post_init__(self) -> None:
        if self.tokens <= 2 or self.overlap < 0 or self.separators not in (1, 2):
            raise XalignError(
                "windows of this size can't be cut",
                parameter=("max_length", "overlap", "pair_separators"),
                found=f"{self.tokens} tokens, overlap {self.overlap}, {self.separators} separators",
                expected="a length above 2, which <s> and </s> take; an overlap of at least 0; 1 or 2 separators",
            )


@dataclass
class EncodedExample:
    """An example as windows of ids (T,) int64, other arrays of the family, and the place of the second text.

    ``cut``: tokens of the text outside all windows.
    """

    windows: list[np.ndarray]
    arrays: dict[str, Any] = field(default_factory=dict)
    cut: int = 0
    second: int | None = None

    @property
    def tokens(self) -> int:
        """Tokens in all windows."""
        return sum(map(len, self.windows))


class TaskFamily(ABC, Generic[E]):
    """A family of transfer tasks: examples -> windows -> hidden states -> loss and predictions.

    It has no parameters; the head, which belongs to the model, has them. ``labels`` are the output classes in order
    (empty for QA); ``options`` are the family's options, completed by its defaults.
    """

    name: ClassVar[str]
    # Whether loss and predictions read only the features of a window's first token, (N, 1, H).
    first_alone: ClassVar[bool] = False
    # Whether a long text is cut into windows; otherwise an overlap has no effect.
    cuts_windows: ClassVar[bool] = True
    # The family's options: default values (their types are the options' types) and help.
    defaults: ClassVar[dict[str, Any]] = {}
    help: ClassVar[dict[str, str]] = {}

    def __init__(self, tokenizer: Tokenizer, labels: Sequence[str], limits: Limits, options: dict[str, Any]):
        self.tokenizer, self.labels, self.limits = tokenizer, list(labels), limits
        self.options = {**self.defaults, **options}
        self.check(limits, self.options)

    @classmethod
    def check(cls, limits: Limits, options: dict[str, Any]) -> None:
        """Refuse options that allow no model or would lose words or answers silently."""
        if cls.cuts_windows and limits.overlap >= limits.tokens - 2:
            raise XalignError(
                "windows of this size can't be cut",
                parameter=("max_length", "overlap"),
                found=f"{limits.tokens} tokens, overlap {limits.overlap}",
                expected="an overlap below max_length - 2",
            )
        for name, default in cls.defaults.items():
            value, least = options[name], min(default, 1)
            if value < least:
                problem = "an option has an invalid value"
                raise XalignError(problem, parameter=name, found=value, expected=f"at least {least}")

    @staticmethod
    @abstractmethod
    def gold(example: E) -> Any:
        """The value that metrics compare with a prediction; ``None`` if the example has no label."""

    @abstractmethod
    def encode(self, example: E) -> EncodedExample:
        """Tokens and, if the example is labelled, targets."""

    @abstractmethod
    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """A batch: ``tokens`` (N, T) int64, all windows as padded rows; and the family's other tensors."""

    @abstractmethod
    def build_head(self, config: EncoderConfig) -> nn.Module:
        """The parameters of the task."""

    @abstractmethod
    def loss(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Sum of the loss in nats and number of predictions, for features (N, T or 1, H) of ``batch["tokens"]``."""

    @abstractmethod
    def predict(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor], examples: Sequence[E]) -> list[Any]:
        """One prediction per example, in the form of :meth:`gold` (JSON values, except for parses)."""


def register_family(name: str) -> Callable[[type[TaskFamily]], type[TaskFamily]]:

    def register(cls: type[TaskFamily]) -> type[TaskFamily]:
        cls.name = name
        TASK_FAMILIES[name] = cls
        return cls

    return register


def make_batch(
    family: TaskFamily, config: EncoderConfig, examples: Sequence[Any], encoded: Sequence[EncodedExample]
) -> dict[str, Any]:
    """The family's ``batch``, its rows' ``lengths`` in tokens, ``languages`` and ``language_rows``.

    A window has its example's language; for a question, the context's.
    """
    batch = family.collate(encoded)
    return {
        "batch": batch,
        "lengths": lengths_of(batch["tokens"]),
        "languages": [example.language for example, each in zip(examples, encoded, strict=True) for _ in each.windows],
        "language_rows": language_rows(config, examples, encoded),
    }


def language_rows(config: EncoderConfig, examples: Sequence[Any], encoded: Sequence[EncodedExample]) -> Tensor | None:
    """The language embedding's row of each token, (N, T) int64, or None; separators belong to the first text."""
    if not config.languages:
        return None
    rows = []
    for example, each in zip(examples, encoded, strict=True):
        first, *second = map(config.language_row, example.languages)
        for window in each.windows:
            row = np.full(len(window), first, dtype=np.int64)
            if second:
                row[each.second :] = second[0]
            rows.append(row)
    return pad(rows, 0)


def require_languages(config: EncoderConfig, examples: Iterable[Any]) -> None:
    """Raise :class:`XalignError` for texts in a language without an embedding."""
    if config.languages:
        for language in sorted({each for example in examples for each in example.languages}):
            config.language_row(language)


def require_positions(config: EncoderConfig, tokens: int) -> None:
    """Raise :class:`XalignError` for windows longer than the encoder's positions."""
    if tokens > config.max_positions:
        raise XalignError(
            "the windows are longer than the encoder's positions",
            parameter="max_length",
            found=tokens,
            expected=f"at most {config.max_positions}",
            remedy="give a smaller max_length (and overlap)",
        )


def encode_words(
    tokenizer: Tokenizer, words: Sequence[str], limits: Limits
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Windows (T,) int64 over a sentence, and the window and position (W,) int64 of each word's first subword.

    A long sentence is cut between words; each word is read in the window where its shorter context is longest. A word
    without tokens becomes ``<unk>``; a word longer than a window is cut.
    """
    dictionary = tokenizer.dictionary
    room = limits.tokens - 2
    pieces: list[list[int]] = [[] for _ in words]
    for token, word in zip(*tokenizer.encode_words(words), strict=True):
        if len(pieces[word]) < room:
            pieces[word].append(token)
    pieces = [each or [dictionary.unk_index] for each in pieces]
    ends = [0, *accumulate(map(len, pieces))]
    windows, best = [], np.full(len(words), -1, dtype=np.int64)
    window, position = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for row, (first, last) in enumerate(_spans(ends, room, limits.overlap)):
        tokens = [token for word in pieces[first:last] for token in word]
        windows.append(np.array([dictionary.bos_index, *tokens, dictionary.eos_index], dtype=np.int64))
        for word in range(first, last):
            context = min(ends[word] - ends[first], ends[last] - ends[word + 1])
            if context > best[word]:
                best[word], window[word], position[word] = context, row, 1 + ends[word] - ends[first]
    return windows, window, position


def _spans(ends: Sequence[int], room: int, overlap: int) -> list[tuple[int, int]]:
    """Windows as ranges of words; word ``w`` has the tokens ``ends[w]`` to ``ends[w + 1]``."""
    words = len(ends) - 1
    spans: list[tuple[int, int]] = []
    first = 0
    while True:
        last = int(np.searchsorted(ends, ends[first] + room, side="right")) - 1
        if last == words:  # the last window reaches back as far as possible: its context is free
            spans.append((int(np.searchsorted(ends, ends[last] - room)), last))
            return spans
        spans.append((first, last))
        # The requested overlap, reduced if the next word would not fit.
        first = int(np.searchsorted(ends, max(ends[last] - overlap, ends[last + 1] - room)))


def collate_windows(encoded: Sequence[EncodedExample]) -> Tensor:
    """All windows as rows, (N, T) int64."""
    return pad([window for each in encoded for window in each.windows], PAD)


def collate_words(encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
    """A batch of words: ``tokens`` (N, T), ``word_window`` and ``word_position`` (B, W), -1 at padding."""
    rows = accumulate((len(each.windows) for each in encoded), initial=0)  # the first of each example
    return {
        "tokens": collate_windows(encoded),
        "word_window": pad([each.arrays["window"] + row for each, row in zip(encoded, rows, strict=False)], -1),
        "word_position": pad([each.arrays["position"] for each in encoded], -1),
    }


def word_states(hidden: Tensor, batch: dict[str, Tensor]) -> Tensor:
    """Hidden states of the words' first subwords, (B, W, H), from those of the windows (N, T, H); 0 at padding."""
    window, position = batch["word_window"], batch["word_position"]
    return hidden[window.clamp(min=0), position.clamp(min=0)].masked_fill((window < 0)[..., None], 0)
