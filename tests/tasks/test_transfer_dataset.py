import logging
from dataclasses import replace

import numpy as np
import pytest
from support.small import CONFIG, Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.tasks.transfer_dataset import SORTED_BATCHES, TransferDataset
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.task_record import TaskRecord

LABELS = ("no", "yes")


def example(number, first=3, second=2, language="en"):
    return PairExample(str(number), language, "a" * first, "b" * second, LABELS[number % 2])


def build(groups, training=True, seed=1, config=CONFIG, limits=Limits(32, 8)):  # noqa: B008  (frozen)
    family = TaskRecord("xnli", LABELS, limits).build_family(Letters())
    return TransferDataset(groups, family, config, seed, training)


def lengths(seed, count):
    return np.random.default_rng(seed).integers(1, 12, count)


def test_an_epoch_is_every_example_once_in_an_order_of_seed_and_epoch():
    groups = [(example(k),) for k in range(30)]
    one, same, other = build(groups), build(groups), build(groups, seed=2)
    for each in (one, same, other):
        each.set_epoch(3)
    order = one.ordered_indices().tolist()
    assert sorted(order) == list(range(30)) and order == same.ordered_indices().tolist()
    assert order != other.ordered_indices().tolist()
    one.set_epoch(4)
    assert order != one.ordered_indices().tolist()
    assert not one.can_reuse_epoch_itr_across_epochs


def test_validation_reads_by_length_the_same_each_epoch():
    sizes = lengths(0, 20)
    made = build([(example(k, int(n)),) for k, n in enumerate(sizes)], training=False)
    made.set_epoch(2)
    order = made.ordered_indices()
    assert order.tolist() == np.argsort(sizes, kind="stable").tolist() and made.can_reuse_epoch_itr_across_epochs
    assert made.num_tokens_vec(order).tolist() == [int(sizes[k]) + 2 + 4 for k in order]  # <s> and three </s>
    assert [made.num_tokens(k) for k in order] == [made.size(k) for k in order] == made.num_tokens_vec(order).tolist()


def test_batches_have_examples_of_similar_length_and_contain_all():
    sizes = lengths(1, 4 * 2 * SORTED_BATCHES + 3)
    made = build([(example(k, int(n)),) for k, n in enumerate(sizes)])
    order = made.ordered_indices()
    batches = made.batch_by_size(order, max_sentences=4, required_batch_size_multiple=8)
    assert sorted(np.concatenate(batches)) == list(range(len(sizes))) and {len(batch) for batch in batches} == {3, 4}
    spread = np.mean([np.ptp(sizes[batch]) for batch in batches])
    assert spread < 0.5 < 4 < np.mean([np.ptp(sizes[batch]) for batch in np.split(order[:-3], len(order) // 4)])
    # Only examples that the draw put close together are sorted.
    first = set(order[: 4 * SORTED_BATCHES].tolist())
    assert {int(k) for batch in batches[:SORTED_BATCHES] for k in batch} == first


def test_a_token_limit_is_respected():
    made = build([(example(k, int(n)),) for k, n in enumerate(lengths(2, 40))])
    for batch in made.batch_by_size(made.ordered_indices(), max_tokens=50, max_sentences=8):
        assert len(batch) * made.num_tokens_vec(batch).max() <= 50
    with pytest.raises(XalignError, match=r"longer than a batch[\s\S]*max_tokens[\s\S]*at least"):
        made.batch_by_size(made.ordered_indices(), max_tokens=1)


def test_a_mixture_stays_in_one_batch():
    made = build([(example(2 * k), example(2 * k + 1)) for k in range(6)])
    assert len(made) == 6
    batches = made.batch_by_size(made.ordered_indices(), max_sentences=4)
    assert {len(batch) for batch in batches} == {2}  # items of two examples each
    sample = made.collater([made[0], made[3]])
    assert sample["nsentences"] == 4 and sample["batch"]["labels"].tolist() == [0, 1, 0, 1]


def test_a_batch_has_the_inputs_of_criterion_and_metric():
    german, english = example(0, 4, 2, "de"), example(1, 1, 1)
    sample = build([(german,), (english,)], training=False).collater([0, 1])
    a, b = (Letters.dictionary.index(letter) for letter in "ab")
    assert sample["batch"]["tokens"].tolist() == [[0, a, a, a, a, 2, 2, b, b, 2], [0, a, 2, 2, b, 2, 1, 1, 1, 1]]
    assert sample["languages"] == ["de", "en"] and sample["language_rows"] is None
    assert sample["ntokens"] == 10 + 6 and sample["examples"] == (german, english)
    assert "examples" not in build([(german,)]).collater([0])
    assert build([(german,)]).collater([]) == {}


def test_language_embeddings_get_the_row_of_each_token():
    speaking = replace(CONFIG, language_embeddings="en,de")
    rows = build([(example(0, 2, 1, "de"),), (example(1, 1, 1),)], config=speaking).collater([0, 1])["language_rows"]
    assert rows.tolist() == [[1] * 7, [0] * 7]


def test_truncated_tokens_are_counted(caplog):
    groups = [(example(0, 20, 20),), (example(1),)]
    with caplog.at_level(logging.WARNING):
        build(groups, limits=Limits(16, 4))
    assert "1 of 2 examples lost tokens to " in caplog.text  # the option is a flag once a test has started a trainer
    caplog.clear()
    build(groups[1:], limits=Limits(16, 4))
    assert not caplog.records
