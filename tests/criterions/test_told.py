from types import SimpleNamespace

import pytest
from support.small import block, pair

from xalign_fairseq.criterions.told import LONGEST, told
from xalign_fairseq.data.batches import collate


@pytest.fixture
def task():
    symbols = ["<s>", "<pad>", "</s>", "<unk>", *(f"s{i}" for i in range(4, 59))]
    return SimpleNamespace(
        all_languages=("de", "en", "fr"),
        dictionary=SimpleNamespace(symbols=symbols),
        datasets={"train": SimpleNamespace(now=3)},
    )


def test_a_batch_is_told_by_its_first_texts(task):
    pairs = [pair([5, 6], [7], langs=(1, 0)), pair([8, 9, 10, 11], [12], langs=(0, 1))]
    assert told(collate(pairs, []), task) == '2 pairs of de, en in epoch 3, the first: "s5 s6 </s> s7 </s>"'


def test_blocks_are_told_too_as_they_are_seen(task):
    said = told(collate([], [block(), block(1)]), task)
    assert said.startswith('2 blocks of de in epoch 3, the first: "') and "<mask>" in said
    both = told(collate([pair([5], [6])], [block(length=200)]), task)
    assert " and 1 blocks of de" in both and len(both) < LONGEST + 150
