"""The logging outputs of an update as numbers of the host, read from the device at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from torch import Tensor

from xalign_fairseq.trainer.reading import read_at_once


def logged_sums(logging_outputs: Iterable[Mapping[str, Any]]) -> defaultdict[str, float]:
    """The sum of every logged value over the outputs of batches, read from the device at once; 0 if missing."""
    entries = [(key, value) for log in logging_outputs for key, value in log.items()]
    read = iter(read_at_once([value for _, value in entries if isinstance(value, Tensor)]))
    sums: defaultdict[str, float] = defaultdict(float)
    for key, value in entries:
        sums[key] += next(read) if isinstance(value, Tensor) else float(value)
    return sums
