import copy

import pytest
import torch
import torch.distributed as dist
from fairseq import optim
from fairseq.distributed.legacy_distributed_data_parallel import LegacyDistributedDataParallel
from fairseq.nan_detector import NanDetector
from fairseq.optim import FP16Optimizer
from support.half_precision import PRECISIONS, config, network
from support.processes import run_workers
from torch.nn.parallel import DistributedDataParallel

import xalign_fairseq
from xalign_fairseq.trainer.optim.registered import HalfPrecision, XalignAdamW

xalign_fairseq.register()


def is_half(common):
    return "fp16" in common or "bf16" in common


def build(name, model, **common):
    """As fairseq's trainer does."""
    cfg, params = config(name, **common), list(model.parameters())
    if cfg.common.memory_efficient_fp16 or cfg.common.memory_efficient_bf16:
        return optim.MemoryEfficientFP16Optimizer.build_optimizer(cfg, params)
    if cfg.common.fp16 or cfg.common.bf16:
        return HalfPrecision.build_optimizer(cfg, params)
    return optim.build_optimizer(cfg.optimizer, params)


def update(optimizer, model, number, max_norm=0.5, parts=1):
    """One update of fairseq's trainer with several micro-batches: loss and gradient norm."""
    optimizer.zero_grad()
    total = 0.0
    for part in torch.arange(12).add(number).remainder(20).chunk(parts):
        loss = (model(part).float() - part[:, None] / 10).square().sum()
        optimizer.backward(loss)
        total += loss.item()
    optimizer.all_reduce_grads(model)
    optimizer.multiply_grads(1 / 12)
    norm = optimizer.clip_grad_norm(max_norm)
    optimizer.step()
    return total, float(norm)


def curve(name, updates, common, **how):
    model = network(**common)
    optimizer = build(name, model, **common)
    return torch.tensor([update(optimizer, model, number, **how) for number in range(updates)]), model, optimizer


@pytest.mark.parametrize("common", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("max_norm", [0.0, 0.5])
def test_updates_are_those_of_fairseq_s_adam_in_every_precision(common, max_norm):
    (mine, first, _), (theirs, second, _) = (
        curve(name, 30, common, max_norm=max_norm) for name in ("xalign_adamw", "adam")
    )
    half = is_half(common)
    torch.testing.assert_close(mine, theirs, rtol=2e-2 if half else 1e-4, atol=2e-2 if half else 1e-5)
    torch.testing.assert_close(mine[:2], theirs[:2], rtol=1e-3 if half else 1e-5, atol=1e-5)
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-1 if half else 1e-3, atol=1e-2 if half else 1e-4)
    assert theirs[-1, 0] < theirs[0, 0]


@pytest.mark.parametrize("common", PRECISIONS.values(), ids=PRECISIONS)
def test_a_resumed_run_is_the_uninterrupted_one_bit_by_bit(common, tmp_path):
    whole, expected, _ = curve("xalign_adamw", 7, common)
    _, model, optimizer = curve("xalign_adamw", 3, common)
    # fairseq resumes from a checkpoint's half-precision weights.
    torch.save((model.state_dict(), optimizer.state_dict()), tmp_path / "checkpoint.pt")
    saved, state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    resumed = network(**common)
    resumed.load_state_dict(saved)
    optimizer = build("xalign_adamw", resumed, **common)
    optimizer.load_state_dict(state)
    after = torch.tensor([update(optimizer, resumed, number) for number in range(3, 7)])
    exact = not is_half(common) or any(name.startswith("memory_efficient") for name in common)
    torch.testing.assert_close(after, whole[3:], rtol=0 if exact else 0.05, atol=0 if exact else 0.05)
    if exact:
        assert all(one.equal(other) for one, other in zip(resumed.parameters(), expected.parameters(), strict=True))


