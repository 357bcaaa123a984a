"""The ``xalign`` command: one module of this folder per subcommand.

A subcommand's module has a docstring, ``add_arguments(parser)`` and ``run(args) -> int | None`` (the exit code;
``None`` is 0). The docstring's first line is the summary in ``xalign --help``; the part from ``Example`` on is at the
end of the subcommand's help. The file's name, with ``-`` for ``_``, is the subcommand's name. Heavy imports belong
inside ``run``, so that ``--help`` is fast. ``_parser`` groups the subcommands, ``_arguments`` has shared options.
"""

import errno
import importlib
import io
import logging
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from types import ModuleType

from xalign_fairseq.cli._aligning import log_from
from xalign_fairseq.cli._arguments import add_volume
from xalign_fairseq.cli._parser import CommandParser, overview
from xalign_fairseq.core.errors import Parameter, Text, XalignError, command_line_text
from xalign_fairseq.core.signals import interrupted_code, signals_as_interrupts
from xalign_fairseq.core.version import __version__

ALLOCATION = "can't allocate memory"  # in torch's error on a CPU


def build_parser() -> CommandParser:
    """The whole command line, built from the modules of this folder."""
    parser = CommandParser(prog="xalign", usage="xalign COMMAND [options]")
    parser.add_argument("--version", action="version", version=f"xalign_fairseq {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", prog="xalign")
    summaries: dict[str, str] = {}
    commands_with: dict[str, list[str]] = {}
    for name, module in command_modules().items():
        text, examples = _split_examples((module.__doc__ or "").strip())
        summaries[name] = text.split("\n")[0]
        sub = subparsers.add_parser(name, help=summaries[name], description=text, epilog=examples)
        module.add_arguments(sub)
        add_volume(sub)
        sub.set_defaults(run=module.run)
        sub.usage = sub.short_usage()
        sub.commands_with = commands_with
        for option in sub.option_names():
            commands_with.setdefault(option, []).append(sub.prog)
    parser.overview = overview(summaries)
    return parser


def command_modules() -> dict[str, ModuleType]:
    """The module of each command by the command's name."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}") for name in names}


def _split_examples(doc: str) -> tuple[str, str | None]:
    """A docstring's parts before and from its last ``Example``."""
    found = list(re.finditer(r"^Examples?\b", doc, re.MULTILINE))
    return (doc[: found[-1].start()].strip(), doc[found[-1].start() :]) if found else (doc, None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``xalign``.

    Bad input and unwritable files are reported without a traceback, with exit code 2. Ctrl-C gives 130, SIGTERM 143
    and SIGUSR1 75, after unfinished files are removed and child processes have ended.
    """
    for name, mode in (("stdin", "r"), ("stderr", "w")):  # closed streams: a newly opened file would get their number
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    parser = build_parser()
    words = list(sys.argv[1:] if argv is None else argv)
    args = parser.parse_args([*words[1:2], "--help"] if words[:1] == ["help"] else words)
    if args.command is None:
        parser.exit(2, parser.format_help())
    if isinstance(sys.stdout, io.TextIOWrapper):  # as on stderr without full Unicode
        sys.stdout.reconfigure(errors="backslashreplace")
    level = logging.INFO if args.verbose else logging.WARNING if args.quiet else logging.NOTSET
    try:
        with log_from(level), signals_as_interrupts():
            return args.run(args) or 0
    except KeyboardInterrupt as stopped:
        print(f"xalign {args.command}: stopped", file=sys.stderr)
        return interrupted_code(stopped)
    except XalignError as error:
        print(f"xalign {args.command}: error: {command_line_text(error)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except (OSError, MemoryError, RuntimeError) as error:
        text = command_line_text(_user_error(error, hasattr(args, "batch_tokens")))
        print(f"xalign {args.command}: error: {text}", file=sys.stderr)
        return 2


def _user_error(error: OSError | MemoryError | RuntimeError, in_batches: bool) -> XalignError:
    """Lack of permission, disk space or memory as an error for users; any other error is raised again."""
    if isinstance(error, OSError):
        then: Text | None = None
        if error.errno == errno.ENOSPC:
            then = "free some disk space, then continue or repeat the command"
        problem = error.strerror.lower() if error.strerror else str(error)
        return XalignError(problem, where=error.filename, remedy=then)
    if not (isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or ALLOCATION in str(error)):
        raise error
    then = ("set a smaller", Parameter("batch_tokens")) if in_batches else None
    return XalignError("there is not enough memory", found=str(error).partition("\n")[0] or None, remedy=then)
