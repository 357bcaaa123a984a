"""Generated parts of documents: the lines between ``<!-- KIND:NAME -->`` and ``<!-- end -->``."""

import difflib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.evaluation.tables import markdown

END = "<!-- end -->"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table. Escapes bars in cells, and ``<`` outside of backticks, which would begin a tag."""
    head, *body = ([_cell(text) for text in line] for line in (columns, *rows))
    return markdown(head, body, names=len(head))


def _cell(text: str) -> str:
    return escaped(text.replace("|", "\\|"))


def escaped(text: str) -> str:
    """Escape ``<`` outside of backticks, which would begin a tag."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def names(text: str, kind: str) -> list[str]:
    """The names of all markers of a kind, in order."""
    return re.findall(rf"^<!-- {kind}:(\S+) -->$", text, re.MULTILINE)


def fill(path: Path, kind: str, write: Callable[[str], str]) -> str:
    """The text of a document with every part of a kind rewritten."""
    lines = path.read_text(encoding="utf-8").split("\n")
    out: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        out.append(line)
        found = re.fullmatch(rf"(# )?<!-- {kind}:(\S+) -->", line)
        number += 1
        if not found:
            continue
        hash_ = found[1] or ""
        end = next((at for at in range(number, len(lines)) if lines[at].startswith(f"{hash_}<!-- ")), None)
        if end is None or lines[end] != hash_ + END:
            raise XalignError(
                "a generated part has no end",
                where=f"{path}, line {number}",
                found=f"{line} without {END}",
                expected=f"{END} on a line of its own, before the next marker",
                remedy=f"add {END} after it",
            )
        out += [write(found[2]).strip("\n"), lines[end]]
        number = end + 1
    return "\n".join(out)


def update(documents: Sequence[Path], kind: str, write: Callable[[str], str], check: bool, command: str) -> int:
    """Write the parts of a kind in all documents, or only compare them; return 1 if a compared one is outdated."""
    outdated = 0
    # Make all texts before writing: after an error every document is unchanged.
    for path, text in {path: fill(path, kind, write) for path in documents}.items():
        before = path.read_text(encoding="utf-8")
        if text == before:
            continue
        if check:
            outdated = 1
            print(f"{path} is outdated; next: {command}", file=sys.stderr)
            sys.stderr.writelines(difflib.unified_diff(before.splitlines(True), text.splitlines(True), "now", "new"))
        else:
            with atomic_write(path) as out:
                out.write(text)
            print(f"wrote {path}")
    return outdated
