import subprocess
import sys

import pytest
import torch
from fairseq.dataclass.configs import FairseqConfig
from fairseq.distributed import utils
from omegaconf import OmegaConf

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat import cpu_processes

# One of two gloo ranks: what the resuming of a run and the gathering of statistics do between them.
RANK = """
import sys, torch, torch.distributed as dist
from fairseq.distributed import utils
from fairseq.dataclass.configs import FairseqConfig
from fairseq.models.distributed_fairseq_model import DistributedFairseqModel
from omegaconf import OmegaConf
from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat.cpu_processes import give_way

compat.apply()
rank, meeting = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=2)
group = dist.group.WORLD

state = {"cfg": OmegaConf.create({"model": {"layers": 3}}), "model": {"w": torch.arange(4.0)}, "names": ("a", {"b"})}
got = utils.broadcast_object(state if rank == 0 else None, src_rank=0, group=group)
assert OmegaConf.is_config(got["cfg"]) and got["cfg"].model.layers == 3
assert got["model"]["w"].tolist() == [0, 1, 2, 3] and got["names"] == ("a", {"b"})

assert utils.all_gather_list({"rank": rank, "text": "x" * 50_000}, group=group) == [
    {"rank": r, "text": "x" * 50_000} for r in range(2)
]

options = OmegaConf.structured(FairseqConfig()).distributed_training
model = DistributedFairseqModel(options, torch.nn.Linear(2, 1, bias=False), group, torch.device("cpu"))
torch.nn.init.ones_(model.weight)
model(torch.full((1, 2), float(rank + 1))).sum().backward()
assert model.weight.grad.tolist() == [[1.5, 1.5]]  # the mean of both ranks' inputs
dist.barrier()
give_way()
dist.destroy_process_group()
"""

# One of two whose gloo threads wait for the interpreter's lock, which Python code does not hand over, until it ends.
BUSY = """
import sys, time, torch, torch.distributed as dist
from xalign_fairseq.trainer.compat.cpu_processes import give_way

dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=int(sys.argv[1]), world_size=2)
sys.setswitchinterval(100)
dist.all_reduce(torch.ones(3000), async_op=True)
end = time.monotonic() + 1
while time.monotonic() < end:
    pass
give_way()
"""


def config(**changes):
    cfg = OmegaConf.create(OmegaConf.to_container(OmegaConf.structured(FairseqConfig()), enum_to_str=True))
    cfg.common.cpu = True
    for name, value in changes.items():
        cfg.distributed_training[name] = value
    return cfg


@pytest.fixture(autouse=True)
def applied():
    compat.apply()


@pytest.mark.slow
@pytest.mark.parametrize("script", [RANK, BUSY], ids=["exchanging", "busy"])
def test_two_ranks_exchange_objects_and_gradients_and_end(script, tmp_path):
    (tmp_path / "rank.py").write_text(script)
    command = [sys.executable, str(tmp_path / "rank.py")]
    ranks = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "meeting")], stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    for rank in ranks:
        errors = rank.communicate(timeout=120)[1]
        assert rank.returncode == 0, errors[-2000:]
        assert "FutureWarning" not in errors


def test_one_process_is_started_as_ever():
    seen = []
    utils.call_main(config(distributed_world_size=1), lambda cfg: seen.append(torch.cuda.device_count()))
    assert seen == [torch.cuda.device_count()]


def test_as_many_processes_as_asked_for_are_spawned(monkeypatch):
    calls = []
    monkeypatch.setattr(torch.multiprocessing, "spawn", lambda **kwargs: calls.append(kwargs))
    before = torch.cuda.device_count
    utils.call_main(config(distributed_world_size=3, distributed_backend="gloo"), pytest.fail)
    assert [call["nprocs"] for call in calls] == [3]
    assert torch.cuda.device_count is before


def test_a_launcher_s_process_trains_with_cuda_as_it_is(monkeypatch):
    for name, value in {"MASTER_ADDR": "h", "MASTER_PORT": "1", "RANK": "1", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(utils, "distributed_init", lambda cfg: cfg.distributed_training.distributed_rank)
    monkeypatch.setattr(cpu_processes, "give_way", lambda: seen.append("gives way"))
    before, seen = torch.cuda.device_count, []
    cfg = config(distributed_world_size=2, distributed_backend="gloo")
    utils.call_main(cfg, lambda cfg: seen.append((cfg.distributed_training.distributed_rank, torch.cuda.device_count)))
    assert seen == [(1, before), "gives way"]


def test_nccl_on_cpus_is_an_error_at_once():
    with pytest.raises(XalignError, match="expected: gloo"):
        utils.call_main(config(distributed_world_size=2, distributed_backend="nccl"), pytest.fail)
