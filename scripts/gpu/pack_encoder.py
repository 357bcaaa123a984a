"""Pack the encoder (e5-small) into a kit: only the vocabulary that a text needs, with 4-bit weights.

usage: pack_encoder.py OUT TEXT...

`xalign trim` writes 32-bit weights, which are too large for a kit. This script copies the rows of the embeddings that
`xalign trim` keeps, and all other bytes: readers of OUT get the weights that `xalign trim --floor 0` gives.
"""

import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from xalign_fairseq.data.tokenizers.trimming import trim_to_files
from xalign_fairseq.encoder.pretrained.four_bit import BLOCK, BLOCKS, MAGIC, VERSION, FourBitFile
from xalign_fairseq.encoder.pretrained.packaged import find
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer

SIZES = "<4sI7ifi"  # magic, version, sizes, layer norms' epsilon, block
PIECES = "<5iQ"  # pieces, ids of <s>, </s>, <pad> and <unk>, bytes of the pieces
MAP = "<iI"  # map of characters, not used here
ENTRY = "<BIQQ"  # type, weights, first byte and bytes of a parameter
ROWS_AT = 4  # index in the sizes
EMBEDDINGS = b"emb.word"


def subset(source: Path, rows: Sequence[int], out: Path) -> None:
    """Write the packed file with only some of its pieces."""
    file, content = FourBitFile(source), source.read_bytes()  # raises on any error in it
    head = list(struct.unpack_from(SIZES, content))
    at = struct.calcsize(SIZES)
    count, *ids, length = struct.unpack_from(PIECES, content, at)
    at += struct.calcsize(PIECES) + 4 * (count + 1) + 4 * count + length
    at += struct.calcsize(MAP) + struct.unpack_from(MAP, content, at)[1]
    entries, at = _directory(content, at)

    pieces = [file.symbols[row].encode() for row in rows]
    bounds = np.cumsum([0, *map(len, pieces)], dtype="<u4")
    scores = np.array([file.scores[row] for row in rows], "<f4")
    head[2 + ROWS_AT] = len(rows)
    parts = [struct.pack(SIZES, *head), struct.pack(PIECES, len(rows), *ids, int(bounds[-1]))]
    parts += [bounds.tobytes(), scores.tobytes(), b"".join(pieces), struct.pack(MAP, 0, 0)]
    begin = sum(map(len, parts)) + 4 + sum(2 + len(name) + struct.calcsize(ENTRY) for name, *_ in entries)
    directory, weights = [struct.pack("<i", len(entries))], []
    for name, kind, number, first, size in entries:
        data = content[first : first + size]
        if name == EMBEDDINGS:
            blocks = np.frombuffer(data, BLOCKS).reshape(file.sizes.rows, file.sizes.hidden // BLOCK)
            data, number = blocks[np.asarray(rows)].tobytes(), len(rows) * file.sizes.hidden
        directory.append(struct.pack("<H", len(name)) + name + struct.pack(ENTRY, kind, number, begin, len(data)))
        begin += len(data)
        weights.append(data)
    assert head[:2] == [MAGIC, VERSION]
    out.write_bytes(b"".join([*parts, *directory, *weights]))


def _directory(content: bytes, at: int) -> tuple[list[tuple[bytes, int, int, int, int]], int]:
    """Name, type, weights, first byte and bytes of each parameter, and the offset after the directory."""
    (count,) = struct.unpack_from("<i", content, at)
    at, entries = at + 4, []
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content, at)
        name = content[at + 2 : at + 2 + length]
        at += 2 + length
        entries.append((name, *struct.unpack_from(ENTRY, content, at)))
        at += struct.calcsize(ENTRY)
    return entries, at


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, text = Path(sys.argv[1]), sys.argv[2:]
    source = find()
    rows = trim_to_files(read_tokenizer(source), text, floor=0).rows
    subset(source, rows.tolist(), out)
    print(f"{source.name}: {len(rows)} of {len(FourBitFile(source).symbols)} pieces")


if __name__ == "__main__":
    main()