@pytest.mark.parametrize("common", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("names", [("adam", "xalign_adamw"), ("xalign_adamw", "adam")])
def test_each_resumes_from_the_other_s_state(common, names):
    whole, _, _ = curve(names[0], 6, common)
    _, model, optimizer = curve(names[0], 3, common)
    state = copy.deepcopy(optimizer.state_dict())
    other = build(names[1], model, **common)
    other.load_state_dict(state)
    after = torch.tensor([update(other, model, number) for number in range(3, 6)])
    torch.testing.assert_close(
        after, whole[3:], rtol=5e-2 if is_half(common) else 1e-4, atol=5e-2 if is_half(common) else 1e-5
    )


def test_micro_batches_of_an_update_are_summed_sparse_gradients_too():
    for sparse in (False, True):
        curves = []
        for parts in (1, 3):
            model = network()
            model[0].sparse = sparse
            optimizer = build("xalign_adamw", model)
            curves.append(torch.tensor([update(optimizer, model, number, parts=parts) for number in range(5)]))
            assert model[0].weight.grad.is_sparse == sparse
        torch.testing.assert_close(*curves, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("flag", ["fp16", "bf16"])
def test_memory_efficient_half_precision_steps_rows(flag):
    common = {flag: True, f"memory_efficient_{flag}": True}
    model = network(**common)
    model[0].sparse = True
    optimizer = build("xalign_adamw", model, **common)
    before = model[0].weight.detach().clone()
    losses = [update(optimizer, model, 0)[0] for _ in range(20)]
    moved = (model[0].weight != before).any(1)
    assert moved[:12].all() and not moved[12:].any() and losses[-1] < losses[0]


def test_an_overflow_leaves_no_factor_behind():
    common = PRECISIONS["memory-efficient fp16"]
    model = network(**common)
    optimizer = build("xalign_adamw", model, **common)
    optimizer.zero_grad()
    optimizer.backward(model(torch.tensor([1])).float().sum() * float("inf"))
    optimizer.multiply_grads(1 / 12)
    with pytest.raises(OverflowError):
        optimizer.clip_grad_norm(0.5)
    optimizer.zero_grad()
    assert optimizer.optimizer.factor == 1
    optimizer.backward(model(torch.tensor([1])).float().sum())
    expected = torch.cat([p.grad.flatten() for p in model.parameters()]).float().norm() / optimizer.scaler.loss_scale
    assert float(optimizer.clip_grad_norm(0.0)) == pytest.approx(float(expected), rel=1e-3)


def test_the_detector_of_nans_reads_sparse_gradients():
    model = network()
    model[0].sparse = True
    with NanDetector(model):
        model(torch.tensor([1, 2])).sum().backward()


def test_options_come_from_the_command_line():
    from fairseq import options

    parser = options.get_training_parser()
    line = ["data", "--task", "xalign_pretraining", "--arch", "xalign_tiny", "--criterion", "xlm_align"]
    line += ["--optimizer", "xalign_adamw", "--adam-betas", "(0.8, 0.9)", "--adam-eps", "1e-6", "--weight-decay", "0.1"]
    found = options.parse_args_and_arch(parser, input_args=[*line, "--lr", "0.5"])
    optimizer = optim.build_optimizer(found, [torch.nn.Parameter(torch.ones(1))])
    assert isinstance(optimizer, XalignAdamW)
    (group,) = optimizer.param_groups
    assert (group["betas"], group["eps"], group["weight_decay"], group["lr"]) == ((0.8, 0.9), 1e-6, 0.1, 0.5)


def work(rank):
    """Losses of this worker, norms and weights with either wrapper of fairseq's."""
    results = {}
    for backend in ("legacy_ddp", "c10d"):
        model = network()
        wrapped = (
            LegacyDistributedDataParallel(model, dist.group.WORLD)
            if backend == "legacy_ddp"
            else DistributedDataParallel(model)
        )
        optimizer = build("xalign_adamw", model)
        norms = []
        for number in range(4):
            optimizer.zero_grad()
            mine = torch.arange(12).add(number).remainder(20).chunk(2)[rank]
            optimizer.backward((wrapped(mine) - mine[:, None] / 10).square().sum())
            optimizer.all_reduce_grads(wrapped)
            optimizer.multiply_grads(2 / 12)
            norms.append(optimizer.clip_grad_norm(0.5))
            optimizer.step()
        results[backend] = torch.stack(norms), [p.detach() for p in model.parameters()]
    return results


def test_two_processes_make_the_updates_of_one(tmp_path):
    first, second = run_workers(work, 2, tmp_path)
    one, model, _ = curve("xalign_adamw", 4, {})
    for backend, (norms, weights) in first.items():
        assert norms.equal(second[backend][0])  # the trainer compares them
        torch.testing.assert_close(norms, one[:, 1], rtol=1e-5, atol=1e-6)
        for mine, theirs, expected in zip(weights, second[backend][1], model.parameters(), strict=True):
            assert mine.equal(theirs)
            torch.testing.assert_close(mine, expected.detach(), rtol=1e-4, atol=1e-5)


xalign_fairseq.register()

WITH_COPIES = {name: PRECISIONS[name] for name in ("fp16", "fp16, not flat", "bf16")}
either = pytest.mark.parametrize("common", WITH_COPIES.values(), ids=WITH_COPIES)


def steps(cls, common, name="xalign_adamw", frozen=()):
    """Norms, weights and loss scales of updates that leave a layer without gradient, overflow, and lack a backward."""
    model = network(**common)
    for number in frozen:
        model[number].requires_grad_(False)
    optimizer = cls.build_optimizer(config(name, **common), list(model.parameters()))
    found = []
    for number in range(12):
        optimizer.zero_grad()
        if number != 7:
            hidden = model[0](torch.arange(12).add(number).remainder(20))
            made = hidden if number == 3 else model[1:](hidden)
            optimizer.backward(made.float().square().sum() * (1e30 if number == 5 and "fp16" in common else 1))
        optimizer.multiply_grads(1 / torch.tensor(12.0))
        try:
            found.append(optimizer.clip_grad_norm(0.5).clone())
        except OverflowError:
            found.append(torch.tensor(torch.inf))
            continue
        optimizer.step()
    weights = [p.detach().clone() for p in model.parameters()]
    return torch.stack(found), weights, getattr(optimizer.scaler, "loss_scale", None), optimizer.state_dict()


@either
@pytest.mark.parametrize("name", ["xalign_adamw", "adam"])
def test_updates_are_fairseq_s_bit_by_bit(common, name):
    (norms, weights, scale, _), (expected, others, other_scale, _) = (
        steps(cls, common, name) for cls in (HalfPrecision, FP16Optimizer)
    )
    assert norms.equal(expected) and scale == other_scale
    assert norms.isinf().any() == ("fp16" in common) and norms[7] == 0
    assert all(one.equal(other) for one, other in zip(weights, others, strict=True))
