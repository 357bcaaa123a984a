"""Everything that rank 0 sends arrives, including objects that ``torch.load`` refuses by default."""

import torch
import torch.distributed as dist
from fairseq.distributed import utils
from omegaconf import DictConfig, OmegaConf
from support.processes import run_workers

from xalign_fairseq.trainer import compat

compat.apply()


def resumed(rank):
    """A worker's copy of a checkpoint that only rank 0 has read."""
    state = None
    if rank == 0:
        cfg = OmegaConf.create({"task": {"data": "data-bin", "seed": 3}})
        state = {"cfg": cfg, "model": {"w": torch.arange(6.0).view(2, 3)}, "history": [{"num_updates": 7}]}
    got = utils.broadcast_object(state, src_rank=0, group=dist.group.WORLD)
    assert isinstance(got["cfg"], DictConfig)
    return OmegaConf.to_container(got["cfg"]), got["model"]["w"], got["history"], rank


def test_every_rank_has_the_objects_of_rank_0(tmp_path):
    results = run_workers(resumed, 2, tmp_path)
    assert [rank for *_, rank in results] == [0, 1]
    for cfg, weights, history, _ in results:
        assert cfg == {"task": {"data": "data-bin", "seed": 3}} and history == [{"num_updates": 7}]
        assert torch.equal(weights, torch.arange(6.0).view(2, 3))
