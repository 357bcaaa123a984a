"""A small data-bin of ids alone, for training without fairseq: sentence pairs with links, and monolingual text."""

import numpy as np

from xalign_fairseq.data.databin import links_prefix, mono_prefix, words_prefix
from xalign_fairseq.data.mmap import MMapWriter
from xalign_fairseq.encoder.config import EncoderConfig

SYMBOLS = 40
CONFIG = EncoderConfig(
    vocab_size=SYMBOLS + 5, encoder_layers=2, encoder_embed_dim=16, encoder_ffn_embed_dim=32,
    encoder_attention_heads=2, max_positions=64,
)  # fmt: skip


def write_plain_data(folder, pairs=60):
    """The folder, filled with a training and a validation split."""
    folder.mkdir(exist_ok=True)
    (folder / "dict.txt").write_text("".join(f"w{number} 1\n" for number in range(SYMBOLS)))
    rng = np.random.default_rng(5)
    for split, count in (("train", pairs), ("valid", 10)):
        lengths = rng.integers(2, 12, count)
        sides = [[[*rng.integers(4, 4 + SYMBOLS, n + extra), 2] for n in lengths] for extra in (0, 1)]
        for lang, side in zip(("de", "en"), sides, strict=True):
            write(folder / f"{split}.de-en.{lang}", side)
            write(folder / words_prefix(split, "de", "en", lang), [range(len(ids) - 1) for ids in side])
            write(folder / mono_prefix(split, lang), side)
        write(folder / links_prefix(split, "de", "en"), [[v for k in range(n) for v in (k, k, 1)] for n in lengths])
    return folder


def write(prefix, rows):
    with MMapWriter(prefix, np.uint16) as writer:
        for row in rows:
            writer.add(row)
