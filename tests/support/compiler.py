"""torch's compiler, without the compilations of earlier tests."""

from collections.abc import Callable, Iterator

import torch


def fresh(clear: Callable[[], None]) -> Iterator[Callable[[], int]]:
    """Yields the number of graphs compiled since. ``clear`` removes the package's compiled functions."""
    torch.compiler.reset()
    torch._dynamo.utils.counters.clear()
    clear()
    yield lambda: torch._dynamo.utils.counters["stats"]["unique_graphs"]
    clear()
    torch.compiler.reset()
