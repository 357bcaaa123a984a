"""Epochs cut into windows: their content for any number of workers and from any place on."""

import re
from itertools import pairwise

import numpy as np
import pytest
from support.small import MASK

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.data import streams_dataset, windows  # noqa: E402
from xalign_fairseq.data.streams import BitextStream, Corpus, MonoStream  # noqa: E402
from xalign_fairseq.tasks.epochs import (  # noqa: E402
    FairseqStreams,
    pairs_of_a_batch,
    windowed_iterator,
)

SENTENCES = 150


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(windows, "DRAWS", 128)
    monkeypatch.setattr(streams_dataset, "DRAWS", 128)


@pytest.fixture
def build(tmp_path, write_mmap):
    corpora = []
    for number, size in enumerate((SENTENCES, SENTENCES // 3)):
        src = write_mmap(tmp_path / f"a{number}", [[10] * (1 + i % 5) + [2] for i in range(size)])
        tgt = write_mmap(tmp_path / f"b{number}", [[30] * (1 + i % 3) + [2] for i in range(size)])
        corpora.append(Corpus(number, src, tgt))
    text = write_mmap(tmp_path / "m", [[50, 51, 52, 2]] * 60)

    def make(pairs=True, blocks=False, **options):
        bitext = BitextStream(corpora, 100) if pairs else None
        mono = MonoStream([text], 11) if blocks else None
        return FairseqStreams(bitext, mono, MASK, 1, True, streams_dataset.DrawOptions(**options))

    return make


def iterator(dataset, updates=None, num_shards=1, epoch=1, **options):
    given = {"max_sentences": 8} | options
    count = None if updates is None else updates * num_shards
    return windowed_iterator(dataset, lambda *_: count, num_shards=num_shards, epoch=epoch, **given)


def batches(made, shuffle=True):
    return list(made.ordered_batches(made.epoch, False, shuffle))


@pytest.mark.parametrize("apart", [False, True])
def test_an_epoch_has_every_item_once_and_no_batch_above_its_limit(build, apart):
    dataset = build(apart=apart)
    made = iterator(dataset)
    found = batches(made)
    assert len(found) == len(made) and max(map(len, found)) <= 8
    assert sorted(np.concatenate(found)) == list(range(400))
    assert not apart or all(len(set(batch // 2)) == len(batch) for batch in found)
    assert any((one != two).any() for one, two in zip(found[:5], batches(iterator(dataset, epoch=2)), strict=False))
    spread = [np.ptp(dataset.num_tokens_vec(batch)) for batch in found]
    assert np.mean(spread) <= 1  # a window is sorted by length


def test_pairs_of_a_batch_are_counted_without_its_blocks(build):
    held = build(blocks=True, items=100)
    cut = held.batch_by_size(held.ordered_indices(), None, 8)
    assert pairs_of_a_batch(held, cut) == 100 / len(cut) and len(np.concatenate(cut)) > 100
    dataset = build(blocks=True)
    made = iterator(dataset).frozen_batches
    assert pairs_of_a_batch(dataset, made) == 400 / len(made)
    assert pairs_of_a_batch(build(pairs=False, blocks=True), [np.arange(5)]) == 0
    assert pairs_of_a_batch(held, []) == 0


def test_ranks_have_equal_numbers_of_batches_and_together_those_of_one(build):
    whole = batches(iterator(build()))
    ranks = [batches(iterator(build(), num_shards=3, shard_id=rank)) for rank in range(3)]
    assert len({len(rank) for rank in ranks}) == 1
    together = [batch for three in zip(*ranks, strict=True) for batch in three]
    assert all(map(np.array_equal, together, whole)) and not any(map(len, together[len(whole) :]))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_resumes_where_it_stopped_with_any_data_workers(build, workers):
    def rows(reader):
        return [sample["bitext"]["masked"].tolist() for sample in reader]

    expected = rows(iterator(build()).next_epoch_itr())
    stopped = iterator(build(), num_workers=workers)
    reader = stopped.next_epoch_itr()
    seen = [next(reader)["bitext"]["masked"].tolist() for _ in range(37)]
    resumed = iterator(build())
    resumed.load_state_dict(stopped.state_dict())
    assert seen + rows(resumed.next_epoch_itr()) == expected


@pytest.mark.parametrize("limits", [{"max_sentences": 8}, {"max_sentences": None, "max_tokens": 60}])
@pytest.mark.parametrize("updates", [3, 40, 90])
def test_an_epoch_in_updates_has_exactly_these_and_together_with_those_of_its_window_exact_shares(
    build, updates, limits, caplog
):
    dataset = build(temperature=1e9)
    with caplog.at_level("INFO"):
        iterator(dataset, updates, num_shards=2, **limits)
    told = re.search(r"in a window of (\d+) epochs", caplog.text)
    together = int(told[1]) if told else 1
    assert (together > 1) == (updates == 3)
    drawn = []
    for epoch in range(1, 1 + together):
        ranks = [iterator(dataset, updates, 2, epoch, shard_id=rank, **limits) for rank in (0, 1)]
        both = np.concatenate([np.concatenate(batches(rank)) for rank in ranks])
        assert [len(rank) for rank in ranks] == [updates] * 2
        drawn.append(both)
    whole = np.concatenate(drawn)
    assert len(set(whole)) == len(whole) and abs(2 * (whole % 400 >= 300).sum() - len(whole)) <= 1


@pytest.mark.parametrize("limits", [{"max_sentences": 8}, {"max_sentences": None, "max_tokens": 60}])
def test_batches_of_short_epochs_are_as_large_as_those_of_longer_ones(build, limits, monkeypatch):
    for module in (windows, streams_dataset):
        monkeypatch.setattr(module, "DRAWS", 400)
    dataset = build()
    sizes = {}
    for updates in (1, 3, 11):
        for shuffle in (True, False):
            epochs = [batches(iterator(dataset, updates, 1, epoch, **limits), shuffle) for epoch in range(1, 5)]
            sizes[updates, shuffle] = np.mean([len(batch) for epoch in epochs for batch in epoch])
    assert max(sizes.values()) < 1.15 * min(sizes.values())


def test_short_epochs_go_on_where_the_last_one_ended(build):
    dataset = build(items=200)
    seen = [np.concatenate(batches(iterator(dataset, epoch=epoch))) % 400 for epoch in (1, 2)]
    assert sorted(np.concatenate(seen)) == list(range(400))


@pytest.mark.parametrize("pairs", [True, False])
def test_blocks_are_drawn_as_often_as_each_other(build, pairs):
    dataset = build(pairs=pairs, blocks=True, mono_blocks=3, items=None if pairs else 300)
    found = batches(iterator(dataset))
    drawn = np.concatenate(found)
    times = np.bincount(drawn[drawn % len(dataset) >= dataset.pairs] % len(dataset))[dataset.pairs :]
    assert len(set(drawn)) == len(drawn) and np.ptp(times) <= 1
    assert not pairs or all((batch % len(dataset) >= dataset.pairs).sum() == 3 for batch in found)


def test_batches_are_shuffled_within_their_window_alone(build):
    made = iterator(build())
    plain, mixed = batches(made, shuffle=False), batches(made)
    assert any(not np.array_equal(one, two) for one, two in zip(plain, mixed, strict=True))
    bounds = [made.frozen_batches.plan.batches_of(number).start for number in range(4)] + [len(plain)]
    for start, stop in pairwise(bounds):
        assert sorted(np.concatenate(plain[start:stop])) == sorted(np.concatenate(mixed[start:stop]))


@pytest.mark.slow
def test_training_with_epochs_in_updates_resumes_within_one(databin, train, tmp_path):
    given = ("--epoch-updates", 3, "--update-freq", 2, "--max-epoch", 2, "--save-interval-updates", 4)
    whole, _ = train(databin, tmp_path / "whole", *given)
    assert sorted(whole) == [1, 2, 3, 4, 5, 6]
    rest, _ = train(databin, tmp_path / "rest", *given, "--restore-file", tmp_path / "whole/checkpoint_2_4.pt")
    assert rest == {update: whole[update] for update in (5, 6)}


xalign_fairseq.register()

from fairseq.data import FairseqDataset  # noqa: E402


@pytest.mark.parametrize("training", [True, False])
def test_the_dataset_has_fairseqs_interface(tmp_path, write_mmap, training):
    blocks = MonoStream([write_mmap(tmp_path / "m", [[50, 51, 52, 2]] * 30)], 11)
    dataset = FairseqStreams(None, blocks, MASK, 1, training)
    assert isinstance(dataset, FairseqDataset) and dataset.can_reuse_epoch_itr_across_epochs is not training
    indices = np.arange(3)
    assert dataset.filter_indices_by_size(indices, None)[0] is indices
    assert dataset.num_tokens(0) == dataset.size(0) == 11


def test_a_stand_in_for_a_missing_batch_has_samples(build):
    made = [iterator(build(), updates=5, epoch=epoch, max_sentences=1) for epoch in range(1, 40)]
    assert any(not len(each.frozen_batches[0]) for each in made)
    assert all(each.first_batch["nsentences"] == 1 for each in made)
