"""The units of a translation memory (TMX) as the bytes of its file, so that a copy can leave some out."""

from collections.abc import Iterator
from xml.parsers import expat

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.containers import BLOCK


class _Places:
    """Finds where each ``<tu>`` begins, and where the white space after it ends."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int]] = []
        self._begin: int | None = None
        self._ended = False
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = parser.CommentHandler = self._other
        parser.ProcessingInstructionHandler = self._other

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._other(name)
        if name == "tu":
            self._begin = self.parser.CurrentByteIndex

    def _end(self, name: str) -> None:
        self._other(name)
        self._ended = name == "tu"

    def _other(self, text: str, *_: str) -> None:
        if self._ended and self._begin is not None and text.strip():
            self.found.append((self._begin, self.parser.CurrentByteIndex))
            self._begin, self._ended = None, False


def memory_units(path: StrPath) -> Iterator[tuple[bytes, bytes]]:
    """For each ``<tu>``: the bytes before it, and its own with the white space after it; finally the rest of the file.

    The bytes are unpacked, and in the file's encoding. The file must have been read as text before, which checks it.

    Example::

        >>> from pathlib import Path
        >>> _ = Path("memory.tmx").write_text("<tmx><body><tu>a</tu> <tu>b</tu></body></tmx>")
        >>> list(memory_units("memory.tmx"))
        [(b'<tmx><body>', b'<tu>a</tu> '), (b'', b'<tu>b</tu>'), (b'</body></tmx>', b'')]
    """
    places, data, base, block = _Places(), bytearray(), 0, b" "
    with open_file(path) as stream:
        while block:
            block = stream.read(BLOCK)
            data += block
            places.parser.Parse(block, not block)
            for begin, end in places.found:
                yield bytes(data[: begin - base]), bytes(data[begin - base : end - base])
                del data[: end - base]
                base = end
            places.found.clear()
    yield bytes(data), b""
