"""Filters of training sentences for ``xalign prepare`` by length and ratio of lengths."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError, check_values

# Reasons for dropping, as the manifest has them.
REASONS = TOO_SHORT, TOO_LONG, UNEVEN = "too short", "too long", "length ratio"


@dataclass(frozen=True)
class Filters:
    """Conditions on a sentence, or on each side of a pair; lengths are in tokens, without ``</s>``."""

    min_length: int | None = None
    max_length: int | None = None
    max_length_ratio: float | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The active filters, for the manifest."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def check(self) -> None:
        """Raise :class:`XalignError` if nothing could pass."""
        check_values(
            "a filter is out of range", *((name, value, value >= 1, "1 or more") for name, value in self.given.items())
        )
        if self.min_length is not None and self.max_length is not None and self.min_length > self.max_length:
            raise XalignError("no length passes the filters", parameter=("min_length", "max_length"))

    def failing(self, sizes: Sequence[np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
        """Each filter's reason and the sentences (n,) bool that fail it; ``sizes``: the lengths of each side."""
        shorter, longer = np.minimum.reduce(sizes), np.maximum.reduce(sizes)
        if self.min_length is not None:
            yield TOO_SHORT, shorter < self.min_length
        if self.max_length is not None:
            yield TOO_LONG, longer > self.max_length
        if self.max_length_ratio is not None and len(sizes) > 1:
            yield UNEVEN, longer > self.max_length_ratio * shorter
