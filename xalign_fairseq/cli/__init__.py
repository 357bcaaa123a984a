"""The ``xalign`` command: one module of this folder per subcommand.

A subcommand's module has a docstring (its first line is the summary shown by ``xalign --help``),
``add_arguments(parser)`` and ``run(args) -> int | None`` (the exit code; ``None`` is 0). The file's name, with ``-``
for ``_``, is the subcommand's name. Heavy imports belong inside ``run``, so that ``--help`` answers at once.
"""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

from xalign_fairseq.errors import XalignError
from xalign_fairseq.launch.signals import interrupted_code, terminate_as_interrupt
from xalign_fairseq.version import __version__


def build_parser() -> argparse.ArgumentParser:
    """The whole command line, built from the modules of this folder."""
    parser = argparse.ArgumentParser(prog="xalign", description="Cross-lingual alignment on fairseq.")
    parser.add_argument("--version", action="version", version=f"xalign_fairseq {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        doc = (module.__doc__ or "").strip()
        sub = subparsers.add_parser(
            info.name.replace("_", "-"),
            help=doc.split("\n")[0],
            description=doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``xalign``.

    Bad input and files that can't be written are told without a traceback and give exit code 2, Ctrl-C gives 130 and
    SIGTERM 143, after what is unfinished has been removed and what was started has been ended.
    """
    args = build_parser().parse_args(argv)
    try:
        with terminate_as_interrupt():
            return args.run(args) or 0
    except KeyboardInterrupt as stopped:
        print(f"xalign {args.command}: stopped", file=sys.stderr)
        return interrupted_code(stopped)
    except XalignError as error:
        print(f"xalign {args.command}: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except OSError as error:  # no permission, a full disk
        print(f"xalign {args.command}: error: {error}", file=sys.stderr)
        return 2
