"""A sentence pair or a block of text as the arrays of one training example."""

from dataclasses import dataclass

import numpy as np

from xalign_fairseq.data.streams import Pair

# Shares of the chosen tokens that stay and that become random, as in BERT.
KEPT, RANDOM = 0.1, 0.1


@dataclass(frozen=True)
class MaskOptions:
    """Masking, as in BERT: of the chosen tokens 80 % become ``<mask>``, 10 % stay, 10 % become random.

    Attributes:
        probability: share of tokens that are chosen; the count is floor(p * n + u) with one u ~ U[0, 1) per sequence.
        specials: whether ``<s>``, ``</s>`` and ``<unk>`` can be chosen, as in the released code; by default not.
        vocab: number of ids; random tokens are drawn from [4, vocab) without ``<mask>``.
    """

    mask: int
    vocab: int
    probability: float = 0.15
    specials: bool = False


def mask_tokens(tokens: np.ndarray, rng: np.random.Generator, options: MaskOptions) -> tuple[np.ndarray, np.ndarray]:
    """Perturb a sequence.

    Returns:
        the perturbed ids (T,) and the targets (T,): the original id at chosen positions, padding elsewhere.
    """
    eligible = np.arange(len(tokens)) if options.specials else np.flatnonzero(tokens > 3)
    count = int(options.probability * len(eligible) + rng.random())
    chosen = rng.permutation(eligible)[:count]
    masked = tokens.copy()
    targets = np.full_like(tokens, PAD)
    targets[chosen] = tokens[chosen]
    fate = rng.random(len(chosen))
    masked[chosen[fate >= KEPT + RANDOM]] = options.mask
    randomised = chosen[fate < RANDOM]
    # Drawn from normal tokens only: ids 0 to 3 are special, and <mask> is skipped.
    drawn = rng.integers(4, options.vocab - 1, size=len(randomised))
    masked[randomised] = drawn + (drawn >= options.mask)
    return masked, targets


BOS, PAD, EOS = 0, 1, 2


@dataclass
class GoldLinks:
    """Word links of a pair as prepared: word of each token on both sides, and triples (i, j, sure)."""

    src_words: np.ndarray
    tgt_words: np.ndarray
    links: np.ndarray

    @property
    def between_tokens(self) -> np.ndarray:
        """The sure links (k, 2), or all links of a pair without sure ones; no links of words without tokens."""
        sure = self.links[:, 2] == 1
        links = (self.links[sure] if sure.any() else self.links)[:, :2]
        for side, words in enumerate((self.src_words, self.tgt_words)):
            there = np.zeros(max(words.max(initial=-1), links[:, side].max(initial=-1)) + 1, dtype=bool)
            there[words] = True
            links = links[there[links[:, side]]]
        return links


@dataclass
class PairSample:
    """One pair: ``<s> src </s> tgt </s>`` with its perturbed copy.

    Attributes:
        tokens, masked, targets: ids (T,); targets are ``pad`` where nothing is to be predicted.
        span: [src start, src end, tgt start, tgt end).
        partner: position of each token's partner by the prepared links, -1 for none; None without links.
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
    """``<s> src </s> tgt </s>`` and the span of each side: [src start, src end, tgt start, tgt end)."""
    n, m = len(src), len(tgt)
    tokens = np.concatenate([[BOS], src, [EOS], tgt, [EOS]]).astype(np.int64)
    return tokens, np.array([1, 1 + n, 2 + n, 2 + n + m])


def pair_sample(pair: Pair, rng: np.random.Generator, options: MaskOptions) -> PairSample:
    """Join, perturb and label one pair: TLM's pair sequence (Conneau & Lample 2019), without position resets."""
    tokens, span = pair_sequence(pair.src, pair.tgt)
    masked, targets = mask_tokens(tokens, rng, options)
    draw = rng.random(len(tokens), dtype=np.float32)
    sample = PairSample(tokens, masked, targets, draw, span, pair.corpus, langs=pair.langs)
    if pair.links is not None and pair.src_words is not None and pair.tgt_words is not None:
        sample.gold = GoldLinks(pair.src_words, pair.tgt_words, pair.links)
        sample.partner = subword_partners(sample.gold, span, len(tokens))
    return sample


def subword_partners(gold: GoldLinks, span: np.ndarray, length: int) -> np.ndarray:
    """Expand word links to tokens: between words of a and b tokens, token k's partner is token floor(k b / a).

    Only sure links count, unless a pair has none. The last link of a word counts, as in XLM-Align's released code.

    Returns:
        (length,) absolute position of each token's partner in the pair sequence, -1 for none.
    """
    partner = np.full(length, -1, dtype=np.int64)
    links = gold.between_tokens
    if not len(links):
        return partner
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    sides = [(words, *_runs(words)) for words in (gold.src_words, gold.tgt_words)]
    for side, given in enumerate((links, links[:, ::-1])):
        found = _linked_tokens(sides[side], sides[1 - side], given)
        partner[span[2 * side] : span[2 * side + 1]] = np.where(found >= 0, found + span[2 * (1 - side)], -1)
    return partner


Words = tuple[np.ndarray, np.ndarray, np.ndarray]  # the word of each token of a side, and its :func:`_runs`


def _linked_tokens(own: Words, other: Words, links: np.ndarray) -> np.ndarray:
    """For each token, the linked token of the other side, counted from its start; -1 for none."""
    (words, first, count), (_, other_first, other_count) = own, other
    linked = np.full(len(first), -1)
    linked[links[:, 0]] = links[:, 1]
    place, word = np.arange(len(words)) - first[words], linked[words]
    token = other_first[word] + place * other_count[word] // count[words]
    return np.where((word >= 0) & (place >= 0), token, -1)


def _runs(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first token of each word, counted from the start of its side, and its number of tokens, possibly 0."""
    edges = np.ones(len(words) + 1, dtype=bool)  # plain slices: np.diff takes several times as long
    np.not_equal(words[1:], words[:-1], out=edges[1:-1])
    starts = np.flatnonzero(edges)
    first, count = np.zeros((2, words.max() + 1), dtype=np.int64)
    first[words[starts[:-1]]], count[words[starts[:-1]]] = starts[:-1], starts[1:] - starts[:-1]
    return first, count


@dataclass
class BlockSample:
    """One block of monolingual text with its perturbed copy."""

    masked: np.ndarray
    targets: np.ndarray
    draw: np.ndarray
    lang: int = 0


def block_sample(block: np.ndarray, rng: np.random.Generator, options: MaskOptions, lang: int = 0) -> BlockSample:
    """Put ``<s>`` before a block in a language and perturb it."""
    tokens = np.concatenate([[BOS], block]).astype(np.int64)
    masked, targets = mask_tokens(tokens, rng, options)
    return BlockSample(masked, targets, rng.random(len(tokens), dtype=np.float32), lang)
