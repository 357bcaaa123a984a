from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from fairseq import checkpoint_utils
from fairseq.trainer import Trainer
from support.processes import run_workers

from xalign_fairseq.trainer import compat

compat.apply()


class Seen(Exception):
    pass


class Task:
    def load_state_dict(self, state):
        raise Seen(state)


def shown(rank):
    """What a worker's task has seen when rank 0 alone has read a checkpoint."""
    seen = []
    checkpoint_utils.load_checkpoint_to_cpu = lambda *args, **kwargs: {"model": {}, "task_state": {"shard": 1}}
    trainer = made_trainer(SimpleNamespace(load_state_dict=seen.append), rank, 2)
    trainer.data_parallel_process_group, trainer.device = dist.group.WORLD, torch.device("cpu")
    with pytest.raises(Exception, match="Cannot load model parameters"):  # there is no model
        Trainer.load_checkpoint(trainer, __file__)
    return seen


def made_trainer(task, rank=0, count=1, anew=False, finetuned=None):
    """As much of a trainer as it takes to read a checkpoint."""
    cfg = SimpleNamespace(
        checkpoint=SimpleNamespace(
            load_checkpoint_on_all_dp_ranks=False, reset_dataloader=anew, finetune_from_model=finetuned
        ),
        ema=SimpleNamespace(store_ema=False),
        distributed_training=SimpleNamespace(zero_sharding="none", use_sharded_state=False),
        model=SimpleNamespace(),
    )
    return SimpleNamespace(
        cfg=cfg, data_parallel_world_size=count, data_parallel_rank=rank, tpu=False, is_fsdp=False, task=task
    )


@pytest.fixture
def trainer():
    return made_trainer(Task())


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Stands for reading a checkpoint file with the given contents."""

    def given(state):
        reader = lambda *args, **kwargs: state  # noqa: E731
        monkeypatch.setattr(checkpoint_utils, "load_checkpoint_to_cpu", reader)
        (tmp_path / "model.pt").touch()
        return str(tmp_path / "model.pt"), reader

    return given


def test_the_task_sees_its_state_before_weights_are_loaded(trainer, read):
    path, reader = read({"model": {}, "task_state": {"symbols": 5}})
    with pytest.raises(Seen, match="'symbols': 5"):
        Trainer.load_checkpoint(trainer, path)
    assert checkpoint_utils.load_checkpoint_to_cpu is reader


@pytest.mark.parametrize("anew", ["", "reset", "finetuned"])
def test_the_place_in_the_data_is_not_shown_where_they_begin_anew(anew, read):
    path, _ = read({"model": {}, "task_state": {"symbols": 5, "shard": {"epoch": 3}}})
    trainer = made_trainer(Task(), anew=anew == "reset", finetuned=path if anew == "finetuned" else "other.pt")
    with pytest.raises(Seen, match="'symbols': 5") as seen:
        Trainer.load_checkpoint(trainer, path)
    assert ("shard" in str(seen.value)) is not bool(anew)


def test_every_rank_s_task_sees_what_rank_0_has_read(tmp_path):
    assert run_workers(shown, 2, tmp_path) == [[{"shard": 1}]] * 2


def test_a_checkpoint_without_a_task_state_goes_on(trainer, read):
    path, _ = read({"model": {}})
    with pytest.raises(Exception, match="Cannot load model parameters"):
        Trainer.load_checkpoint(trainer, path)
