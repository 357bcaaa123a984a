import importlib.util
import subprocess
import sys

from fairseq import checkpoint_utils, options
from fairseq.data import iterators
from fairseq.distributed import utils
from fairseq.models import distributed_fairseq_model
from fairseq.optim.fp16_optimizer import _FP16OptimizerMixin
from support.warm_start import run_warm

from xalign_fairseq.trainer import compat


def places():
    return (
        options.parse_args_and_arch,
        iterators.BackgroundConsumer,
        utils.call_main,
        utils.all_gather_list,
        utils._broadcast_object_slow,
        distributed_fairseq_model.DistributedDataParallel,
        _FP16OptimizerMixin.__dict__["build_fp32_params"],
        checkpoint_utils.load_checkpoint_to_cpu,
    )


def test_every_unit_has_a_status_with_a_reason():
    statuses = compat.apply()
    assert len(statuses) == len({entry.name for entry in statuses}) == len(compat.UNITS) == 11
    for name, state, reason in statuses:
        assert name
        assert state in ("active", "not needed")
        assert reason
    assert compat.apply() == statuses


def fresh_compat():
    """The module in a process that has not been patched."""
    spec = importlib.util.spec_from_file_location(compat.__name__, compat.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_installing_twice_wraps_once(monkeypatch):
    monkeypatch.setattr("sys.argv", ["pytest"])  # the test runner: its workers are called -c
    compat.apply()
    before = places()
    second = fresh_compat().apply()
    assert all(first is again for first, again in zip(before, places(), strict=True))
    states = {entry.name: entry.state for entry in second}
    assert states.pop("input errors") == "not needed"  # pytest is not a fairseq command
    assert set(states.values()) == {"active"}


def test_a_unit_that_is_not_needed_is_not_installed(monkeypatch):
    from xalign_fairseq.trainer.compat import bf16_tpu

    fresh = fresh_compat()
    fresh.UNITS = ("bf16_tpu",)
    monkeypatch.setattr(bf16_tpu, "UNIT", bf16_tpu.UNIT._replace(needed=lambda: False, install=lambda: 1 / 0))
    assert fresh.apply() == [(bf16_tpu.UNIT.name, "not needed", fresh.NOT_THERE)]


def test_importing_the_package_loads_neither_torch_nor_fairseq():
    code = "import sys, xalign_fairseq.trainer.compat; sys.exit('torch' in sys.modules or 'fairseq' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_fairseq_shows_no_useless_warnings(tmp_path):
    """Of the decorator in torch 2.14, of hydra, and of torch in training."""
    program = (
        "import functools, torch, warnings\n"
        "real = torch.jit.script\n"
        "@functools.wraps(real)\n"
        "def script(*given, **named):\n"
        "    warnings.warn('`torch.jit.script` is deprecated. Please switch to `torch.compile`.', FutureWarning)\n"
        "    return real(*given, **named)\n"
        "torch.jit.script = script\n"
        "import xalign_fairseq\n"
        "xalign_fairseq.register()\n"
        "from fairseq import options\n"
        "from fairseq.dataclass.utils import convert_namespace_to_omegaconf\n"
        "line = ['data', '--arch', 'xalign_tiny', '--task', 'xalign_pretraining', '--criterion', 'tlm']\n"
        "convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line))\n"
        "torch.cuda.amp.autocast(enabled=False)\n"
        "list(torch.utils.data.DataLoader([1], pin_memory=True))\n"
        "warnings.warn('another', FutureWarning)\n"
    )
    done = run_warm([sys.executable, "-c", program], tmp_path)
    assert done.returncode == 0 and "FutureWarning: another" in done.stderr and done.stderr.count("Warning") == 1
