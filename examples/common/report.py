"""Shared by report.py of the studies: results become a report in Markdown, and pictures next to it."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write

NOTHING = "No results yet."


@dataclass(frozen=True)
class Report:
    """A study's report.

    Attributes:
        option: names another folder than ``folder`` to read and write.
        path: of the report below that folder.
        read: folder -> the runs of each setting; empty without results.
        to_markdown: runs -> the text.
        draw: makes the pictures of runs in the report's folder.
    """

    option: str
    folder: Path
    path: str
    read: Callable[[Path], dict[Any, Any]]
    to_markdown: Callable[[dict[Any, Any]], str]
    draw: Callable[[dict[Any, Any], Path], None]

    def main(self, doc: str | None, argv: Sequence[str] | None = None) -> int:
        """Run the command, which ``doc`` describes."""
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the report is outdated")
        parser.add_argument(
            self.option, dest="folder", type=Path, default=self.folder, help="with the results (default: the study's)"
        )
        args = parser.parse_args(argv)
        return exit_code(lambda: self._write(args.folder, args.check))

    def _write(self, folder: Path, check: bool) -> int:
        runs, path = self.read(folder), folder / self.path
        text = self.to_markdown(runs)
        if check:
            outdated = not path.is_file() or path.read_text(encoding="utf-8") != text
            if outdated:
                print(f"{path} is not up to date; next: python report.py", file=sys.stderr)
            return int(outdated)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as out:
            out.write(text)
        if runs:
            self.draw(runs, path.parent)
        print(f"wrote {path}")
        return 0
