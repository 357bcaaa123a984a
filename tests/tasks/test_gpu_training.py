"""Training on a GPU by fairseq's own trainer: each objective in each precision, memory, resumed runs, processes."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support import gpu_device
from support.gpu_device import ON, ON_CUDA
from support.trials import OWN

import xalign_fairseq
from tests.tasks.conftest import losses, options, validations

xalign_fairseq.register()

from fairseq import options as fairseq_options  # noqa: E402
from fairseq import tasks  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq.logging import metrics  # noqa: E402
from fairseq.trainer import Trainer  # noqa: E402

from xalign_fairseq.encoder import graphs  # noqa: E402

pytestmark = pytest.mark.gpu
UPDATES = 4
# Without random draws on the device, which differ from the CPU's.
NO_DRAWS = ("--dropout", 0, "--attention-dropout", 0, "--activation-dropout", 0)
PRECISIONS = ("float32", "bf16", "fp16", "autocast")
SIX = ("--max-update", 6, "--save-interval-updates", 3, "--validate-interval-updates", 6)
# Distance from float32 on the CPU: bf16 weights have 8 bits, and each update rounds them.
TOLERANCE = {"float32": 2e-3, "bf16": 0.05, "fp16": 0.02, "autocast": 0.02}
# Trained on links that they find: with random weights some are ambiguous, and 16 bits decide differently.
FINDS_LINKS, WIDER = ("self_training",), 4
MORE = {"moco": ("--moco-queue-size", 8, "--moco-queue-init", "random"), "dwa": ("--dwa-start-update", 0)}
# They read no text, or train nothing by themselves.
BESIDE_MLM = ("lexicon_align", "reg_hidden", "reg_param")
NAMES = [f"mlm,{name}" if name in BESIDE_MLM else name for name in OWN] + ["mlm,tlm,dwa"]


def in_precision(precision, objectives=""):
    """The options of a precision."""
    if precision in ("float32", "autocast"):
        return ("--autocast", "yes") if precision == "autocast" else ()
    # An optimiser's float32 copy of the maps would undo linear_mapping's own changes.
    flag = f"--memory-efficient-{precision}" if objectives == "linear_mapping" else f"--{precision}"
    return flag, "--fp16-init-scale", 4


def make_trainer(data, folder, objectives, *extra, device=ON):
    """fairseq's trainer of a tiny encoder, and the task's batches in order."""
    more = [option for name in objectives.split(",") for option in MORE.get(name, ())]
    given = options(data, folder, "--objectives", objectives, *NO_DRAWS, *more, *extra, criterion="weighted")[1:]
    given = [str(option) for option in given if device == "cpu" or option != "--cpu"]
    given = given[: given.index("--user-dir")] + given[given.index("--user-dir") + 2 :]
    cfg = convert_namespace_to_omegaconf(
        fairseq_options.parse_args_and_arch(fairseq_options.get_training_parser(), given)
    )
    torch.manual_seed(1)
    task = tasks.setup_task(cfg.task)
    model, criterion = task.build_model(cfg.model), task.build_criterion(cfg.criterion)
    trainer = Trainer(cfg, task, model, criterion)
    task.load_dataset("train")
    batches = task.get_batch_iterator(task.dataset("train"), max_sentences=8, seed=1).next_epoch_itr(shuffle=True)
    trainer.lr_step_begin_epoch(1)
    trainer.begin_epoch(1)
    return trainer, batches


def train_steps(trainer, batches, updates=UPDATES):
    """The loss of each update, as fairseq logs it."""
    found = []
    for _ in range(updates):
        with metrics.aggregate(new_root=True) as log:
            trainer.train_step([next(batches)])
        found.append(log.get_smoothed_value("loss"))
    return found


@pytest.fixture(scope="session")
def expected(lexicon_bin, tmp_path_factory):
    """The losses of objectives in float32 on the CPU."""
    known = {}

    def losses_of(objectives):
        if objectives not in known:
            folder = tmp_path_factory.mktemp("float32")
            known[objectives] = train_steps(*make_trainer(lexicon_bin, folder, objectives, device="cpu"))
        return known[objectives]

    return losses_of


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("objectives", NAMES)
def test_steps_of_every_objective_in_every_precision(lexicon_bin, tmp_path, expected, objectives, precision):
    trainer, batches = make_trainer(lexicon_bin, tmp_path, objectives, *in_precision(precision, objectives))
    found = train_steps(trainer, batches)
    assert trainer.device.type == ON and trainer.get_num_updates() == UPDATES
    assert all(map(math.isfinite, found))
    tolerance = TOLERANCE[precision] * (WIDER if objectives in FINDS_LINKS and precision != "float32" else 1)
    assert found == pytest.approx(expected(objectives), rel=tolerance, abs=tolerance / 10)


@pytest.mark.parametrize("precision", ["bf16", "fp16", "autocast"])
@pytest.mark.parametrize("objectives", ["mlm,tlm", "mlm,tlm,dwa", "mlm,tlm,moco", "word_exchange"])
def test_cuda_graphs_give_the_losses_of_eager_layers(
    lexicon_bin, tmp_path, expected, monkeypatch, objectives, precision
):
    given = ("--cuda-graphs", *in_precision(precision, objectives))
    if not ON_CUDA:
        monkeypatch.setattr(graphs, "require", lambda *_: None)
        monkeypatch.setattr(graphs, "recorded", lambda: torch.compile(graphs._layers, backend="eager", dynamic=True))
    torch._dynamo.utils.counters.clear()
    found = train_steps(*make_trainer(lexicon_bin, tmp_path, objectives, *given))
    tolerance = TOLERANCE[precision]
    assert found == pytest.approx(expected(objectives), rel=tolerance, abs=tolerance / 10)
    assert not ON_CUDA or not torch._dynamo.utils.counters["inductor"]["cudagraph_skips"]


def test_cuda_graphs_sum_the_gradients_of_micro_batches(lexicon_bin, tmp_path, monkeypatch):
    norms = []
    for way in ((), ("--cuda-graphs",)):
        if not ON_CUDA:
            monkeypatch.setattr(graphs, "require", lambda *_: None)
            monkeypatch.setattr(graphs, "recorded", lambda: graphs._layers)
        trainer, batches = make_trainer(lexicon_bin, tmp_path, "mlm,tlm", "--autocast", "yes", "--clip-norm", 1, *way)
        for _ in range(2):  # the first update records, the second one replays
            with metrics.aggregate(new_root=True) as log:
                trainer.train_step([next(batches), next(batches), next(batches)])
            norms.append(log.get_smoothed_value("gnorm"))
    assert norms[:2] == pytest.approx(norms[2:], rel=0.02)


def test_half_precision_halves_its_scale_after_an_overflow_and_continues(lexicon_bin, tmp_path):
    trainer, batches = make_trainer(lexicon_bin, tmp_path, "mlm,tlm,dwa", "--fp16", "--fp16-init-scale", 2**24)
    for _ in range(30):
        trainer.train_step([next(batches)])
        if trainer.get_num_updates():
            break
    assert 0 < trainer.optimizer.scaler.loss_scale < 2**24 and trainer.get_num_updates() == 1
    assert all(parameter.isfinite().all() for parameter in trainer.model.parameters())


@pytest.mark.parametrize("precision", PRECISIONS)
def test_memory_does_not_grow_over_steps(lexicon_bin, tmp_path, precision):
    trainer, batches = make_trainer(lexicon_bin, tmp_path, "mlm,tlm,dwa", *in_precision(precision))
    batch = next(batches)
    used = []
    for _ in range(12):
        trainer.train_step([batch])
        gpu_device.wait()
        used.append(gpu_device.memory_in_use())
    assert max(used[4:]) - used[3] < 2**16


def fairseq_train(data, folder, *extra, **keywords):
    """fairseq-train on the device, in a new process, because a forked one could not use CUDA."""
    given = options(data, folder, *NO_DRAWS, *extra, **keywords)
    given = [option for option in given if option != "--cpu" or not ON_CUDA]
    return [str(Path(sys.executable).parent / given[0]), *map(str, given[1:])]


def output_of(*commands):
    """The outputs of commands that run in parallel."""
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for command in commands
    ]
    said = [process.communicate()[0] for process in running]
    for process, text in zip(running, said, strict=True):
        assert process.returncode == 0, text[-6000:]
    return said


@pytest.fixture(scope="module")
def whole(databin, tmp_path_factory):
    """A run of six updates with validation: its log and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    return output_of(fairseq_train(databin, folder, *SIX))[0], folder


