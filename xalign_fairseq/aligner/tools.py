"""External word aligners: eflomal (Östling & Tiedemann, 2016) and fast_align (Dyer et al., 2013).

Both read lines of ``source ||| target`` and write one line of links ``i-j`` per pair, with the source index first in
both directions.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from xalign_fairseq.core.errors import Command, XalignError
from xalign_fairseq.core.process import failure, running, tail
from xalign_fairseq.core.text.pairs import SEPARATOR, WordPair
from xalign_fairseq.links.pharaoh import Link, parse_line

TEXT, FORWARD, BACKWARD, LOG = "text", "forward", "backward", "log"
Directions = tuple[frozenset[Link], frozenset[Link]]
NONE: Directions = (frozenset(), frozenset())


@dataclass(frozen=True)
class Tool:
    """The commands of a tool, which read ``text`` in their folder and write ``forward`` and ``backward``.

    ``name`` is also the Python package; pairs with more than ``most_words`` on a side get no links.
    """

    name: str
    commands: tuple[tuple[tuple[str, ...], str], ...]
    install: str
    most_words: int = sys.maxsize

    def find(self) -> str | None:
        """The program's path: next to this Python, whose environment may not be activated, otherwise on PATH."""
        folders = (os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath))
        found = shutil.which(self.commands[0][0][0], path=os.pathsep.join(folders))
        return found and os.path.abspath(found)  # the tool runs in another folder

    def describe(self) -> dict[str, object]:
        lines = [shlex.join(command) + (f" > {stdout}" if stdout else "") for command, stdout in self.commands]
        try:
            version = metadata.version(self.name)
        except metadata.PackageNotFoundError:
            version = None
        return {"name": self.name, "version": version, "commands": lines}

    def too_long(self, src: Sequence[str], tgt: Sequence[str]) -> bool:
        """Whether a side has more words than the tool takes."""
        return max(len(src), len(tgt)) > self.most_words

    def run(self, pairs: Iterable[WordPair], folder: Path) -> None:
        """Align the pairs; :class:`XalignError` if all are too long, or the tool is missing or fails."""
        program = self.find()
        if program is None:
            raise XalignError(f"{self.name} is not installed", parameter="engine", remedy=self.install)
        with open(folder / TEXT, "w", encoding="utf-8", newline="\n") as text:
            text.writelines(f"{_plain(src)} {SEPARATOR} {_plain(tgt)}\n" for src, tgt in pairs if self._takes(src, tgt))
            if text.tell() == 0:
                raise XalignError("there is nothing to align", found="no pair with words on both sides")
        environment = {**os.environ, "TMPDIR": os.path.abspath(folder)}
        for (_, *arguments), stdout in self.commands:
            command = [program, *arguments]
            with (
                open(folder / stdout if stdout else os.devnull, "wb") as out,
                open(folder / LOG, "wb") as log,
                running(command, cwd=folder, stdout=out, stderr=log, env=environment) as process,
            ):
                code = process.wait()
            if code:
                remedy = "run it by hand on a few lines of the text; check memory and disk space"
                raise failure(self.name, shlex.join(command), code, tail(folder / LOG), remedy)

    def links(self, pairs: Iterable[WordPair], folder: Path) -> Iterator[tuple[WordPair, Directions]]:
        """Each pair with its forward and backward links; pairs that are too long have none."""
        with ExitStack() as stack:
            lines = []
            for path in (folder / FORWARD, folder / BACKWARD):
                if not path.is_file():
                    raise XalignError(f"{self.name} ended without an error, but wrote no links", where=path.name)
                lines.append(stack.enter_context(open(path, encoding="utf-8", errors="replace")))
            for number, pair in enumerate(pairs, 1):
                if self._takes(*pair):
                    forward, backward = (self._parse(next(each, None), number, *pair) for each in lines)
                    yield pair, (forward, backward)
                else:
                    yield pair, NONE
            if any(next(each, None) is not None for each in lines):
                raise self._misfit("more lines of links than pairs")

    def _takes(self, src: Sequence[str], tgt: Sequence[str]) -> bool:
        return bool(src and tgt) and not self.too_long(src, tgt)

    def _parse(self, line: str | None, number: int, src: Sequence[str], tgt: Sequence[str]) -> frozenset[Link]:
        if line is None:
            raise self._misfit(f"no line of links for the pair of line {number}")
        links = parse_line(line, where=f"{self.name}'s links of line {number}").sure
        for i, j in sorted(links):
            if i >= len(src) or j >= len(tgt):
                raise self._misfit(f"line {number}: link {i}-{j}, sentence lengths {len(src)} and {len(tgt)}")
        return links

    def _misfit(self, found: str) -> XalignError:
        problem, remedy = f"the output of {self.name} does not fit the text", f"check the program: {self.find()}"
        return XalignError(problem, found=found, expected="one line of links for each pair, 0-based", remedy=remedy)


FAST = ("fast_align", "-i", TEXT, "-d", "-o", "-v")
TOOLS = {
    "eflomal": Tool(
        "eflomal",
        ((("eflomal-align", "-v", "-i", TEXT, "-f", FORWARD, "-r", BACKWARD), ""),),
        install="pip install eflomal",
        most_words=1023,  # it silently skips longer sentences
    ),
    "fast_align": Tool(
        "fast_align",
        ((FAST, FORWARD), ((*FAST, "-r"), BACKWARD)),
        install="build https://github.com/clab/fast_align and put fast_align on PATH",
    ),
}


def choose_tool(name: str) -> Tool:
    """A tool by name, or the first installed tool for ``auto``; :class:`XalignError` if none is installed."""
    if name != "auto":
        return TOOLS[name]
    for tool in TOOLS.values():
        if tool.find():
            return tool
    remedy = (f"{', '.join(tool.install for tool in TOOLS.values())}, or use", Command("align"))
    raise XalignError(f"{' and '.join(TOOLS)} are not installed", parameter="engine", remedy=remedy)


def _plain(words: Sequence[str]) -> str:
    """The words joined by spaces; a word that looks like the separator is replaced."""
    return " ".join(word + "|" if word == SEPARATOR else word for word in words)
