"""The parser of a command: names and places of old that still work, help with defaults, errors that say what to do."""

import argparse
import difflib
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn


def also_named(parser: Any, action: argparse.Action, *names: str) -> None:
    """Names of old, which do what the option does and stand in no help.

    Example::

        also_named(parser, parser.add_argument("--out"), "--destdir")
    """
    for name in names:
        # In the parser's table of names alone: help, usage and completion go by action.option_strings.
        parser._option_string_actions[name] = action


def also_placed(*actions: argparse.Action) -> None:
    """Options that used to be words without a name: where such words are given, they are taken in this order."""
    for action in actions:
        action.takes_word = True  # type: ignore[attr-defined]


class HelpLines(argparse.RawDescriptionHelpFormatter):
    """Help that ends with the default, where the text does not tell it by itself."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        told = "default" in text or action.default in (None, False, argparse.SUPPRESS, [], ())
        return text if told or not action.option_strings else f"{text} (default: %(default)s)".strip()

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs as wide as the terminal; indented lines, which are commands, as they are."""
        parts = text.split("\n\n")
        return (
            "\n\n".join(
                part if "\n  " in part else textwrap.fill(part, width, break_on_hyphens=False) for part in parts
            )
            + "\n"
        )

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        """An option that takes a value in its old form alone is shown without one."""
        return "" if getattr(action, "hides_value", False) else super()._format_args(action, default_metavar)


class CommandParser(argparse.ArgumentParser):
    """Parser of ``xalign`` or of one of its commands.

    Its errors are one message, as :class:`~xalign_fairseq.core.errors.XalignError` writes it, below the command's own
    usage; a name that is nearly one that there is gets it suggested.
    """

    overview: str | None = None
    """What the help shows below the usage in place of all else."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **{"formatter_class": HelpLines, **kwargs})

    def format_help(self) -> str:
        """The help, or the overview of commands."""
        return super().format_help() if self.overview is None else f"{self.format_usage()}\n{self.overview}\n"

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse; words without a name go to the options that used to have none, and nothing else is left over."""
        needed = [action for action in self._actions if action.required]
        for action in needed:
            action.required = False  # what is unknown is told before what is missing, and words are placed between
        try:
            found, rest = super().parse_known_args(args, namespace)
        finally:
            for action in needed:
                action.required = True
        rest = self._take_words(found, rest)
        if rest:
            self._refuse(rest)
        missing = [action for action in needed if getattr(found, action.dest) is None]
        if missing:
            names = [action.option_strings[-1] if action.option_strings else str(action.metavar) for action in missing]
            self.error(f"{' and '.join(names)} must be given")
        return found, rest

    def _take_words(self, found: argparse.Namespace, rest: list[str]) -> list[str]:
        if any(word.startswith("-") and word != "-" for word in rest):
            return rest
        for action in (action for action in self._actions if getattr(action, "takes_word", False)):
            if rest and getattr(found, action.dest) is action.default:
                taken = len(rest) if action.nargs == "+" else 1
                action(self, found, rest[:taken] if action.nargs == "+" else rest[0], None)
                rest = rest[taken:]
        return rest

    def _refuse(self, rest: Sequence[str]) -> NoReturn:
        """Say which of the words has no meaning, and what was perhaps meant."""
        unknown = next((word.partition("=")[0] for word in rest if word.startswith("-")), None)
        if unknown is None:
            self.error(f"it is not clear what this is for: {' '.join(rest)}")
        options = [name for action in self._shown() for name in action.option_strings]
        self.error(f"there is no option {unknown}", _nearest(unknown, options))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """The names of commands are many, so that the nearest ones are told and not all."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            self.error(f"there is no command {value}", _nearest(value, action.choices))
        super()._check_value(action, value)

    def _shown(self) -> list[argparse.Action]:
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def short_usage(self) -> str:
        """The command with what it can't do without; all else is in the help."""
        formatter = self._get_formatter()
        words = [
            " ".join(filter(None, (action.option_strings[-1], formatter._format_args(action, action.dest.upper()))))
            if action.option_strings
            else formatter._format_args(action, action.dest.upper())
            for action in self._shown()
            if action.required
        ]
        return " ".join([self.prog, *words, "[options]"])

    def error(self, message: str, suggestion: str = "") -> NoReturn:
        """End with the usage of this very command and exit code 2."""
        self.exit(2, f"{self.format_usage()}{self.prog}: error: {message}{suggestion}\n  next: {self.prog} --help\n")


def _nearest(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""
