import numpy as np
import pytest
from fairseq.data import data_utils
from fairseq.data.iterators import EpochBatchIterator
from support.small import MASK
from support.text import write

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.samples import MaskOptions  # noqa: E402
from xalign_fairseq.data.streams import BitextStream, Corpus, MonoStream  # noqa: E402
from xalign_fairseq.data.streams_dataset import DrawOptions, StreamsDataset, batch_ends  # noqa: E402


@pytest.fixture
def build(tmp_path):
    src = write(tmp_path / "a", [[10 + i % 7] * (1 + i % 5) + [2] for i in range(40)])
    tgt = write(tmp_path / "b", [[30] * (1 + i % 3) + [2] for i in range(40)])
    text = write(tmp_path / "m", [[50, 51, 52, 2]] * 30)

    def make(training=True, pairs=True, blocks=True, **options):
        bitext = BitextStream([Corpus(0, src, tgt)], 100, both_directions=training) if pairs else None
        mono = MonoStream([text], 11) if blocks else None
        return StreamsDataset(bitext, mono, MASK, 1, training, DrawOptions(**options))

    return make


def batches(dataset, epoch=1, **limits):
    dataset.set_epoch(epoch)
    return dataset.batch_by_size(dataset.ordered_indices(), **limits)


def test_a_training_batch_has_pairs_and_its_own_number_of_blocks(build):
    dataset = build(mono_blocks=3)
    found = batches(dataset, max_sentences=8)
    assert all((batch < dataset.pairs).sum() == 8 and (batch >= dataset.pairs).sum() == 3 for batch in found)
    assert sorted(np.concatenate([batch[batch < dataset.pairs] for batch in found])) == list(range(80))
    sample = dataset.collater([dataset[index] for index in found[0]])
    assert sample["bitext"]["tokens"].shape[0] == 8 and sample["mono"]["masked"].shape == (3, 11)


def test_batches_do_not_depend_on_the_number_of_data_workers(build):
    def read(workers, ahead, epoch=1):
        dataset = build(mono_blocks=3)
        dataset.set_epoch(epoch)
        cut = dataset.batch_by_size(dataset.ordered_indices(), max_sentences=8)
        reader = EpochBatchIterator(dataset, dataset.collater, cut, num_workers=workers, buffer_size=ahead, epoch=epoch)
        return list(reader.next_epoch_itr())

    def equal(first, second):
        streams = ("bitext", "mono")
        names = {(stream, name) for stream in streams for name in first[stream] if name not in ("host", "gold")}
        same = (np.array_equal(first[stream][name], second[stream][name]) for stream, name in names)
        hosts = (vars(sample["bitext"]["host"]).values() for sample in (first, second))
        return all(same) and all(map(np.array_equal, *hosts))

    expected = read(0, 0)
    assert len(expected) == 10
    for workers, ahead in ((1, 10), (2, 3)):
        assert all(map(equal, read(workers, ahead), expected))
    assert not any(map(equal, read(0, 0, epoch=2), expected))


def test_token_limits_hold_for_both_streams(build):
    dataset = build(mono_tokens=25)
    for batch in batches(dataset, max_tokens=40):
        pairs = batch[batch < dataset.pairs]
        assert dataset.num_tokens_vec(pairs).max() * len(pairs) <= 40
        assert (batch >= dataset.pairs).sum() == 2  # two blocks of eleven


