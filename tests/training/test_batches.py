import pickle
from itertools import islice

import pytest
import torch
from support.text import write_plain_data
from torch.utils.data import DataLoader

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.pretraining import PretrainingData, PretrainingDataOptions, Reader  # noqa: E402
from xalign_fairseq.tasks.pretraining import XalignPretrainingConfig, XalignPretrainingTask  # noqa: E402
from xalign_fairseq.training.batches import Batches  # noqa: E402

READER = Reader({"bitext", "mono"}, positions=64)
OPTIONS = {"mono_tokens_per_sample": 16, "mono_batch_size": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_plain_data(tmp_path_factory.mktemp("plain") / "data-bin")


def batches(folder, split="train", seed=3, reader=READER, **options):
    data = PretrainingData(folder, PretrainingDataOptions(**OPTIONS), seed=seed)
    return Batches(data, reader, split, **{"max_tokens": 120, **options})


def seen(batch):
    """The identity of a batch."""
    streams = [batch[name] for name in ("bitext", "mono") if name in batch]
    return [each["masked"].tolist() for each in streams], bool(batch.get("ignored"))


def of_fairseq(folder, epoch, rank=0, world=1):
    task = XalignPretrainingTask(XalignPretrainingConfig(data=str(folder), seed=3, **OPTIONS))
    task.reader = READER
    task.load_dataset("train", epoch=epoch)
    epochs = task.get_batch_iterator(
        task.datasets["train"], max_tokens=120, seed=3, epoch=epoch, required_batch_size_multiple=8,
        num_shards=world, shard_id=rank,
    )  # fmt: skip
    return [seen(batch) for batch in epochs.next_epoch_itr(shuffle=True) if batch]


def test_epochs_are_those_of_fairseq_train(folder):
    expected = of_fairseq(folder, 1) + of_fairseq(folder, 2)
    found = [seen(batch) for batch in islice(batches(folder), len(expected))]
    assert found == expected and len({str(each) for each in found}) == len(found)


def test_processes_may_be_connected_after_the_batches_are_made(folder, monkeypatch):
    made = batches(folder)
    assert (made.rank, made.world_size) == (0, 1)
    monkeypatch.setattr("xalign_fairseq.training.batches.worker", lambda: (1, 2))
    assert (made.rank, made.world_size) == (1, 2)
    sent = pickle.dumps(made)
    monkeypatch.undo()
    assert (pickle.loads(sent).rank, pickle.loads(sent).world_size) == (1, 2)


def test_processes_share_an_epoch_as_in_fairseq_train(folder):
    expected = [of_fairseq(folder, 1, rank, 2) for rank in (0, 1)]
    steps = len(expected[0])
    shares = [[seen(each) for each in islice(batches(folder, share=(k, 2)), steps)] for k in (0, 1)]
    assert shares[0] == expected[0]
    assert shares[1][: len(expected[1])] == expected[1]
    assert all(ignored for _, ignored in shares[1][len(expected[1]) :])


@pytest.mark.parametrize("split", ["train", "valid"])
def test_a_process_without_batches_runs_one_of_another_process_and_ignores_it(folder, split):
    options = {"max_tokens": 9999, "required_batch_size_multiple": 1, "reader": Reader({"bitext"}, positions=64)}
    first, second = (next(iter(batches(folder, split, **options, share=(k, 2)))) for k in (0, 1))
    assert seen(second) == (seen(first)[0], True) and not first.get("ignored")


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 0), (2, 1)])
def test_a_state_is_exact_whatever_the_number_of_data_workers(folder, before, after):
    expected = [seen(batch) for batch in islice(batches(folder), 30)]
    per_epoch = len(of_fairseq(folder, 1))
    for stop in (0, 3, per_epoch, per_epoch + 2):
        first = batches(folder, num_workers=before)
        assert [seen(batch) for batch in islice(first, stop)] == expected[:stop]
        second = batches(folder, num_workers=after)
        second.load_state_dict(first.state_dict())
        assert [seen(batch) for batch in islice(second, 4)] == expected[stop : stop + 4]


def test_torchs_loader_reads_them_in_order_with_workers_of_its_own(folder):
    epoch = of_fairseq(folder, 1)
    loader = DataLoader(batches(folder), batch_size=None, num_workers=2)
    assert [seen(batch) for batch in islice(loader, len(epoch) - 1)] == epoch[:-1]


@pytest.mark.parametrize("workers", [0, 2])
def test_torchdatas_stateful_loader_continues_where_it_stopped(folder, workers):
    loaders = pytest.importorskip("torchdata.stateful_dataloader")
    expected = [seen(batch) for batch in islice(batches(folder), 7)]
    first = loaders.StatefulDataLoader(batches(folder), batch_size=None, num_workers=workers)
    assert [seen(batch) for batch in islice(first, 3)] == expected[:3]
    second = loaders.StatefulDataLoader(batches(folder), batch_size=None, num_workers=workers)
    second.load_state_dict(first.state_dict())
    assert [seen(batch) for batch in islice(second, 4)] == expected[3:]


def test_validation_is_complete_after_an_interrupted_one_and_draws_nothing(folder):
    valid = batches(folder, "valid")
    whole = [seen(batch) for batch in valid]
    before = torch.get_rng_state()
    next(iter(valid))
    assert [seen(batch) for batch in valid] == whole and len(whole) > 1
    assert torch.equal(torch.get_rng_state(), before)
    # continues from a loaded place
    next(iter(valid))
    resumed = batches(folder, "valid")
    resumed.load_state_dict(valid.state_dict())
    assert [seen(batch) for batch in resumed] == whole[1:]


def test_what_cannot_be_is_refused(folder):
    with pytest.raises(XalignError, match="no size limit"):
        batches(folder, max_tokens=None)
    with pytest.raises(XalignError, match="no objective reads text"):
        batches(folder, reader=Reader(()))
    refused = {"where: share": {"share": (3, 2)}, "batch_size": {"batch_size": 1.5}, "world_size": {"share": (0, 2)}}
    refused |= {"seed": {"seed": 4}, "other batches\n  where: max_tokens": {"max_tokens": 99}}
    for message, options in refused.items():
        with pytest.raises(XalignError, match=message):
            batches(folder, **options).load_state_dict(batches(folder).state_dict())


def test_a_state_of_short_epochs_continues_where_each_folder_ended(folder, tmp_path):
    other, third = (write_plain_data(tmp_path / f"data-bin.{i}", pairs=50 + i) for i in (1, 2))
    options = PretrainingDataOptions(**OPTIONS, epoch_items=46)

    def several(*folders):
        return Batches(PretrainingData(":".join(map(str, folders)), options, seed=3), READER, max_tokens=120)

    whole = several(folder, other)
    list(islice(whole, 30))
    parts = several(folder, other)
    for _ in range(6):  # interrupted after every fifth batch
        taken = [seen(batch) for batch in islice(parts, 5)]
        state, parts = parts.state_dict(), several(folder, other)
        parts.load_state_dict(state)
    assert parts.state_dict() == whole.state_dict() and parts.epoch > 2
    assert [seen(b) for b in islice(parts, 5)] == [seen(b) for b in islice(whole, 5)] != taken
    more = several(folder, other, third)
    more.load_state_dict(whole.state_dict())
    assert more.data.shards.visits(whole.epoch) == [*whole.data.shards.visits(whole.epoch), 0]
