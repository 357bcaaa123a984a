"""The host never waits for the device during a training step of XLM-Align."""

import pytest
import torch
from fairseq import utils
from small import block, diagonal, pair
from torch.utils._python_dispatch import TorchDispatchMode
from trials import Task, build_criterion, build_model

from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.lexicon import Lexicon

aten = torch.ops.aten
TASK = Task(lexicons=[Lexicon("aa", "bb", [5, 6], [1, 1], [40, 41], [1, 1], [0, 0])])
LENGTHS = ((5, 7), (3, 2), (6, 6), (4, 0), (1, 1))
# Reading a value; shapes that hang on values; tensors made of values of the host, whose copy is waited for.
READING = {aten._local_scalar_dense, aten.equal, aten.is_nonzero}
SHAPED_BY_VALUES = {
    aten.nonzero, aten.masked_select, aten.bincount, aten.repeat_interleave, aten.unique_dim, aten.unique_consecutive,
    aten._unique, aten._unique2,
}  # fmt: skip
FROM_THE_HOST = {aten.lift_fresh, aten.lift_fresh_copy}
REFUSED = READING | SHAPED_BY_VALUES | FROM_THE_HOST


class NoWaiting(TorchDispatchMode):
    """Refuses what would wait on a device, on the CPU, where nothing does; backward passes included."""

    def __init__(self, patch):
        super().__init__()
        for name in ("tolist", "cpu", "numpy", "cuda"):  # on the CPU no operator runs for these

            def refuse(*_, name=name, **__):
                raise AssertionError(f"the host waits: Tensor.{name}")

            patch.setattr(torch.Tensor, name, refuse)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        indexing = func.overloadpacket in (aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_)
        by_mask = indexing and any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in args[1])
        if func.overloadpacket in REFUSED or by_mask:
            raise AssertionError(f"the host waits: {func}")
        return func(*args, **(kwargs or {}))


def build(name="xlm_align", update=20, device="cpu", **options):
    """Criterion, model and batch on a device, with the copies of the encoder that objectives take already taken."""
    criterion = build_criterion(name, TASK, **options)
    model = build_model(criterion, torch.float32).to(device)
    sample = collate([pair(n, m, diagonal(n, m)) for n, m in LENGTHS], [block(1), block(2)])
    sample = utils.apply_to_sample(lambda tensor: tensor.to(device), sample)
    model.set_num_updates(update)
    return criterion, model, sample


def step(criterion, model, sample):
    loss, *_ = criterion(model, sample)
    loss.backward()


VARIANTS = (
    {},
    {"dwa_queries": "unmasked"},
    {"dwa_queries": "all-aligned"},
    {"dwa_label_by": "pointer"},
    {"dwa_method": "ot-unbalanced"},
    {"dwa_links_until": 100},  # in this update own labels are compared with the prepared ones
    {"loss_normalization": "per-objective"},
)
named = pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(map(str, options.values())) or "none")


@named
def test_the_step_of_xlm_align_never_waits(options, monkeypatch):
    prepared = build(**options)
    with NoWaiting(monkeypatch):
        step(*prepared)
    assert all(p.grad is not None for p in prepared[1].parameters() if p.requires_grad)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in ("sentence_mlm", "dict_mlm", "lexicon_align", "l2_align", "xlm", "ot_align")),
        ("ot_align", {"ot_align_marginals": "attention", "ot_align_encoding": "joint"}),
        ("ot_align", {"ot_align_dustbin": 0.5}),
        ("ot_align", {"ot_align_iterations": 100}),
    ],
)
def test_other_objectives_never_wait(name, options, monkeypatch):
    prepared = build(name, **options)
    step(*prepared)
    with NoWaiting(monkeypatch):
        step(*prepared)


def test_the_state_of_bootstrapping_is_read_once_between_comparisons(monkeypatch):
    prepared = build(update=21, dwa_links_agreement=0.9)
    with NoWaiting(monkeypatch), pytest.raises(AssertionError, match="_local_scalar_dense"):
        step(*prepared)
    monkeypatch.undo()
    step(*prepared)
    with NoWaiting(monkeypatch):
        step(*prepared)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@named
def test_the_step_does_not_synchronise_a_gpu(options):
    prepared = build(device="cuda", **options)
    step(*prepared)  # kernels are loaded
    torch.cuda.set_sync_debug_mode("error")
    try:
        step(*prepared)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x[0].item(), lambda x: float(x[0]), lambda x: bool(x.any()), lambda x: x.tolist(), lambda x: x.cpu(),
        lambda x: x.numpy(), lambda x: x[x > 1], lambda x: x.nonzero(), lambda x: torch.where(x > 1), torch.unique,
        lambda x: x.masked_select(x > 1), lambda x: x.index_put((x > 1,), x[:1]), lambda x: x.new_tensor(3),
        lambda x: x.repeat_interleave(x.long()), lambda x: range(int(x.max())), lambda x: torch.tensor([3]),
    ],
)  # fmt: skip
def test_what_waits_is_noticed(call, monkeypatch):
    x = torch.arange(3.0)
    with NoWaiting(monkeypatch), pytest.raises(AssertionError, match="the host waits"):
        call(x)