def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(whole, databin, tmp_path):
    log, folder = whole
    (tmp_path / "cut").mkdir()
    (saved,) = folder.glob("checkpoint_*_3.pt")
    (tmp_path / "cut/checkpoint_last.pt").write_bytes(saved.read_bytes())
    uninterrupted, resumed = losses(log), losses(output_of(fairseq_train(databin, tmp_path / "cut", *SIX))[0])
    assert sorted(resumed) == [4, 5, 6]
    for update, values in resumed.items():
        # A GPU sums gradients of gathered states in any order.
        assert values == pytest.approx(uninterrupted[update], abs=0.02 if ON_CUDA else 0), update


def test_validation_gives_the_aer_of_the_cpu(whole, databin, tmp_path):
    found = validations(whole[0])[-1]
    command = [
        Path(sys.executable).parent / "fairseq-validate", databin, "--user-dir", Path(xalign_fairseq.__file__).parent,
        "--task", "xalign_pretraining", "--cpu", "--path", whole[1] / "checkpoint_last.pt", "--batch-size", 8,
        "--num-workers", 0, "--log-format", "json",
    ]  # fmt: skip
    on_cpu = validations(output_of([str(part) for part in command])[0])[-1]
    for name in ("aer", "aer_en-de", "aer_en-fr"):
        value = on_cpu.get(name, on_cpu.get(f"valid_{name}"))
        assert 0 < float(value) < 1 and float(found[f"valid_{name}"]) == pytest.approx(float(value), abs=0.03)


