"""Linked words of a batch with separately encoded sides: S in the pivot language, T in the others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import BASE, WORD, Input, polynomial, powers, signed
from xalign_fairseq.data.word_tables import word_vectors
from xalign_fairseq.objectives.prediction import true_first
from xalign_fairseq.objectives.registry import Objective, Traits, option
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.names import WORD_POOLINGS


class WordPairs:
    """The K word pairs (s_i, t_i) of a batch, one per link.

    S is the side in the pivot language, T the other side (Wu & Dredze 2020, section 2), in both directions of the data.
    A batch without links has K = 0.

    Args:
        bitext: the batch.
        pivot_side: (B,) int64, which side is S, from ``Objective.pivot_side``; None: the source is S.

    Attributes:
        rows: (K,) int64, the sentence pair of each word pair, ascending.
        words: (K, 2) int64, positions of s_i and t_i in their sentences.
        languages: (K, 2) int64, numbers of the languages of s_i and t_i.
    """

    def __init__(self, bitext: Bitext, pivot_side: Tensor | None = None):
        self._bitext = bitext
        self._tables = [bitext.word_table(side) for side in (0, 1)]
        self.rows, self._numbers = bitext.links[:, 0], bitext.links[:, 1:]
        swapped = torch.zeros_like(self.rows) if pivot_side is None else pivot_side[self.rows]
        self._swapped = swapped.bool()[:, None]
        self.words = self._oriented(self._numbers)
        self.languages = self._oriented(bitext.langs[self.rows])

    def __len__(self) -> int:
        return len(self.rows)

    def of_languages(self, s: int, t: int) -> Tensor:
        """(k,) int64, ascending: the word pairs with s_i in language ``s``, the pivot, and t_i in language ``t``."""
        mine = (self.languages[:, 0] == s) & (self.languages[:, 1] == t)
        return true_first(mine, self._bitext.host.links_between(s, t))

    def vectors(self, hidden: Callable[[int], Tensor], pooling: str) -> tuple[Tensor, Tensor]:
        """S and T, both (K, H), with gradient.

        Args:
            hidden: side (0 source, 1 target) -> hidden states (B, L, H) of ``bitext.side(side)``.
            pooling: "first": the hidden state of a word's first token (paper); "mean": over all its tokens.
        """
        src, tgt = (
            word_vectors(
                hidden(side),
                self._tables[side],
                self.rows,
                self._numbers[:, side],
                self._bitext.spans[:, 2 * side] - 1,
                pooling,
            )
            for side in (0, 1)
        )
        return torch.where(self._swapped, tgt, src), torch.where(self._swapped, src, tgt)

    def identities(self) -> tuple[Tensor, Tensor]:
        """Numbers (K,) int64 of s_i's and t_i's word types: equal for words of one language with the same tokens.

        The number is sum_k x_k P^k modulo 2^64, a polynomial of the language and the token ids, from running sums over
        the sequence. Collisions are practically impossible.
        """
        tokens = self._bitext.tokens
        factors = powers(BASE, tokens.shape[1] + 1, tokens.device)
        inverse = powers(pow(BASE, -1, WORD), tokens.shape[1] + 1, tokens.device)
        sums = torch.nn.functional.pad((tokens * factors[1:]).cumsum(1), (1, 0))
        each = []
        for side, table in enumerate(self._tables):
            first, count = table.find(self.rows, self._numbers[:, side])
            inside = sums[self.rows, first + count] - sums[self.rows, first]
            each.append(inside * inverse[first] + self._bitext.langs[self.rows, side])
        both = self._oriented(torch.stack(each, 1))
        return both[:, 0], both[:, 1]

    def occurrences(self) -> tuple[Tensor, Tensor]:
        """Numbers (K,) int64 of s_i and t_i by sentence pair, sentence and position.

        Numbers repeat if the batches of all workers have a sentence pair twice, in either direction.
        """
        sentences = [polynomial(self._bitext.side(side)) for side in (0, 1)]
        pair = (sentences[0] + sentences[1])[self.rows]
        own = torch.stack([sentence[self.rows] for sentence in sentences], 1)
        # Multiples of different odd numbers separate pair, sentence and position.
        both = self._oriented((pair[:, None] * signed(BASE) + own) * signed(BASE) + self._numbers)
        return both[:, 0], both[:, 1]

    def _oriented(self, sides: Tensor) -> Tensor:
        return torch.where(self._swapped, sides.flip(1), sides)


@dataclass
class WordPairObjective(Objective):
    """An objective over linked words at one layer, with separately encoded sides; it counts word pairs."""

    traits = Traits(needs=("bitext", "links"), counts_ahead=True)

    layer: int = option(-1, "layer of the words' hidden states; -1: last")
    pooling: str = option("first", "vector of a word: first (its first subword; paper) or mean (all subwords)")

    def __post_init__(self) -> None:
        self.require_choices(pooling=WORD_POOLINGS)

    def count(self, batch: Batch) -> int:
        return len(declared(batch.bitext, "bitext").links)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(given, self.layer) for given in step.bitext.pair_inputs("separate")]

    def vectors(self, step: Step, pairs: WordPairs) -> tuple[Tensor, Tensor]:
        """S and T of the layer, both (K, H), with gradient."""
        return pairs.vectors(
            lambda side: step.encoder.states(step.bitext.side_input(side)).layer(self.layer), self.pooling
        )
