"""Engines that find links: another tool in both directions, symmetrised, or our own aligner on a checkpoint."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from xalign_fairseq.aligner.tools.tools import EFLOMAL, FAST_ALIGN, TOOLS, Tool
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.pairs import WordPair
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.links.symmetrize import symmetrize

if TYPE_CHECKING:
    from xalign_fairseq.aligner.neural.aligner import Aligner

CHECKPOINT = "checkpoint"
Progress = Callable[[int], object]


class LinkedPair(NamedTuple):
    """The words of a pair and its links.

    ``directions`` are the forward and backward links that ``links`` come from; ``None`` if the engine has no
    directions. ``too_long``: a tool left the pair out.
    """

    src: Sequence[str]
    tgt: Sequence[str]
    links: frozenset[Link]
    directions: tuple[frozenset[Link], frozenset[Link]] | None
    too_long: bool


class Engine(Protocol):
    """Finds links in two steps: what sees the whole text, then pair by pair."""

    def describe(self) -> dict[str, Any]:
        """Its entry in the manifest."""

    def run(self, pairs: Iterable[WordPair]) -> None:
        """See the whole text once."""

    def stream(self, pairs: Iterable[WordPair], progress: Progress) -> Iterator[LinkedPair]:
        """All pairs in order, also with an empty side; ``progress`` is called with the number newly done."""


class ToolEngine:
    """A tool's links of both directions, symmetrised.

    Args:
        tool: eflomal or fast_align.
        method: of :func:`~xalign_fairseq.links.symmetrize.symmetrize`.
        folder: for the files that go to and come from the tool.
        echo: show the tool's own progress.

    Example::

        engine = ToolEngine(EFLOMAL, "grow-diag-final-and", Path("work"))
        engine.run(pairs)
        links = [pair.links for pair in engine.stream(pairs, bar.update)]
    """

    def __init__(self, tool: Tool, method: str, folder: Path, echo: bool = False):
        self.tool, self.method, self._folder, self._echo = tool, method, folder, echo

    def describe(self) -> dict[str, Any]:
        """Name, version, commands and symmetrisation."""
        return {
            "name": self.tool.name,
            "version": self.tool.version(),
            "commands": [
                shlex.join(command) + (f" > {stdout}" if stdout else "") for command, stdout in self.tool.commands
            ],
            "symmetrize": self.method,
        }

    def run(self, pairs: Iterable[WordPair]) -> None:
        """Run the tool in both directions."""
        self.tool.run(pairs, self._folder, self._echo)

    def stream(self, pairs: Iterable[WordPair], progress: Progress) -> Iterator[LinkedPair]:
        """Symmetrise what the tool has written."""
        for (src, tgt), found in self.tool.links(pairs, self._folder):
            links = frozenset(symmetrize(*found, method=self.method))
            yield LinkedPair(src, tgt, links, found, self.tool.too_long(src, tgt))
            progress(1)


class CheckpointEngine:
    """Our own aligner; both sides share one transport plan, so that there is nothing to symmetrise."""

    def __init__(self, aligner: "Aligner", path: str | os.PathLike[str]):
        self.aligner, self._path = aligner, path

    def describe(self) -> dict[str, Any]:
        """The checkpoint and how links were found."""
        from xalign_fairseq.encoder.pretrained.reading import find_pretrained

        pairs, linking = self.aligner.pair_encoder, self.aligner.linking
        embedded = {"languages": "-".join(pairs.embedded)} if pairs.embedded else {}
        return {
            "name": CHECKPOINT,
            "file": os.fspath(self._path),
            "sha256": _sha256(packaged.find() if self._path == packaged.NAME else find_pretrained(self._path)),
            "layers": list(linking.layers),
            "similarity": linking.similarity,
            "encoding": linking.encoding,
            "maps": "-".join(pairs.mapped or ()) or None,
            **embedded,
            **linking.finder.describe(),
        }

    def run(self, pairs: Iterable[WordPair]) -> None:
        """Nothing: it is trained already."""

    def stream(self, pairs: Iterable[WordPair], progress: Progress) -> Iterator[LinkedPair]:
        """Align batch by batch."""
        for pair in self.aligner.stream(pairs, progress):
            yield LinkedPair(pair.src, pair.tgt, frozenset(pair.links), None, pair.too_long)


def choose_engine(name: str, checkpoint: str | None) -> tuple[str, str]:
    """Name of the engine and why: ``auto`` is the checkpoint if one is given, otherwise the first that is installed of
    eflomal, fast_align and the packaged encoder.

    Raises:
        XalignError: the engine is not installed; the remedy says how to install it.

    Example::

        choose_engine("auto", None)  # ("eflomal", "no checkpoint was given, and eflomal is installed")
    """
    if name in TOOLS and checkpoint is not None:
        raise XalignError(
            f"{name} does not read a model",
            parameter="model",
            found=checkpoint,
            remedy=("leave it out, or set", Parameter("engine", CHECKPOINT)),
        )
    if checkpoint is not None:
        return CHECKPOINT, f"--model {checkpoint}"
    if name == CHECKPOINT:
        packaged.find()
        return CHECKPOINT, f"the packaged encoder {packaged.NAME}"
    if name in TOOLS:
        if TOOLS[name].find() is None:
            raise XalignError(f"{name} is not installed", parameter="engine", remedy=TOOLS[name].install)
        return name, f"--engine {name}"
    if EFLOMAL.find():
        return EFLOMAL.name, "no checkpoint was given, and eflomal is installed"
    if FAST_ALIGN.find():
        return FAST_ALIGN.name, "no checkpoint was given, eflomal is not installed, and fast_align is on PATH"
    packaged.find()
    return CHECKPOINT, f"the packaged encoder {packaged.NAME}; eflomal and fast_align are not installed"


def _sha256(model: Path) -> str | dict[str, str]:
    """The digest of a checkpoint; for a Hugging Face folder, that of each file of weights."""
    from xalign_fairseq.core.files import file_sha256

    if model.is_file():
        return file_sha256(model)
    return {path.name: file_sha256(path) for path in sorted((*model.glob("*.safetensors"), *model.glob("*.bin")))}
