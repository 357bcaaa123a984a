"""The progress of learning from bitext, on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from xalign_fairseq.aligner.statistical.models import NAMES


@contextmanager
def passes_bar(quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A bar of the passes over the text and the time left on a terminal, otherwise a line for each kind of units."""
    with tqdm(unit=" passes", disable=quiet or not sys.stderr.isatty()) as bar:

        def show(units: str, done: int, of: int) -> None:
            kind = NAMES.index(units)
            if bar.total is None:  # kinds of units that an earlier run has left take no time
                bar.total, bar.initial, bar.n = of * len(NAMES), of * kind, of * kind
            bar.set_postfix_str(f"{units} {done}/{of}", refresh=False)
            bar.update(of * kind + done - bar.n)
            if bar.disable and done == of and not quiet:
                print(f"learned by {units}, {kind + 1} of {len(NAMES)}", file=sys.stderr)

        yield show
