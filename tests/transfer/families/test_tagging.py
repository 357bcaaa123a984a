"""Tagging: what a batch holds, losses by hand, predictions in any company, and that it learns."""

import pytest
import torch
from support.small import Letters
from torch import nn

from xalign_fairseq.data.labelled.examples import WordsExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.families.tagging import Tagging
from xalign_fairseq.transfer.family import Limits

CONFIG = EncoderConfig(vocab_size=16, encoder_embed_dim=6, encoder_attention_heads=2)


def sentence(words, tags=None):
    return WordsExample("1", "en", tuple(words.split()), None if tags is None else tuple(tags.split()))


def family(**options):
    return Tagging(Letters(), ["ADJ", "NOUN", "VERB"], Limits(6, 1), options)


def prepare(task, examples, seed=1):
    """A batch, hidden states that depend on the token alone, and a head."""
    torch.manual_seed(seed)
    batch = task.collate([task.encode(each) for each in examples])
    return batch, torch.randn(16, 6)[batch["tokens"]], task.build_head(CONFIG).eval()


def test_labels_are_sorted_tags():
    examples = [sentence("a b", "VERB NOUN"), sentence("a", "ADJ"), sentence("c")]
    assert Tagging.labels_of(examples) == ["ADJ", "NOUN", "VERB"]
    assert Tagging.gold(examples[0]) == ["VERB", "NOUN"] and Tagging.gold(examples[2]) is None


def test_a_batch_holds_tags_where_words_are():
    batch, _, _ = prepare(family(), [sentence("ab c", "NOUN VERB"), sentence("d"), sentence("a b c", "X ADJ VERB")])
    assert batch["tags"].tolist() == [[1, 2, -1], [-1, -1, -1], [-1, 0, 2]]
    assert batch["word_position"].tolist() == [[1, 3, -1], [1, -1, -1], [1, 2, 3]]


def test_loss_of_the_linear_layer():
    batch, hidden, head = prepare(family(), [sentence("ab c", "NOUN VERB"), sentence("a", "X"), sentence("d")])
    total, words = family().loss(head, hidden, batch)
    states = torch.stack([hidden[0, 1], hidden[0, 3]])
    scores = states @ head.linear.weight.T + head.linear.bias
    probabilities = scores.softmax(1)
    torch.testing.assert_close(total, -(probabilities[0, 1].log() + probabilities[1, 2].log()))
    assert words == 2


def test_a_crf_that_has_learned_nothing_is_the_linear_layer():
    examples = [
        sentence("ab c", "NOUN VERB"),
        sentence("a b c d e f g", "VERB ADJ VERB X VERB VERB ADJ"),
        sentence("d"),
    ]
    batch, hidden, head = prepare(family(crf=True), examples)
    expected, words = family().loss(family_head(head), hidden, batch)
    found = family(crf=True).loss(head, hidden, batch)
    torch.testing.assert_close(found, (expected, words))
    assert words == 8


def family_head(head):
    """The same linear layer without its CRF."""
    plain = family().build_head(CONFIG).eval()
    plain.linear = head.linear
    return plain


@pytest.mark.parametrize("crf", [False, True])
def test_every_word_has_its_tag_in_any_company(crf):
    task = family(crf=crf)
    examples = [sentence("ab c"), sentence("a b c d e f g h a b c d"), sentence("abcdefgh"), sentence("h")]
    batch, hidden, head = prepare(task, examples)
    if crf:
        nn.init.normal_(head.crf.neighbours)
    together = task.predict(head, hidden, batch, examples)
    assert [len(tags) for tags in together] == [2, 12, 1, 1]
    assert {tag for tags in together for tag in tags} <= {"ADJ", "NOUN", "VERB"}
    for example, tags in zip(examples, together, strict=True):
        batch, hidden, _ = prepare(task, [example])
        assert task.predict(head, hidden, batch, [example]) == [tags]


@pytest.mark.parametrize("crf", [False, True])
def test_dropout_and_size(crf):
    head = family(crf=crf, head_dropout=0.5).build_head(CONFIG).train()
    assert not head(torch.ones(1, 4, 6))[0, 0].allclose(head(torch.ones(1, 4, 6))[0, 0])
    assert head(torch.ones(2, 4, 6)).shape == (2, 4, 3)


def test_a_crf_learns_what_words_alone_do_not_tell():
    # The same word is NOUN and VERB in turn; only the chain can distinguish them.
    task = family(crf=True)
    examples = [
        sentence("a a a a", "NOUN VERB NOUN VERB"),
        sentence("a a a", "NOUN VERB NOUN"),
        sentence("b b", "ADJ ADJ"),
    ]
    batch, hidden, head = prepare(task, examples)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        total, _ = task.loss(head, hidden, batch)
        total.backward()
        optimizer.step()
    assert task.predict(head, hidden, batch, examples) == [Tagging.gold(each) for each in examples]


def test_predictions_are_valid_bio_if_asked_for():
    labels = ("B-LOC", "I-LOC", "O")
    example = WordsExample("1", "en", ("a", "b"), ("I-LOC", "I-LOC"))
    for repair, expected in ((False, ["I-LOC", "I-LOC"]), (True, ["B-LOC", "I-LOC"])):
        task = Tagging(Letters(), labels, Limits(), {"repair_bio": repair})
        batch, hidden, head = prepare(task, [example])
        with torch.no_grad():
            head.linear.weight.zero_()
            head.linear.bias.copy_(torch.tensor([0.0, 1.0, 0.0]))
        assert task.predict(head, hidden, batch, [example]) == [expected]
