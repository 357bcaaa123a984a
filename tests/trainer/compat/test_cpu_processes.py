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

# One of two processes: gloo's threads wait for the interpreter's lock, which Python code holds until it ends.
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
def test_two_busy_ranks_end(tmp_path):
    command = [sys.executable, "-c", BUSY]
    ranks = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "meeting")], stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    for rank in ranks:
        errors = rank.communicate(timeout=120)[1]
        assert rank.returncode == 0, errors[-2000:]
        assert "FutureWarning" not in errors


def test_one_process_is_started_as_by_fairseq():
    seen = []
    utils.call_main(config(distributed_world_size=1), lambda cfg: seen.append(torch.cuda.device_count()))
    assert seen == [torch.cuda.device_count()]


def test_the_requested_number_of_processes_is_spawned(monkeypatch):
    calls = []
    monkeypatch.setattr(torch.multiprocessing, "spawn", lambda **kwargs: calls.append(kwargs))
    before = torch.cuda.device_count
    utils.call_main(config(distributed_world_size=3, distributed_backend="gloo"), pytest.fail)
    assert [call["nprocs"] for call in calls] == [3]
    assert torch.cuda.device_count is before


def test_a_launcher_s_process_does_not_change_cuda(monkeypatch):
    for name, value in {"MASTER_ADDR": "h", "MASTER_PORT": "1", "RANK": "1", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(utils, "distributed_init", lambda cfg: cfg.distributed_training.distributed_rank)
    monkeypatch.setattr(cpu_processes, "give_way", lambda: seen.append("gives way"))
    before, seen = torch.cuda.device_count, []
    cfg = config(distributed_world_size=2, distributed_backend="gloo")
    utils.call_main(cfg, lambda cfg: seen.append((cfg.distributed_training.distributed_rank, torch.cuda.device_count)))
    assert seen == [(1, before), "gives way"]


def test_nccl_on_cpus_is_an_immediate_error():
    with pytest.raises(XalignError, match="need the backend gloo"):
        utils.call_main(config(distributed_world_size=2, distributed_backend="nccl"), pytest.fail)
