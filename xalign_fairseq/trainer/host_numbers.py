"""Read the numbers of an update that the host needs from the device in one transfer."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor


class SampleSize(Tensor):
    """A number of predictions on the device: fairseq's ``n / (size or 1.0)`` divides by 1 instead of 0, without
    synchronisation."""

    def __bool__(self) -> bool:
        return True

    def __rtruediv__(self, number: Tensor | complex) -> Tensor:
        quotient: Tensor = number / self.as_subclass(Tensor).clamp(min=1)
        return quotient


def counting(step: Callable[..., Any], logs: list[dict[str, Any]]) -> Callable[..., Any]:
    """The task's ``train_step``; it also adds its logs to ``logs``, and a replacement micro-batch counts 0."""

    def nothing(value: object) -> Any:  # a tensor may hold a non-finite number
        number = isinstance(value, int | float)
        return torch.zeros_like(value) if isinstance(value, Tensor) else 0 if number else value

    def train_step(*args: object, ignore_grad: bool = False, **kwargs: object) -> Any:
        loss, size, log = step(*args, ignore_grad=ignore_grad, **kwargs)
        if ignore_grad:
            size, log = size * 0, {key: nothing(value) for key, value in log.items()}
        logs.append(log)
        return loss, as_sample_size(size), log

    return train_step


def as_sample_size(size: object) -> Any:
    """A tensor as :class:`SampleSize`; numbers of the host are returned unchanged."""
    return size.as_subclass(SampleSize) if isinstance(size, Tensor) else size


def as_tensor(size: object) -> Any:
    """A :class:`SampleSize` as a plain tensor, for everything except the division."""
    return size.as_subclass(Tensor) if isinstance(size, Tensor) else size


def read_with_logs(norm: Tensor, logs: Iterable[dict[str, Any]]) -> Tensor:
    """A norm as a tensor on the host; the same transfer moves the numbers of ``logs`` to the host."""
    found = [(log, key) for log in logs for key, value in log.items() if isinstance(value, Tensor)]
    first, *numbers = read_at_once([norm, *(log[key] for log, key in found)])
    for (log, key), number in zip(found, numbers, strict=True):
        log[key] = number
    return torch.tensor(first, dtype=norm.dtype)


def read_at_once(numbers: Sequence[Tensor]) -> list[float]:
    """The values of tensors of one element each, of any dtypes, in one transfer from each device."""
    alike: dict[torch.device, dict[torch.dtype, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, number in enumerate(numbers):
        alike[number.device][number.dtype].append(at)
    values = [0.0] * len(numbers)
    for of_device in alike.values():
        # float64 holds float32 values and counts exactly.
        stacks = [torch.stack([numbers[at].detach().view(()) for at in each]).double() for each in of_device.values()]
        read = torch.cat(stacks).tolist()
        for at, value in zip((at for each in of_device.values() for at in each), read, strict=True):
            values[at] = value
    return values


def logged_sums(logging_outputs: Iterable[Mapping[str, Any]]) -> defaultdict[str, float]:
    """The sum of every logged value over the outputs of batches, read from the device at once; 0 if missing."""
    entries = [(key, value) for log in logging_outputs for key, value in log.items()]
    read = iter(read_at_once([value for _, value in entries if isinstance(value, Tensor)]))
    sums: defaultdict[str, float] = defaultdict(float)
    for key, value in entries:
        sums[key] += next(read) if isinstance(value, Tensor) else float(value)
    return sums
