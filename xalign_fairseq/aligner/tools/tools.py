"""The word aligners of others: eflomal (Östling & Tiedemann, 2016) and fast_align (Dyer et al., 2013).

Both read lines of ``source ||| target`` and write one line of links ``i-j`` for each, the source index first in both
directions.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from xalign_fairseq.aligner.tools.processes import run_tool
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SEPARATOR, WordPair
from xalign_fairseq.links.pharaoh import Link, parse_line

TEXT, FORWARD, BACKWARD = "text", "forward", "backward"
Directions = tuple[frozenset[Link], frozenset[Link]]


@dataclass(frozen=True)
class Tool:
    """How a tool is called in a folder with the file ``text``, so that it leaves ``forward`` and ``backward`` there.

    Args:
        name: of the engine.
        commands: program and arguments, with the file that takes the standard output, if it holds the links.
        install: how one gets it.
        distribution: its Python package, which knows the version.
        most_words: of a side; longer pairs get no links from the tool. ``None``: no limit.
    """

    name: str
    commands: tuple[tuple[tuple[str, ...], str | None], ...]
    install: str
    distribution: str | None = None
    most_words: int | None = None

    def find(self) -> str | None:
        """Path of the program: next to this Python (whose environment may not be activated), otherwise on PATH."""
        folders = (os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath))
        found = shutil.which(self.commands[0][0][0], path=os.pathsep.join(folders))
        return found and os.path.abspath(found)  # it is started in another folder

    def version(self) -> str | None:
        """The version of its package, if installed in this environment."""
        try:
            return metadata.version(self.distribution) if self.distribution else None
        except metadata.PackageNotFoundError:
            return None

    def takes(self, src: Sequence[str], tgt: Sequence[str]) -> bool:
        """Whether a pair is given to the tool: it has words on both sides, and not too many."""
        return bool(src and tgt) and not self.too_long(src, tgt)

    def too_long(self, src: Sequence[str], tgt: Sequence[str]) -> bool:
        """Whether a side has more words than the tool takes."""
        return self.most_words is not None and max(len(src), len(tgt)) > self.most_words

    def run(self, pairs: Iterable[WordPair], folder: Path, echo: bool = False) -> None:
        """Align the pairs that it takes; :class:`XalignError` if there is none, or the tool is missing or fails."""
        program = self.find()
        if program is None:
            raise XalignError(f"{self.name} is not installed", remedy=self.install)
        lines = 0
        with open(folder / TEXT, "w", encoding="utf-8", newline="\n") as text:
            for src, tgt in pairs:
                if self.takes(src, tgt):
                    text.write(f"{_plain(src)} {SEPARATOR} {_plain(tgt)}\n")
                    lines += 1
        if lines == 0:
            raise XalignError("there is nothing to align", found="no pair with words on both sides")
        for (_, *arguments), stdout in self.commands:
            run_tool([program, *arguments], folder, stdout, echo)

    def links(self, pairs: Iterable[WordPair], folder: Path) -> Iterator[tuple[WordPair, Directions]]:
        """Each of the pairs with its forward and backward links, none for those that the tool did not get.

        Raises:
            XalignError: the tool wrote other than one line for each pair that it got, or a link outside its sentences.
        """
        with ExitStack() as stack:
            lines = [_output(stack, folder / name, self.name) for name in (FORWARD, BACKWARD)]
            for number, (src, tgt) in enumerate(pairs, 1):
                if self.takes(src, tgt):
                    forward, backward = (self._parse(each, number, len(src), len(tgt)) for each in lines)
                    yield (src, tgt), (forward, backward)
                else:
                    yield (src, tgt), (frozenset(), frozenset())
            if any(next(each, None) is not None for each in lines):
                raise self._misfit("more lines of links than pairs")

    def _parse(self, lines: Iterator[str], number: int, n: int, m: int) -> frozenset[Link]:
        line = next(lines, None)
        if line is None:
            raise self._misfit(f"no line of links for the pair of line {number}")
        links = parse_line(line, where=f"{self.name}'s links of line {number}").sure
        outside = [(i, j) for i, j in sorted(links) if i >= n or j >= m]
        if outside:
            i, j = outside[0]
            raise self._misfit(f"line {number}: link {i}-{j}, sentence lengths {n} and {m}")
        return links

    def _misfit(self, found: str) -> XalignError:
        return XalignError(
            f"the output of {self.name} does not fit the text",
            found=found,
            expected="one line for each pair, 0-based indices below the lengths of its sentences",
            remedy=f"check the program: {self.find()}",
        )


EFLOMAL = Tool(
    "eflomal",
    ((("eflomal-align", "-v", "-i", TEXT, "-f", FORWARD, "-r", BACKWARD), None),),
    install="pip install eflomal",
    distribution="eflomal",
    most_words=1023,  # it leaves longer sentences out without a word
)
FAST_ALIGN = Tool(
    "fast_align",
    (
        (("fast_align", "-i", TEXT, "-d", "-o", "-v"), FORWARD),
        (("fast_align", "-i", TEXT, "-d", "-o", "-v", "-r"), BACKWARD),
    ),
    install="build https://github.com/clab/fast_align and put fast_align on PATH",
)
TOOLS = {tool.name: tool for tool in (EFLOMAL, FAST_ALIGN)}


def _plain(words: Sequence[str]) -> str:
    """The words joined by spaces; a word that looks like the separator is replaced."""
    return " ".join(word + "|" if word == SEPARATOR else word for word in words)


def _output(stack: ExitStack, path: Path, name: str) -> Iterator[str]:
    if not path.is_file():
        raise XalignError(f"{name} ended without an error, but wrote no links", where=path.name)
    return iter(stack.enter_context(open(path, encoding="utf-8", errors="replace")))
