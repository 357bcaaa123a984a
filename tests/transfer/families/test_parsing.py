import math

import numpy as np
import pytest
import torch
from support.small import Letters

from xalign_fairseq.data.labelled.examples import Tree, TreeExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.evaluation.parsing import GoldTree
from xalign_fairseq.transfer.families.parsing import Parsing
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.heads.trees import decode_trees

CONFIG = EncoderConfig(vocab_size=16, encoder_embed_dim=12, encoder_attention_heads=2)
LABELS = ["nsubj", "obj", "root"]


def sentence(words, heads=None, relations=None):
    words = tuple(words.split())
    tree = None if heads is None else Tree(tuple(heads), tuple(relations.split()))
    return TreeExample("1", "en", words, ("X",) * len(words), tree)


SENTENCES = [
    sentence("ab c d", (2, 0, 2), "nsubj:pass root obj"),
    sentence("c", (0,), "root"),
    sentence("a b c d e f g h", (2, 3, 0, 3, 8, 5, 5, 4), "nsubj obj root nsubj obj nsubj obj nsubj"),
]


def family(**options):
    return Parsing(Letters(), LABELS, Limits(6, 2), options)


def prepare(task, examples):
    """A batch, hidden states that depend only on the token, and a head with random weights."""
    torch.manual_seed(3)
    batch = task.collate([task.encode(each) for each in examples])
    hidden, head = torch.randn(16, 12)[batch["tokens"]], task.build_head(CONFIG).eval()
    torch.nn.init.normal_(head.arc_weight, std=0.1)
    torch.nn.init.normal_(head.label_weight, std=0.1)
    return batch, hidden, head


def test_a_batch_holds_heads_and_relations():
    batch, _, _ = prepare(family(), [SENTENCES[0], sentence("a b"), sentence("a b", (0, 1), "root vocative")])
    assert batch["heads"].tolist() == [[2, 0, 2], [-1, -1, -1], [0, 1, -1]]
    assert batch["relations"].tolist() == [[0, 2, 1], [-1, -1, -1], [2, -1, -1]]


def test_loss_by_hand():
    """At first all heads and all relations are equally likely."""
    task = family()
    batch, hidden, _ = prepare(task, [SENTENCES[0], sentence("a b"), sentence("a b", (0, 1), "root vocative")])
    head = task.build_head(CONFIG)
    torch.nn.init.zeros_(head.label_linear.weight)
    torch.nn.init.zeros_(head.label_linear.bias)
    total, words = task.loss(head, hidden, batch)
    # three words with three possible heads, two with two; four known relations of three
    assert total.item() == pytest.approx(3 * math.log(3) + 2 * math.log(2) + 4 * math.log(3), rel=1e-6)
    assert words == 5


def test_the_loss_covers_only_the_gold_arcs():
    task = family()
    batch, hidden, head = prepare(task, SENTENCES)
    expected, words = 0.0, 0
    for example in SENTENCES:
        alone, states, _ = prepare(task, [example])
        n = len(example.words)
        rooted = torch.cat(
            [states[alone["word_window"][:, :1], 0], states[alone["word_window"], alone["word_position"]]], 1
        )
        mask, heads = torch.ones(1, n, dtype=torch.bool), torch.tensor([example.tree.heads])
        arcs = head.arc_scores(rooted, mask)[0].log_softmax(1)
        labels = head.label_scores(rooted, heads, mask).log_softmax(1)
        for w in range(n):
            relation = LABELS.index(example.tree.relations[w].split(":")[0])
            expected -= float((arcs[w, example.tree.heads[w]] + labels[w, relation]).detach())
            words += 1
    total, count = task.loss(head, hidden, batch)
    assert total.item() == pytest.approx(expected, rel=1e-5)
    assert count == words == 12


def test_words_beyond_the_limit_attach_to_the_word_under_the_root():
    examples = [sentence("h g f e d c b a a b c d"), SENTENCES[1], sentence("a b c")]
    batch, hidden, head = prepare(family(), examples)
    found = family(max_words=3).predict(head, hidden, batch, examples)
    unlimited = family().predict(head, hidden, batch, examples)
    assert found[1:] == unlimited[1:]
    heads, relations = found[0]
    scores = np.zeros((1, len(heads), len(heads) + 1))
    scores[0, np.arange(len(heads)), heads] = 1
    assert decode_trees(scores, [len(heads)])[0].tolist() == list(heads)  # a tree with one word under the root
    assert set(heads[3:]) == {1 + heads.index(0)} and heads.index(0) < 3 and len(heads) == 12
    assert relations[3:] == ("dep",) * 9 and "dep" not in relations[:3]
    # The first three words are parsed as a complete sentence, but in the encoder's longer context.
    short = {name: batch[name][:1, :3] for name in ("word_window", "word_position")}
    alone = family().predict(head, hidden, short, [sentence("h g f")])[0]
    assert (heads[:3], relations[:3]) == alone


def test_gold_trees_have_their_full_relations():
    assert Parsing.gold(SENTENCES[0]) == GoldTree((2, 0, 2), ("nsubj:pass", "root", "obj"), ("X", "X", "X"))
    assert Parsing.gold(sentence("a")) is None
