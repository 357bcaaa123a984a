"""A tagger and parser that learns from a few thousand trees: words and suffixes, an LSTM, biaffine output layers.

Dozat & Manning's (2017) parser on their LSTM, with tags from the same states; the output layers and the search for the
best tree are the package's.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from xalign_fairseq.data.labelled.examples import TreeExample
from xalign_fairseq.evaluation.parsing import universal
from xalign_fairseq.transfer.heads.trees import Biaffine, decode_trees

# Features of a word and the sizes of their embeddings; values seen once count as unknown.
FEATURES: dict[str, tuple[Callable[[str], str], int]] = {
    "word": (str.lower, 100),
    "end of 3": (lambda word: word.lower()[-3:], 50),
    "end of 2": (lambda word: word.lower()[-2:], 30),
    "beginning of 3": (lambda word: word.lower()[:3], 30),
    "shape": (lambda word: shape(word), 20),
}
UNKNOWN = 0
Parse = tuple[list[str], list[int], list[str]]  # of each word: UPOS, head (1-based, 0 the root), relation


def shape(word: str) -> str:
    """Upper case, other letters and digits as X, x, d; the rest unchanged; runs cut to two: ``Miss.`` is ``Xxx.``."""
    shaped = ["X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word]
    return "".join(c for k, c in enumerate(shaped) if shaped[max(0, k - 2) : k] != [c, c])


def collect_names(examples: Sequence[TreeExample]) -> dict[str, list[str]]:
    """The values of each feature seen at least twice, all tags and all universal relations."""
    names = {}
    for feature, (see, _) in FEATURES.items():
        counts = Counter(see(word) for example in examples for word in example.words)
        names[feature] = sorted(value for value, count in counts.items() if count > 1)
    names["upos"] = sorted({tag for example in examples for tag in example.upos})
    names["relations"] = sorted({universal(r) for each in examples if each.tree for r in each.tree.relations})
    return names


class Parser(nn.Module):
    """Tags and trees of sentences. ``names`` (of :func:`collect_names`) and the parameters are its whole state."""

    def __init__(self, names: dict[str, list[str]], size: int = 200, dropout: float = 0.33):
        super().__init__()
        self.names = names
        self.numbers = {name: {value: k for k, value in enumerate(values, 1)} for name, values in names.items()}
        self._features = lru_cache(1 << 16)(self._look_up)
        self.embeddings = nn.ModuleList(nn.Embedding(1 + len(names[f]), width) for f, (_, width) in FEATURES.items())
        width = sum(width for _, width in FEATURES.values())
        self.lstm = nn.LSTM(width, size, num_layers=2, batch_first=True, bidirectional=True, dropout=dropout)
        self.root = nn.Parameter(torch.zeros(2 * size))
        self.dropout = nn.Dropout(dropout)
        self.tags = nn.Linear(2 * size, len(names["upos"]))
        self.tree = Biaffine(2 * size, len(names["relations"]), arc_size=200, label_size=64, dropout=dropout)

    def encode(self, words: Sequence[str]) -> Tensor:
        """Feature indices of a sentence's words, (W, features) int64."""
        return torch.tensor([self._features(word) for word in words])

    def _look_up(self, word: str) -> list[int]:
        return [self.numbers[name].get(see(word), UNKNOWN) for name, (see, _) in FEATURES.items()]

    def states(self, sentences: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """States of the root and of the words (B, 1 + W, 2 size), and the mask of the words (B, W)."""
        features = pad_sequence(list(sentences), batch_first=True)
        if self.training:  # train with unknown words too
            features = features.clone()
            features[..., 0] *= torch.rand(features.shape[:2]) > 0.2
        embedded = torch.cat([each(features[..., k]) for k, each in enumerate(self.embeddings)], 2)
        lengths = torch.tensor([len(each) for each in sentences])
        packed = pack_padded_sequence(self.dropout(embedded), lengths, batch_first=True, enforce_sorted=False)
        hidden = self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        mask = torch.arange(hidden.shape[1]) < lengths[:, None]
        return torch.cat([self.root.expand(len(hidden), 1, -1), hidden], 1), mask

    def loss(self, examples: Sequence[TreeExample]) -> Tensor:
        """Mean cross-entropies of the tags, of the heads, and of the relations under the gold heads, summed."""
        states, mask = self.states([self.encode(each.words) for each in examples])
        trees = [each.tree for each in examples if each.tree]
        heads = pad_sequence([torch.tensor(tree.heads) for tree in trees], batch_first=True)
        tags = [self.numbers["upos"][tag] - 1 for each in examples for tag in each.upos]
        relations = [self.numbers["relations"][universal(r)] - 1 for tree in trees for r in tree.relations]
        return (
            F.cross_entropy(self.tags(states[:, 1:])[mask], torch.tensor(tags))
            + F.cross_entropy(self.tree.arc_scores(states, mask)[mask], heads[mask])
            + F.cross_entropy(self.tree.label_scores(states, heads, mask), torch.tensor(relations))
        )

    @torch.inference_mode()
    def parse(self, sentences: Sequence[Sequence[str]], max_words: int = 4096) -> list[Parse]:
        """The best tags and the best tree of each sentence, in padded batches of up to ``max_words``."""
        self.eval()
        parses: list[Parse] = [([], [], [])] * len(sentences)
        for batch in batches([len(words) for words in sentences], max_words):
            states, mask = self.states([self.encode(sentences[i]) for i in batch])
            lengths = mask.sum(1).tolist()
            tags = self.tags(states[:, 1:]).argmax(2)[mask].split(lengths)
            heads = decode_trees(self.tree.arc_scores(states, mask).double().numpy(), lengths)
            relations = self.tree.label_scores(states, torch.from_numpy(heads), mask).argmax(1).split(lengths)
            for i, length, *found in zip(batch, lengths, tags, heads, relations, strict=True):
                upos, head, relation = (each[:length].tolist() for each in found)
                names = self.names["upos"], self.names["relations"]
                parses[i] = [names[0][k] for k in upos], head, [names[1][k] for k in relation]
        return parses


def batches(lengths: Sequence[int], max_words: int) -> Iterable[list[int]]:
    """Sentences of similar length, up to ``max_words`` words with padding."""
    batch: list[int] = []
    for i in np.argsort(lengths, kind="stable").tolist():
        if batch and (len(batch) + 1) * lengths[i] > max_words:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def train(examples: Sequence[TreeExample], epochs: int, seed: int, progress: Callable[[int], object]) -> Parser:
    """Train a parser: Adam, 32 sentences per update, a learning rate that falls linearly to 0."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    parser = Parser(collect_names(examples))
    optimizer = torch.optim.Adam(parser.parameters(), lr=2e-3, betas=(0.9, 0.9))
    updates = epochs * -(-len(examples) // 32)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: 1 - update / updates)
    for _ in range(epochs):
        order = rng.permutation(len(examples))
        for start in range(0, len(order), 32):
            optimizer.zero_grad()
            parser.loss([examples[i] for i in order[start : start + 32]]).backward()
            nn.utils.clip_grad_norm_(parser.parameters(), 5.0)
            optimizer.step()
            schedule.step()
        progress(1)
    return parser
