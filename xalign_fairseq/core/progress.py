"""Progress of long work on stderr: a bar on a terminal, otherwise occasional lines."""

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

SPARSE = 30.0  # seconds between two lines outside a terminal


def progress(
    items: Iterable[Any] | None = None,
    *,
    total: float | None = None,
    unit: str = "",
    desc: str | None = None,
    quiet: bool = False,
) -> Any:
    """A tqdm bar on a terminal, otherwise :class:`SparseLines`, with the time left; ``unit`` begins with a space."""
    if quiet or sys.stderr.isatty():
        from tqdm import tqdm

        scaled = total is not None and total >= 10_000
        return tqdm(items, desc, total, unit=unit, unit_scale=scaled, smoothing=0.05, disable=quiet, dynamic_ncols=True)
    return SparseLines(items, total, unit, desc)


def say(line: str) -> None:
    """A line on stderr, above a bar if one is shown."""
    shown = sys.modules.get("tqdm")
    if shown is not None and sys.stderr.isatty():
        shown.tqdm.write(line, file=sys.stderr)
    else:
        print(line, file=sys.stderr)


class SparseLines:
    """Replaces tqdm's bar outside a terminal: one line every :data:`SPARSE` seconds."""

    def __init__(self, items: Iterable[Any] | None, total: float | None, unit: str, desc: str | None):
        self.items, self.total, self.unit, self.desc, self.n = items, total, unit, desc, 0.0
        self.start = self.written = time.monotonic()

    def __enter__(self) -> "SparseLines":
        return self

    def __exit__(self, *error: object) -> None:
        return

    def __iter__(self) -> Iterator[Any]:
        for item in self.items or ():
            yield item
            self.update(1)

    def set_description(self, desc: str) -> None:
        """Name the next part of the work."""
        self.desc = desc

    def update(self, done: float = 1) -> None:
        """Add finished units, and print a line if it is time."""
        self.n += done
        now = time.monotonic()
        if now - self.written >= SPARSE:
            self.written = now
            print(self.line(now - self.start), file=sys.stderr, flush=True)

    def line(self, seconds: float) -> str:
        """The progress line after this number of seconds."""
        rate = self.n / seconds
        of = f" of {self.total:,.0f}" if self.total is not None else ""
        parts = [f"{self.n:,.0f}{of}{self.unit}", f"{rate:,.1f}/s"]
        if self.total is not None and rate:
            parts.append(f"{timedelta(seconds=round(max(0.0, self.total - self.n) / rate))} left")
        return (f"{self.desc}: " if self.desc else "") + ", ".join(parts)
