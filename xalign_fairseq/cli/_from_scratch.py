"""What ``xalign align`` and ``xalign train-aligner`` share of ``--from-scratch``."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from xalign_fairseq.errors import XalignError


def refuse_strays(args: argparse.Namespace, add: Callable[[argparse.ArgumentParser], None], kept: set[str]) -> None:
    """Refuse options that an aligner of bitext alone has no use for.

    Args:
        args: as given.
        add: adds the options of the command to a parser, which tells their defaults.
        kept: options that it has a use for.

    Raises:
        XalignError: another option is not at its default.
    """
    parser = argparse.ArgumentParser()
    add(parser)
    for option, default in vars(parser.parse_args([])).items():
        if option not in kept and getattr(args, option) != default:
            raise XalignError(
                "an aligner of bitext alone has no use for this option",
                where=f"--{option.replace('_', '-')}",
                next="leave it out",
            )


@contextmanager
def passes_bar(quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A bar of the passes over the text on a terminal, else a line for each kind of units."""
    from tqdm import tqdm

    with tqdm(unit=" passes", disable=quiet or not sys.stderr.isatty()) as bar:

        def show(units: str, done: int, of: int) -> None:
            bar.set_postfix_str(f"{units} {done}/{of}")
            bar.update()
            if bar.disable and done == of and not quiet:
                print(f"learned by {units}", file=sys.stderr)

        yield show