def test_a_bucket_mixes_lengths_within_its_width(build):
    dataset = build(blocks=False)
    lengths = lambda: dataset.num_tokens_vec(dataset.ordered_indices())  # noqa: E731
    assert len(set(lengths())) > 4 and (np.diff(lengths()) >= 0).all()
    dataset.bucket_width = 3
    assert (np.diff(lengths() // 3) >= 0).all() and (np.diff(lengths()) < 0).any()
    dataset.bucket_width = 0
    assert (dataset.ordered_indices() == dataset.bitext.epoch(1, 1)[0]).all()
    spread = [
        np.mean([dataset.num_tokens_vec(batch).std() for batch in batches(dataset, max_sentences=8)])
        for dataset in (build(blocks=False, bucket_width=width) for width in (1, 0))
    ]
    assert spread[1] > 4 * spread[0]


@pytest.mark.parametrize("width", [0, 1, 4])
@pytest.mark.parametrize(("items", "limits"), [(None, {"max_sentences": 16}), (200, {"max_tokens": 90})])
def test_a_pair_meets_neither_itself_nor_its_exchange(build, width, items, limits):
    def most(**options):
        dataset = build(blocks=False, bucket_width=width, items=items, **options)
        found = batches(dataset, **limits)
        assert sorted(np.concatenate(found)) == sorted(dataset.ordered_indices())
        return max(np.bincount(batch % len(dataset) // 2).max() for batch in found)

    assert most(apart=True) == 1 and most() > 1


def test_every_draw_is_a_function_of_seed_epoch_and_index(build):
    one, two = build(), build()
    one.set_epoch(2), two.set_epoch(2)
    assert all((one[i].masked == two[i].masked).all() for i in (0, 7, 79))
    two.set_epoch(3)
    for items in (range(one.pairs), range(one.pairs, len(one))):
        assert any((one[i].masked != two[i].masked).any() for i in items)
    assert any(
        (a != b).any() for a, b in zip(batches(one, 1, max_sentences=8), batches(two, 2, max_sentences=8), strict=True)
    )


@pytest.mark.parametrize(
    "options", [{"blocks": False, "items": 200}, {"mono_blocks": 8}, {"pairs": False, "items": 40}]
)
def test_an_item_that_is_drawn_again_is_perturbed_in_another_way(build, options):
    dataset, resumed = build(**options), build(**options)
    resumed.set_epoch(1)
    drawn = np.concatenate(batches(dataset, max_sentences=8))
    items = drawn % len(dataset)
    times = np.bincount(items)
    assert times.max() > 2 and len(set(drawn)) == len(drawn)
    for item in np.flatnonzero(times > 1):
        indices = sorted(drawn[items == item])
        assert indices[0] == item  # an item's first draw has its number as key
        samples = [dataset[index] for index in indices]
        assert len({sample.draw.tobytes() for sample in samples}) == len(samples)
        assert len({np.where(sample.targets > 1, sample.targets, sample.masked).tobytes() for sample in samples}) == 1
        assert all((sample.draw == resumed[index].draw).all() for sample, index in zip(samples, indices, strict=True))
    assert (dataset.num_tokens_vec(drawn) == dataset.num_tokens_vec(items)).all()


def test_blocks_continue_by_the_first_epochs_batches(build):
    numbers = []
    for epoch in range(1, 9):
        dataset = build(items=27, mono_blocks=2)  # as in a resumed run
        found = batches(dataset, epoch, max_tokens=40)
        numbers.append(len(found))
        blocks = np.concatenate([batch[batch % len(dataset) >= dataset.pairs] for batch in found]) % len(dataset)
        assert (blocks == dataset.pairs + dataset.mono.draw(1, 2 * numbers[0] * (epoch - 1), 2 * len(found))).all()
    assert len(set(numbers)) > 1


def test_validation_reads_everything_once_and_never_changes(build):
    dataset = build(training=False, mono_blocks=2)
    first = batches(dataset, 1, max_sentences=8)
    assert sorted(np.concatenate(first)) == list(range(len(dataset))) and dataset.pairs == 40
    before = dataset[3].masked
    dataset.set_epoch(9)
    assert (dataset[3].masked == before).all()


@pytest.mark.parametrize(("index", "highest"), [(3, 30), (80, 52)])
def test_an_id_beyond_the_dictionary_is_named(build, index, highest):
    dataset = build()
    assert dataset[index]
    dataset.mask = MaskOptions(mask=highest - 1, vocab=highest)
    with pytest.raises(XalignError, match=f"found: {highest}\n"):
        dataset[index]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("own", "limits", "each"),
    [
        ({"mono_blocks": 3}, {"max_sentences": 16}, 3),
        ({"mono_tokens": 22}, {"max_tokens": 110}, 2),
        ({"mono_blocks": 4}, {"max_tokens": 22}, 4),
        ({}, {"max_tokens": 35}, 3),
    ],
)
def test_blocks_alone_have_the_limits_of_blocks(build, training, own, limits, each):
    dataset = build(training, pairs=False, **own)
    found = batches(dataset, **limits)
    sizes = [len(batch) for batch in found]
    assert set(sizes[:-1]) == {each} and sizes[-1] <= each
    assert sorted(np.concatenate(found)) == list(range(len(dataset)))


def test_pairs_that_fit_no_batch_are_left_out_and_counted(build, caplog):
    dataset = build(blocks=False)
    with caplog.at_level("INFO"):
        found = np.concatenate(batches(dataset, max_tokens=8))
    lengths = dataset.num_tokens_vec(np.arange(80))
    assert sorted(found) == np.flatnonzero(lengths <= 8).tolist()
    assert f"dropped {(lengths > 8).sum()} of 80 pairs" in caplog.text
    assert caplog.records[-1].levelname == "WARNING"  # more than a few
    with pytest.raises(XalignError, match="max_tokens"):
        batches(dataset, max_tokens=4)


def test_a_halved_batch_sees_the_same_pairs_and_blocks_in_the_same_order(build):
    whole = batches(build(mono_blocks=4), max_sentences=8)
    halves = batches(build(mono_blocks=2), max_sentences=4)
    for number, batch in enumerate(whole):
        both = np.concatenate(halves[2 * number : 2 * number + 2])
        pairs = 80
        assert (batch[batch < pairs] == both[both < pairs]).all()
        assert (batch[batch >= pairs] == both[both >= pairs]).all()


def test_a_block_that_fits_no_batch_is_named(build):
    with pytest.raises(XalignError, match="no monolingual block"):
        batches(build(pairs=False), max_tokens=10)
    with pytest.raises(XalignError, match="no monolingual block"):
        batches(build(mono_tokens=10), max_tokens=20)


@pytest.mark.parametrize("multiple", [1, 2, 8])
@pytest.mark.parametrize("limits", [{"max_tokens": 60}, {"max_sentences": 7}, {"max_tokens": 90, "max_sentences": 16}])
@pytest.mark.parametrize("ordered", [True, False])
def test_batches_are_those_of_fairseq(multiple, limits, ordered):
    rng = np.random.default_rng(multiple)
    for size in (1, 5, 300):
        lengths = rng.integers(1, 40, size)
        lengths = np.sort(lengths) if ordered else lengths
        indices = rng.permutation(size)
        ours = np.split(indices, batch_ends(lengths, multiple=multiple, **limits)[:-1])
        theirs = data_utils.batch_by_size(
            indices, num_tokens_fn=None, num_tokens_vec=lengths, required_batch_size_multiple=multiple, **limits
        )
        rest = indices[sum(map(len, theirs)) :]  # fairseq drops it
        assert [each.tolist() for each in ours] == [each.tolist() for each in (*theirs, rest) if len(each)]
