"""From a sentence pair or a block of text to the arrays that one training example needs."""

from dataclasses import dataclass

import numpy as np

from xalign_fairseq.data.masking import MaskOptions, mask_tokens
from xalign_fairseq.data.streams import Pair

BOS, PAD, EOS = 0, 1, 2


@dataclass
class GoldLinks:
    """Word links of a pair as prepared: word of each token on both sides, and triples (i, j, sure)."""

    src_words: np.ndarray
    tgt_words: np.ndarray
    links: np.ndarray

    @property
    def taught(self) -> np.ndarray:
        """The links (k, 3) that training learns from: the sure ones, or all of a pair that has none."""
        sure = self.links[:, 2] == 1
        return self.links[sure] if sure.any() else self.links


@dataclass
class PairSample:
    """One pair: ``<s> src </s> tgt </s>`` with its perturbed twin.

    Attributes:
        tokens, masked, targets: ids (T,); targets are ``pad`` where nothing is to be predicted.
        draw: one number in [0, 1) a token, for objectives that choose positions at random.
        span: [src start, src end, tgt start, tgt end).
        partner: position of each token's partner by the prepared links, -1 for none; None without links.
        corpus: number of the language pair.
        langs: numbers of the languages of the two sides.
        gold: the prepared links, for scoring and for objectives that read all of them.
    """

    tokens: np.ndarray
    masked: np.ndarray
    targets: np.ndarray
    draw: np.ndarray
    span: np.ndarray
    corpus: int
    partner: np.ndarray | None = None
    gold: GoldLinks | None = None
    langs: tuple[int, int] = (0, 1)


def pair_sequence(src: np.ndarray, tgt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``<s> src </s> tgt </s>`` and where the sides lie in it: [src start, src end, tgt start, tgt end)."""
    n, m = len(src), len(tgt)
    tokens = np.concatenate([[BOS], src, [EOS], tgt, [EOS]]).astype(np.int64)
    return tokens, np.array([1, 1 + n, 2 + n, 2 + n + m])


def pair_sample(pair: Pair, rng: np.random.Generator, options: MaskOptions) -> PairSample:
    """Join, perturb and label one pair. TLM's single pair sequence is Conneau & Lample (2019)'s without resets."""
    tokens, span = pair_sequence(pair.src, pair.tgt)
    masked, targets = mask_tokens(tokens, rng, options)
    draw = rng.random(len(tokens), dtype=np.float32)
    sample = PairSample(tokens, masked, targets, draw, span, pair.corpus, langs=pair.langs)
    if pair.links is not None and pair.src_words is not None and pair.tgt_words is not None:
        sample.gold = GoldLinks(pair.src_words, pair.tgt_words, pair.links)
        sample.partner = subword_partners(sample.gold, span, len(tokens))
    return sample


def subword_partners(gold: GoldLinks, span: np.ndarray, length: int) -> np.ndarray:
    """Expand word links to tokens: of a words' k-th of a tokens, the partner is the floor(k b / a)-th of b.

    Sure links only, unless a pair has none. With several links of a word the last one stands, as XLM-Align's released
    code keeps its self-labels.

    Returns:
        (length,) absolute position of each token's partner in the pair sequence, -1 for none.
    """
    partner = np.full(length, -1, dtype=np.int64)
    links = gold.taught
    src_at, tgt_at = _tokens_of_words(gold.src_words, span[0]), _tokens_of_words(gold.tgt_words, span[2])
    for i, j, _ in links[np.lexsort((links[:, 1], links[:, 0]))]:
        a, b = src_at.get(int(i)), tgt_at.get(int(j))
        if a is None or b is None:
            continue  # a word that the tokenizer turned into nothing
        partner[a] = b[np.arange(len(a)) * len(b) // len(a)]
        partner[b] = a[np.arange(len(b)) * len(a) // len(b)]
    return partner


def _tokens_of_words(words: np.ndarray, start: int) -> dict[int, np.ndarray]:
    edges = np.flatnonzero(np.diff(words)) + 1
    groups = np.split(np.arange(len(words)), edges) if len(words) else []
    return {int(words[group[0]]): group + start for group in groups}


@dataclass
class BlockSample:
    """One block of monolingual text with its perturbed twin.

    Attributes:
        masked, targets: ids (T,).
        draw: one number in [0, 1) a token, for objectives that choose at random.
        lang: number of the language.
    """

    masked: np.ndarray
    targets: np.ndarray
    draw: np.ndarray
    lang: int = 0


def block_sample(
    block: np.ndarray,
    rng: np.random.Generator,
    options: MaskOptions,
    word_starts: np.ndarray | None = None,
    lang: int = 0,
) -> BlockSample:
    """Put ``<s>`` before a block in a language and perturb it; ``word_starts`` masks whole words."""
    tokens = np.concatenate([[BOS], block]).astype(np.int64)
    masked, targets = mask_tokens(tokens, rng, options, word_starts)
    return BlockSample(masked, targets, rng.random(len(tokens), dtype=np.float32), lang)
