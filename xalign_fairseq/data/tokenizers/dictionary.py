"""fairseq's dictionary file (``dict.txt``), read without fairseq, with the same ids."""

import hashlib
from collections.abc import Iterable
from functools import cached_property

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.core.text.lines import read_lines

BOS, PAD, EOS, UNK, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
SPECIALS = (BOS, PAD, EOS, UNK)
MOST_DIGITS = 18  # limit for a count
OVERWRITE = "#fairseq:overwrite"


class Dictionary:
    """Symbols and their ids, as fairseq gives them: ``<s>`` 0, ``<pad>`` 1, ``</s>`` 2, ``<unk>`` 3, then the file's.

    ``<mask>`` is not part of the file: a task appends it, so that its id is ``len(dictionary)`` (:attr:`mask_index`).

    Args:
        symbols: the file's symbols in order, without the four specials.
        counts: their counts; 1 each if not given.
    """

    bos_index, pad_index, eos_index, unk_index = range(4)

    def __init__(self, symbols: Iterable[str] = (), counts: Iterable[int] | None = None):
        self.symbols: list[str] = [*SPECIALS, *symbols]
        self.counts: list[int] = [1] * 4 + (list(counts) if counts is not None else [1] * (len(self.symbols) - 4))
        if len(self.counts) != len(self.symbols):
            raise ValueError(f"{len(self.symbols) - 4} symbols but {len(self.counts) - 4} counts")

    @classmethod
    def load(cls, path: StrPath) -> "Dictionary":
        """Read ``symbol count`` lines.

        Raises:
            XalignError: missing or empty file, a line of another form, or a symbol that occurs twice without fairseq's
                mark ``#fairseq:overwrite`` (with the mark the later line's id counts, as in fairseq).
        """
        seen, mark = set(SPECIALS), f" {OVERWRITE}"
        symbols: list[str] = []
        counts: list[int] = []
        for number, line in enumerate(read_lines(path), 1):
            rest = line.rstrip()
            overwrite = rest.endswith(mark)
            symbol, _, count = rest.removesuffix(mark).rpartition(" ")
            if not symbol or not count.isdecimal() or len(count) > MOST_DIGITS:
                problem, where = "the dictionary has a line that is not 'symbol count'", f"{path}, line {number}"
                raise XalignError(problem, where=where, found=repr(line))
            if symbol in seen and not overwrite:
                problem, where = "the dictionary has a symbol twice", f"{path}, line {number}"
                remedy = f"remove one of the lines, or end one with {OVERWRITE} to use its id"
                raise XalignError(problem, where=where, found=symbol, remedy=remedy)
            seen.add(symbol)
            symbols.append(symbol)
            counts.append(int(count))
        return cls(symbols, counts)

    def save(self, path: StrPath) -> None:
        """Write ``symbol count`` lines, as fairseq does: the four specials are left out."""
        with atomic_write(path) as stream:
            for symbol, count in zip(self.symbols[4:], self.counts[4:], strict=True):
                stream.write(f"{symbol} {count}\n")

    @cached_property
    def indices(self) -> dict[str, int]:
        """The id of each symbol; the later id if a symbol occurs twice."""
        return {symbol: i for i, symbol in enumerate(self.symbols)}

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self.indices

    def index(self, symbol: str) -> int:
        """The symbol's id; the id of ``<unk>`` for unknown symbols."""
        return self.indices.get(symbol, self.unk_index)

    @property
    def mask_index(self) -> int:
        """The id of ``<mask>`` in the file, otherwise ``len(self)``, as if appended."""
        return self.indices.get(MASK, len(self))

    @property
    def embedding_size(self) -> int:
        """The number of rows of an encoder's embedding: all symbols and ``<mask>``."""
        return max(len(self), self.mask_index + 1)

    @cached_property
    def digest(self) -> str:
        """sha256 of the symbols in the order of their ids: two dictionaries with one digest give the same ids."""
        return hashlib.sha256("\n".join(self.symbols).encode("utf-8")).hexdigest()
