import pytest
from fairseq.data import FairseqDataset

from xalign_fairseq.trainer.iterators import ClockedIterator, DataWait, TrainIterator

BATCHES = 23


class Numbers(FairseqDataset):
    """The items are their own numbers."""

    epoch = 1  # of the loaded data

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        return index

    def __len__(self):
        return 2 * BATCHES


def readers(count, size=2, **options):
    """The batches that each process reads."""
    items = list(range(2 * BATCHES))
    batches = [items[start : start + size] for start in range(0, len(items), size)]
    options |= {"seed": 5, "num_shards": count}
    return [TrainIterator(Numbers(), list, batches, shard_id=rank, **options) for rank in range(count)]


def read(all_readers, steps=None):
    """The items of some batches of each process, or of all remaining ones; and the state then."""
    items = []
    for reader in all_readers:
        for number, batch in enumerate(reader.next_epoch_itr(), 1):
            items += batch
            if number == steps:
                break
    return items, all_readers[0].state_dict()


@pytest.mark.parametrize("before", [1, 2, 4])
@pytest.mark.parametrize("after", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", [1, 3, 5])
def test_no_item_repeats_and_fewer_batches_than_processes_are_skipped(before, after, steps):
    first, state = read(readers(before), steps)
    resumed = readers(after)
    for reader in resumed:
        reader.load_state_dict(state)
    if state["iterations_in_epoch"]:
        assert [reader.epoch for reader in resumed] == [1] * after
    second, _ = read(resumed)
    assert not set(first) & set(second) and len(set(first + second)) == len(first + second)
    left_out = BATCHES - len(first + second) // 2
    assert 0 <= left_out < after and (left_out == 0 or before != after)


@pytest.mark.parametrize("skip_remainder", [False, True])
def test_no_epoch_reads_the_data_of_the_epoch_before(skip_remainder):
    """fairseq loads the data of the state's epoch before the state."""
    _, state = read(readers(1), BATCHES - 1)
    resumed = readers(4, skip_remainder_batch=skip_remainder)
    for each in resumed:
        each.load_state_dict(state)
        assert len(list(each.next_epoch_itr())) == 1
    assert [(each.dataset.epoch, each.iterations_in_epoch) for each in resumed] == [
        (1, len(resumed[0]) - skip_remainder)
    ] * 4


@pytest.mark.parametrize(
    ("before", "steps", "after", "size", "place"),
    [
        (1, 10, 1, 4, 6),  # 23 batches of 2 are 12 of 4: 5.2
        (1, 10, 1, 1, 20),
        (1, 20, 1, 23, 1),  # of 2
        (2, 5, 1, 4, 6),
    ],
)
def test_with_other_batches_the_share_of_the_epoch_is_kept(before, steps, after, size, place):
    """A place beyond the end caused fairseq's traceback."""
    _, state = read(readers(before), steps)
    (resumed,) = readers(after, size)
    resumed.load_state_dict(state)
    assert (resumed.next_epoch_idx, resumed.iterations_in_epoch) == (1, place)


def test_a_state_without_the_number_is_unchanged():
    _, state = read(readers(2), 3)
    del state["processes"], state["batches"]
    (reader,) = readers(1)
    reader.load_state_dict(state)
    assert reader.iterations_in_epoch == 3


def test_a_clocked_iterator_is_fairseqs():
    grouped = ClockedIterator(DataWait(), [1, 2, 3], 2)
    assert list(grouped) == [[1, 2], [3]] and not grouped.has_next() and len(grouped) == 2
    assert grouped.clock.waiting > 0
