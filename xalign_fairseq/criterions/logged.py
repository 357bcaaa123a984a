"""The logging outputs of an update as numbers of the host, read from the device at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor


def logged_sums(logging_outputs: Iterable[Mapping[str, Any]]) -> defaultdict[str, float]:
    """The sum of every logged value over the outputs of batches, read from the device at once; 0 for what none has."""
    entries = [(key, value) for log in logging_outputs for key, value in log.items()]
    alike: defaultdict[torch.dtype, list[int]] = defaultdict(list)
    for at, (_, value) in enumerate(entries):
        if isinstance(value, Tensor):
            alike[value.dtype].append(at)
    values = [value for _, value in entries]
    if alike:
        # float64 holds what float32 and counts have.
        stacks = [torch.stack([values[at].detach() for at in each]).double() for each in alike.values()]
        read = torch.cat(stacks).tolist()
        for at, number in zip((at for each in alike.values() for at in each), read, strict=True):
            values[at] = number
    sums: defaultdict[str, float] = defaultdict(float)
    for (key, _), value in zip(entries, values, strict=True):
        sums[key] += float(value)
    return sums
