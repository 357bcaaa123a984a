"""Small files of encoders in four bits, made part by part so that tests can change each part."""

import struct
from dataclasses import dataclass, field

import numpy as np

PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁house", "s", "▁das", "▁Haus", "e", ",", "<mask>")
HIDDEN, LAYERS, HEADS, INNER, ROWS, POSITIONS, TYPES = SIZES = (64, 2, 4, 96, len(PIECES) + 3, 40, 2)
PARTS = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN), "ao": (HIDDEN, HIDDEN), "aln": (HIDDEN,),
         "fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER), "oln": (HIDDEN,)}  # fmt: skip


def in_four_bits(weights):
    """Their blocks, bit by bit: the largest of 32 weights is 7 times the scale."""
    blocks = []
    for block in weights.reshape(-1, 32):
        scale = np.float16(np.abs(block).max() / 7)
        codes = np.clip(np.round(block / np.float32(scale)), -8, 7).astype(int) + 8
        blocks.append(scale.tobytes() + bytes(int(codes[j] | codes[j + 16] << 4) for j in range(16)))
    return b"".join(blocks)


@dataclass
class Parts:
    """A file as an ordered list of its fields, name and bytes; and its parameters."""

    fields: dict[str, bytes] = field(default_factory=dict)
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    def content(self, **altered):
        """The file's bytes; given fields replace the correct ones."""
        return b"".join(altered.get(name, value) for name, value in self.fields.items())


def make(pieces=PIECES):
    """A complete file of :data:`SIZES` with random weights."""
    random = np.random.default_rng(0)
    parts = Parts()
    fields = parts.fields
    fields["magic"], fields["version"] = b"E5S1", struct.pack("<I", 1)
    for name, size in zip(("hidden", "layers", "heads", "inner", "rows", "positions", "types"), SIZES, strict=True):
        fields[name] = struct.pack("<i", size)
    fields["epsilon"], fields["block"] = struct.pack("<f", 1e-12), struct.pack("<i", 32)
    for name, number in (("pieces", len(pieces)), ("bos", 0), ("eos", 2), ("pad", 1), ("unk", 3)):
        fields[name] = struct.pack("<i", number)
    texts = [piece.encode() for piece in pieces]
    fields["length"] = struct.pack("<Q", sum(map(len, texts)))
    fields["bounds"] = np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
    scores = [-float(i) if 4 <= i < len(pieces) - 1 else 0.0 for i in range(len(pieces))]
    fields["scores"] = np.array(scores, "<f4").tobytes()
    fields["text"] = b"".join(texts)
    fields["map_entries"], fields["map"] = struct.pack("<i", 1), struct.pack("<IBI", 1, 1, 32)
    fields["map"] = struct.pack("<I", len(fields["map"])) + fields["map"]
    shapes = {"emb.word": (ROWS, HIDDEN), "emb.pos": (POSITIONS, HIDDEN), "emb.type": (TYPES, HIDDEN),
              "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,)}  # fmt: skip
    for layer in range(LAYERS):
        for part, shape in PARTS.items():
            shapes.update({f"l{layer}.{part}.w": shape, f"l{layer}.{part}.b": shape[:1]})
    parts.weights = {name: random.standard_normal(shape).astype("<f4") for name, shape in shapes.items()}
    fields["parameters"] = struct.pack("<i", len(shapes))
    stored = {
        name: in_four_bits(value) if name == "emb.word" or (value.ndim == 2 and name[0] == "l") else value.tobytes()
        for name, value in parts.weights.items()
    }
    at = len(parts.content()) + sum(2 + len(name) + 21 for name in shapes)
    for name, value in stored.items():
        fields[f"name {name}"] = struct.pack("<H", len(name)) + name.encode()
        kind = int(len(value) < 4 * parts.weights[name].size)
        fields[f"entry {name}"] = struct.pack("<BIQQ", kind, parts.weights[name].size, at, len(value))
        at += len(value)
    fields.update({f"data {name}": value for name, value in stored.items()})
    return parts
