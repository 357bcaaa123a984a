"""torch's compiler without what earlier tests compiled."""

from collections.abc import Callable, Iterator

import torch


def fresh(clear: Callable[[], None]) -> Iterator[Callable[[], int]]:
    """Yields the number of graphs that were compiled since. ``clear`` forgets what the package has compiled."""
    torch.compiler.reset()
    torch._dynamo.utils.counters.clear()
    clear()
    yield lambda: torch._dynamo.utils.counters["stats"]["unique_graphs"]
    clear()
    torch.compiler.reset()
