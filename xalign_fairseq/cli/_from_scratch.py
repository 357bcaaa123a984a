"""What ``xalign align`` and ``xalign train-aligner`` share of ``--from-scratch``."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from xalign_fairseq.cli._parser import CommandParser
from xalign_fairseq.core.errors import XalignError


def strays(args: argparse.Namespace, add: Callable[[argparse.ArgumentParser], None], kept: set[str]) -> list[str]:
    """Options that an aligner of bitext alone has no use for, among those that are given.

    Args:
        args: as given.
        add: adds the options of the command to a parser, which tells their defaults.
        kept: options that it has a use for.
    """
    parser = CommandParser()
    add(parser)
    defaults = vars(parser.parse_args([]))
    return [
        f"--{option.replace('_', '-')}"
        for option, default in defaults.items()
        if option not in kept and getattr(args, option) != default
    ]


def refuse_strays(args: argparse.Namespace, add: Callable[[argparse.ArgumentParser], None], kept: set[str]) -> None:
    """Refuse what :func:`strays` finds.

    Raises:
        XalignError: such an option is given.
    """
    for option in strays(args, add, kept):
        raise XalignError("an aligner of bitext alone has no use for this option", where=option, remedy="leave it out")


@contextmanager
def passes_bar(quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A bar of the passes over the text and the time left on a terminal, else a line for each kind of units."""
    from tqdm import tqdm

    from xalign_fairseq.aligner.statistical.models import NAMES

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