def test_two_processes_have_the_losses_of_one(databin, tmp_path):
    """With NCCL on two GPUs; with one GPU two processes share it and communicate through gloo."""
    extra = ("--max-update", 3, "--disable-validation", "--curriculum", 10, "--no-save", "--dwa-start-update", 0)
    two_gpus = ON_CUDA and torch.cuda.device_count() > 1
    both = ("--distributed-world-size", 2, "--distributed-init-method", f"file://{tmp_path}/init",
            "--distributed-no-spawn", "--distributed-backend", "nccl" if two_gpus else "gloo")  # fmt: skip
    each = [
        fairseq_train(databin, tmp_path / "two", *extra, *both, "--distributed-rank", rank, "--device-id",
                      rank if two_gpus else 0, batch=4)
        for rank in (0, 1)
    ]  # fmt: skip
    said = output_of(*each, fairseq_train(databin, tmp_path / "one", *extra, batch=8))
    two, one = losses(said[0]), losses(said[2])
    assert sorted(one) == sorted(two) == [1, 2, 3]
    for update, values in one.items():
        assert values == pytest.approx(two[update], abs=5e-3), update


def test_links_of_the_aligner_are_those_of_the_cpu(whole, sample):
    from xalign_fairseq.aligner.neural.aligner import Aligner

    text = [(sample / f"en-de/test.{language}").read_text().splitlines() for language in ("en", "de")]

    def links(device, dtype):
        aligner = Aligner.from_pretrained(whole[1] / "checkpoint_last.pt", device=device, dtype=dtype)
        return {(number, *link) for number, pair in enumerate(aligner.align(*text)) for link in pair.links}

    exact = links("cpu", "float32")
    assert len(exact) > 100
    for dtype, least in (("float32", 0.999), ("bfloat16", 0.97)):
        found = links(ON, dtype)
        assert 2 * len(found & exact) / (len(found) + len(exact)) >= least, dtype
