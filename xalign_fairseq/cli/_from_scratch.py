"""Options that do not go with ``--from-scratch``."""

import argparse
from collections.abc import Callable

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
