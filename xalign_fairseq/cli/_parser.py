"""The parser of a command: help with defaults, grouped commands, and errors with suggestions."""

import argparse
import difflib
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

# Group -> its commands, in the order of use.
GROUPS = {
    "align words": ("align", "score", "layers", "bench", "symmetrize"),
    "use links": ("project", "filter", "dictionary", "phrases"),
    "train": ("train-aligner", "prepare", "links", "lexicon", "objectives", "train"),
    "evaluate encoders": ("retrieve", "alignment-score", "embeddings", "transfer", "predict", "transfer-report"),
    "make data": ("sample", "derive"),
    "convert and change models": ("import-hf", "export-hf", "trim", "untrim", "procrustes"),
    "installation": ("doctor", "user-dir"),
}
EXAMPLES = (
    "xalign align test.en test.de -o test.links",
    "xalign score --hyp test.links --gold test.gold",
    "xalign train-aligner --src train.en --tgt train.de --out aligner",
)


def overview(summaries: Mapping[str, str]) -> str:
    """The commands in their groups, one line each with its summary."""
    width = max(map(len, summaries))
    parts = ["Word alignment and cross-lingual training on fairseq."]
    for title, names in GROUPS.items():
        lines = [f"    {name:<{width}}  {summaries[name]}" for name in names]
        parts.append("\n".join([f"{title}:", *lines]))
    parts.append("\n".join(["examples:", *(f"  {line}" for line in EXAMPLES)]))
    parts.append("Run `xalign COMMAND --help` for options and examples.")
    return "\n\n".join(parts)


class HelpLines(argparse.RawDescriptionHelpFormatter):
    """Help that ends with the default, unless the text mentions it."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        stated = "default" in text or action.default in (None, False, argparse.SUPPRESS, "", [], ())
        return text if stated or not action.option_strings else f"{text} (default: %(default)s)".strip()

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs as wide as the terminal; indented lines (commands) unchanged."""
        parts = text.split("\n\n")
        filled = (part if "\n  " in part else textwrap.fill(part, width, break_on_hyphens=False) for part in parts)
        return "\n\n".join(filled) + "\n"


class CommandParser(argparse.ArgumentParser):
    """Parser of ``xalign`` or a command; an error is one message below the usage; it suggests similar names."""

    overview: str | None = None
    """If set, the help shows this below the usage, instead of the options."""
    commands_with: Mapping[str, Sequence[str]] = {}
    """The commands that have an option."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **{"formatter_class": HelpLines, "allow_abbrev": False, **kwargs})

    def format_help(self) -> str:
        """The help, or the overview of commands."""
        return super().format_help() if self.overview is None else f"{self.format_usage()}\n{self.overview}\n"

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse; an unknown option is reported before a missing one."""
        for word in args or ():
            if word.startswith("-") and f"-{word}" in self.option_names():  # argparse would read -out as -o ut
                self.error(f"there is no option {word}; did you mean -{word}?")
        needed = [action for action in self._actions if action.required]
        for action in needed:
            action.required = False  # argparse would report a missing option first
        try:
            found, rest = super().parse_known_args(args, namespace)
        finally:
            for action in needed:
                action.required = True
        missing = [action for action in needed if getattr(found, action.dest) is None]
        names = [action.option_strings[-1] if action.option_strings else str(action.metavar) for action in missing]
        if rest:
            if names[:1] == ["--src"] and getattr(found, "tgt", "") is None and "--tgt" not in names:
                names.insert(1, "--tgt")  # optional, but a second file is likely the translation
            self._refuse(rest, names)
        if names:
            self.error(f"{' and '.join(names)} must be given")
        return found, rest

    def _refuse(self, rest: Sequence[str], missing: Sequence[str]) -> NoReturn:
        """Report the first unknown word, with a suggestion; ``missing``: options that bare words may belong to."""
        unknown = next((word.partition("=")[0] for word in rest if word.startswith("-")), None)
        if unknown is None:
            pairs = zip(missing, rest, strict=False)
            meant = f"; did you mean {' '.join(map(' '.join, pairs))}?" if len(rest) <= len(missing) else ""
            self.error(f"unexpected argument: {' '.join(rest)}{meant}")
        passed_on = any(action.nargs == argparse.REMAINDER for action in self._actions)
        elsewhere = "; options of fairseq-train come after DATA" if passed_on else ""
        others = () if passed_on else self.commands_with.get(unknown, ())
        theirs = f"; it is an option of {' and '.join(others)}" if 0 < len(others) <= 2 else ""
        self.error(f"there is no option {unknown}", theirs or _nearest(unknown, self.option_names()) or elsewhere)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Report an unknown command with the nearest names, not with all of them."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            self.error(f"there is no command {value}", _nearest(value, action.choices))
        super()._check_value(action, value)

    def option_names(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]

    def short_usage(self) -> str:
        """The command with its required arguments."""
        formatter = self._get_formatter()
        words = [
            " ".join(filter(None, (action.option_strings[-1], formatter._format_args(action, action.dest.upper()))))
            if action.option_strings
            else formatter._format_args(action, action.dest.upper())
            for action in self._actions
            if action.required or (action.nargs == "?" and not action.option_strings)
        ]
        return " ".join([self.prog, *words, "[options]"])

    def error(self, message: str, suggestion: str = "") -> NoReturn:
        """Exit with the usage of this command and code 2."""
        self.exit(2, f"{self.format_usage()}{self.prog}: error: {message}{suggestion}\n  next: {self.prog} --help\n")


def _nearest(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""
