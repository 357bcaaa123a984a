"""A dependency tree for each sentence, by the deep biaffine parser on the words' first subwords."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.labelled.examples import TreeExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.evaluation.parsing import GoldTree, universal
from xalign_fairseq.transfer.family import (
    EncodedExample,
    TaskFamily,
    collate_words,
    encode_words,
    register_family,
    word_states,
)
from xalign_fairseq.transfer.heads.trees import Biaffine, decode_trees

# Universal Dependencies' relation for words of unknown relation.
UNSPECIFIED = "dep"
Heads = tuple[int, ...]
Relations = tuple[str, ...]


@register_family("parsing")
class Parsing(TaskFamily[TreeExample]):
    """The parser of Dozat & Manning (2017) on an encoder, as in Wu & Dredze (2020).

    The hidden state of ``<s>`` in the first word's window represents the root. Relations are the universal ones
    (``nsubj:pass`` becomes ``nsubj``). The loss is the loss of the heads plus the loss of the relations given the gold
    heads. At test time, the heads are the best tree by arc scores, with one word under the root; each relation is the
    best for the chosen head.

    With ``max_words``, only the first words of a sentence are parsed at test time. The other words depend on the word
    under the root, as ``dep``, so that every word has a prediction and the result is a tree.
    """

    # Sizes of Dozat & Manning's Table 1; Wu & Dredze's code has 512, 128.
    defaults: ClassVar = {"arc_size": 500, "label_size": 100, "max_words": 0}
    help: ClassVar = {
        "arc_size": "size of the vectors that heads are scored with",
        "label_size": "size of the vectors that relations are scored with",
        "max_words": "words of a sentence that are parsed at test time; 0 is all (Wu & Dredze: 128)",
    }

    @staticmethod
    def gold(example: TreeExample) -> GoldTree | None:
        """Heads, full relations and universal parts of speech."""
        tree = example.tree
        return None if tree is None else GoldTree(tree.heads, tree.relations, example.upos)

    def encode(self, example: TreeExample) -> EncodedExample:
        """Windows of the sentence, the places of its words, their heads and the numbers of their relations."""
        windows, window, position = encode_words(self.tokenizer, example.words, self.limits)
        numbers = {label: number for number, label in enumerate(self.labels)}
        heads = relations = [-1] * len(example.words)
        if example.tree:
            heads = list(example.tree.heads)
            # A relation outside the training data has no target, but its head does.
            relations = [numbers.get(universal(relation), -1) for relation in example.tree.relations]
        arrays = {"window": window, "position": position}
        targets = {"heads": np.array(heads, dtype=np.int64), "relations": np.array(relations, dtype=np.int64)}
        return EncodedExample(windows, arrays | targets)

    def collate(self, encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
        """Windows and words as in :func:`collate_words`, ``heads`` and ``relations`` (B, W), -1 without a target."""
        targets = {name: pad([each.arrays[name] for each in encoded], -1) for name in ("heads", "relations")}
        return collate_words(encoded) | targets

    def build_head(self, config: EncoderConfig) -> Biaffine:
        sizes = self.options["arc_size"], self.options["label_size"]
        return Biaffine(config.encoder_embed_dim, len(self.labels), *sizes)

    def loss(self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the heads plus that of the relations under the gold heads; and the number of words."""
        assert isinstance(head, Biaffine)
        states, heads = _rooted_states(hidden, batch), batch["heads"]
        mask, known = batch["word_window"] >= 0, heads >= 0
        arcs = F.cross_entropy(head.arc_scores(states, mask)[known], heads[known], reduction="sum")
        scores = head.label_scores(states, heads, known)
        labels = F.cross_entropy(scores, batch["relations"][known], ignore_index=-1, reduction="sum")
        return arcs + labels, known.sum()

    def predict(
        self, head: nn.Module, hidden: Tensor, batch: dict[str, Tensor], examples: Sequence[TreeExample]
    ) -> list[tuple[Heads, Relations]]:
        """Heads and relations of the best trees."""
        assert isinstance(head, Biaffine)
        if self.options["max_words"]:
            words = slice(self.options["max_words"])
            batch = {name: batch[name][:, words] for name in ("word_window", "word_position")}
        states, mask = _rooted_states(hidden, batch), batch["word_window"] >= 0
        lengths = mask.sum(1).tolist()
        if not any(lengths):
            return [((), ()) for _ in examples]
        arcs = head.arc_scores(states, mask).detach().double().cpu().numpy()
        heads = decode_trees(arcs, lengths)
        labels = head.label_scores(states, torch.from_numpy(heads).to(hidden.device), mask).argmax(1)
        predictions = []
        for row, part, example in zip(heads, labels.split(lengths), examples, strict=True):
            found = tuple(row[: len(part)].tolist())
            relations = tuple(self.labels[number] for number in part.tolist())
            beyond = len(example.words) - len(part)
            if beyond:
                found += (1 + found.index(0),) * beyond
                relations += (UNSPECIFIED,) * beyond
            predictions.append((found, relations))
        return predictions


def _rooted_states(hidden: Tensor, batch: dict[str, Tensor]) -> Tensor:
    """States of the root and the words, (B, 1 + W, H)."""
    root = hidden[batch["word_window"][:, :1].clamp(min=0), 0]
    return torch.cat([root, word_states(hidden, batch)], 1)
