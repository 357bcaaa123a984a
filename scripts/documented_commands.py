"""The reference of the ``xalign`` command, from its parsers: a page for each command, and a table of all."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import markers

from xalign_fairseq.cli import build_parser

PAGES = Path("docs/reference/cli")
NEW_PAGE = "# `xalign {name}`\n\n<!-- options:cli/{name} -->\n<!-- end -->\n"


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Every command's parser, by name."""
    actions = build_parser()._actions
    return next(dict(action.choices) for action in actions if isinstance(action, argparse._SubParsersAction))


def commands() -> str:
    """All commands, each with the first line of its description."""
    rows = []
    for name, parser in parsers().items():
        summary = re.sub(r"\s+", " ", (parser.description or "").split("\n\n")[0].split("\n")[0])
        rows.append((f"[`xalign {name}`](cli/{name}.md)", summary))
    return markers.table(("command", "what it does"), rows)


def command(name: str) -> str:
    """A command's description, usage and options, group by group."""
    parser = parsers()[name]
    parts = [_prose(text) for text in (parser.description, parser.epilog) if text]
    for group in parser._action_groups:
        rows = list(_rows(parser, group))
        if rows:
            # Text in brackets after a group's title, as in --help, is a sentence about the group.
            title, _, about = (group.title or "").removeprefix("positional ").partition(" (")
            parts.append(f"## {title[:1].upper()}{title[1:]}")
            parts += [
                _prose(text[:1].upper() + text[1:]) for text in (about.removesuffix(")"), group.description) if text
            ]
            parts.append(markers.table(("option", "meaning"), rows))
    return "\n\n".join(parts)


def add_pages(root: Path) -> None:
    """Create the page of each command that has none."""
    for name in parsers():
        page = root / PAGES / f"{name}.md"
        if not page.exists() and page.parent.is_dir():
            page.write_text(NEW_PAGE.format(name=name), encoding="utf-8")


def _rows(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> Iterator[tuple[str, str]]:
    """The options of a group, as ``--help`` shows them."""
    formatter = parser._get_formatter()
    for action in group._group_actions:
        if isinstance(action, argparse._HelpAction):
            continue
        meaning = re.sub(r"\s+", " ", formatter._expand_help(action)) if action.help else ""
        known = action.default not in (None, False, argparse.SUPPRESS, [], ())
        if known and action.option_strings and "default" not in meaning:
            meaning = f"{meaning} (default: {action.default})".strip()
        if action.required and action.option_strings:
            meaning = f"{meaning} (required)"
        by_name = action.option_strings and action.choices and not action.metavar and action.nargs is None
        if by_name and len(str(action.choices)) > 40:
            values, chosen = action.dest.upper(), ", ".join(f"`{choice}`" for choice in action.choices)
            meaning = f"{chosen}; {meaning}" if meaning else chosen
        elif action.option_strings:
            values = formatter._format_args(action, formatter._get_default_metavar_for_optional(action))
        else:
            values = formatter._format_args(action, formatter._get_default_metavar_for_positional(action))
        names = ", ".join(f"`{f'{flag} {values}'.strip()}`" for flag in action.option_strings) or f"`{values}`"
        yield names, _flags_as_code(meaning)


def _flags_as_code(text: str) -> str:
    """The text with its flags in backticks."""
    return re.sub(r"(?<![\w`'\"-])--[a-z][a-z0-9-]*[a-z0-9](?![`\w])", r"`\g<0>`", text)


def _prose(text: str) -> str:
    """Plain text as Markdown: text that is indented, or is a command after ``Example:``, becomes code."""
    text = re.sub(r"^(Examples?): ((?:xalign|fairseq-train) .+)$", r"\1:\n\n  \2", text.strip(), flags=re.MULTILINE)
    lines: list[str] = []
    for line in text.split("\n"):
        code = line.startswith("  ")
        if code and lines and lines[-1] and not lines[-1].startswith("    "):
            lines.append("")
        if not code and line and lines and lines[-1].startswith("    "):
            lines.append("")
        lines.append(f"    {line.removeprefix('  ')}" if code else markers.escaped(_flags_as_code(line)))
    return "\n".join(lines)
