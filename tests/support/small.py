"""Small objects for tests: an encoder's sizes, masks, samples, a tokenizer. None of it needs fairseq."""

import numpy as np
import torch

from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.samples import MaskOptions, block_sample, pair_sample
from xalign_fairseq.data.streams import Pair
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.config import EncoderConfig

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=8, encoder_ffn_embed_dim=16, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.3)


def move(module, by=0.1):
    """Add normal noise to all parameters: biases, which start at 0, and norms, which start at 1, then matter, too."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * by)


def pair(src, tgt, links=None, *, words=None, langs=(0, 1), corpus=0, mask=MASK, seed=0):
    """The sample of a sentence pair.

    src, tgt: ids of the tokens, or the number of tokens to draw.
    links: (i, j) or (i, j, sure) of words; None for a pair without prepared links.
    words: the word of each token, for both sides; by default every token is a word.
    """
    sides = src, tgt
    sizes = [side if isinstance(side, int) else len(side) for side in sides]
    rng = np.random.default_rng((seed, *sizes))
    ids = [rng.integers(4, 58, side) if isinstance(side, int) else np.array(side, dtype=np.int64) for side in sides]
    made = Pair(corpus, *ids, langs=langs)
    if links is not None:
        made.src_words, made.tgt_words = map(np.asarray, words or [np.arange(size) for size in sizes])
        made.links = np.array([(*link, 1)[:3] for link in links], dtype=np.int64).reshape(-1, 3)
    return pair_sample(made, rng, mask)


def block(seed=0, length=11, mask=MASK):
    """The sample of a block of monolingual text."""
    rng = np.random.default_rng(seed)
    return block_sample(rng.integers(4, 58, length), rng, mask)


def typed(pairs, blocks=()):
    """The batch of these samples, as objectives read it."""
    return Batch.from_sample(collate(pairs, blocks))


def diagonal(n, m):
    """Links of the first word with the first, the second with the second, and so on."""
    return [(k, k) for k in range(min(n, m))]


class Letters:
    """A tokenizer with one token per letter; dots have a token without characters, and spaces have none."""

    dictionary = Dictionary("abcdefgh.")

    def encode(self, text):
        return [self.dictionary.index(c) for c in text if c != " "]

    def encode_words(self, words):
        """Dots have no token here."""
        pairs = [(self.dictionary.index(c), i) for i, word in enumerate(words) for c in word if c != "."]
        return [token for token, _ in pairs], [word for _, word in pairs]

    def encode_with_offsets(self, text):
        begin = np.array([i for i, c in enumerate(text) if c != " "], dtype=np.int64)
        return self.encode(text), begin, begin + [text[i] != "." for i in begin]
