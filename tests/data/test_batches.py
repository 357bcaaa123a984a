from dataclasses import replace

import numpy as np
import torch
from fairseq.utils import apply_to_sample
from support.small import MASK, block, pair, typed

from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.data.word_tables import WordTable

LOUD = replace(MASK, probability=0.5)
PAIRS = (([10, 11], [20, 21, 22]), ([12, 13, 14, 15], [23]), ([], [24, 25]))


def sample(src, tgt, links=None, langs=(0, 1)):
    words = [np.arange(len(src)), np.arange(len(tgt)) // 2]
    return pair(src, tgt, links, words=words, langs=langs, corpus=3, mask=LOUD)


def bitext(*samples):
    return typed(samples).bitext


def test_each_side_has_its_own_special_tokens():
    batch = bitext(*(sample(*pair) for pair in PAIRS))
    assert batch.longest == (4, 3)
    assert batch.side(0).tolist() == [[0, 10, 11, 2, 1, 1], [0, 12, 13, 14, 15, 2], [0, 2, 1, 1, 1, 1]]
    assert batch.side(1).tolist() == [[0, 20, 21, 22, 2], [0, 23, 2, 1, 1], [0, 24, 25, 2, 1]]


def test_masks_and_targets_of_the_sides_are_those_of_the_pair():
    batch = bitext(*(sample(*pair) for pair in PAIRS))
    for side in (0, 1):
        masked, targets, tokens = (batch.side(side, values) for values in ("masked", "targets", "tokens"))
        for row, span in enumerate(batch.spans):
            start, end = span[2 * side : 2 * side + 2].tolist()
            n = end - start
            assert masked[row, 1 : n + 1].tolist() == batch.masked[row, start:end].tolist()
            assert targets[row, 1 : n + 1].tolist() == batch.targets[row, start:end].tolist()
            assert targets[row, 0] == PAD and (targets[row, n + 1 :] == PAD).all()
        chosen = targets != PAD
        assert torch.equal(targets[chosen], tokens[chosen])
    assert (batch.targets != PAD).sum() == sum((batch.side(k, "targets") != PAD).sum() for k in (0, 1)) > 0


def test_links_and_words_of_a_batch():
    batch = bitext(
        sample([10, 11], [20, 21, 22], [[1, 0, 1], [0, 1, 0]], langs=(1, 0)),
        sample([12], [23]),
        sample([13, 14], [24, 25], [[0, 0, 0]]),
    )
    assert batch.words.tolist() == [
        [-1, 0, 1, -1, 0, 0, 1, -1],
        [-1, -1, -1, -1, -1, -1, -1, -1],
        [-1, 0, 1, -1, 0, 0, -1, -1],
    ]
    # The possible link of the first pair is not learned; that of the last pair is, because it has no sure link.
    assert batch.links.tolist() == [[0, 1, 0], [2, 0, 0]]
    assert batch.langs.tolist() == [[1, 0], [0, 1], [0, 1]]


def test_the_host_knows_where_tokens_are_predicted():
    mask = replace(LOUD, specials=True)
    made = collate([pair(*each, mask=mask, seed=4) for each in PAIRS], [block(n, n, mask) for n in (6, 9)])
    assert made["ntokens"] == made["bitext"]["tokens"].ne(PAD).sum() + 7 + 10  # with each <s>
    batch = Batch.from_sample(made)
    for targets, predicted in (
        (batch.bitext.targets, batch.bitext.predicted),
        (batch.mono.targets, batch.mono.predicted),
    ):
        assert predicted.tolist() == (targets != PAD).flatten().nonzero()[:, 0].tolist() != []


def test_the_host_keeps_the_values_that_it_needs():
    made = collate([sample(*pair) for pair in PAIRS], [])
    # Reading from this device would fail, so values that are read here stay on the host.
    batch = Batch.from_sample(apply_to_sample(lambda tensor: tensor.to("meta"), made)).bitext
    host, plain = batch.host, made["bitext"]
    assert all((getattr(host, name) == plain[name].numpy()).all() for name in ("targets", "draw", "spans"))
    assert batch.sizes.tolist() == [[len(src), len(tgt)] for src, tgt in PAIRS] and batch.longest == (4, 3)
    for side in (0, 1):
        positions = [range(*span[2 * side : 2 * side + 2]) for span in plain["spans"].tolist()]
        assert [row.nonzero()[0].tolist() for row in host.inside(side)] == list(map(list, positions))
    # Mixed precision must convert only float32: rounded draws would differ from the host's.
    assert plain["draw"].dtype == torch.float64


def test_links_of_words_without_tokens_are_left_out():
    odd = sample([10, 11], [20, 21, 22], [[0, 0, 1], [1, 1, 1], [2, 0, 1], [0, 7, 1]])  # no words 2 and 7
    batch = bitext(sample([10], [20]), odd)
    assert batch.links.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert batch.word_table(0) is batch.word_table(0)
    expected = WordTable(batch.words, batch.spans, 1, batch.highest_word + 1)
    assert torch.equal(batch.word_table(1).first, expected.first)
    assert torch.equal(batch.word_table(1).count, expected.count)
    assert bitext(sample([10], [20])).word_table(0).first.shape == (1, 0)
