import copy
from types import SimpleNamespace

import pytest
import torch
from support.processes import run_workers
from support.small import CONFIG, block, diagonal, pair
from support.trials import BACKENDS, make_trainer

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.tasks.heads_start import HeadsStart
from xalign_fairseq.trainer.optim.adamw import FoldedAdamW
from xalign_fairseq.training.headed import HeadedEncoder


def body(model):
    return list(model.encoder.sentence_encoder.parameters())


def options(**given):
    plain = {"fp16": False, "bf16": False, "memory_efficient_fp16": False, "memory_efficient_bf16": False}
    start = {"freeze_encoder_updates": 0, "heads_lr": None, "lr": [1e-2], "ddp_backend": "pytorch_ddp"}
    return SimpleNamespace(**{**plain, **start, **given})


def small():
    torch.manual_seed(0)
    model = HeadedEncoder(Encoder(CONFIG)).double()
    model.attach_head("one", torch.nn.Linear(8, 8))
    return model


def fill(model, seed):
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)


def step_both(start, grouped, one):
    """Four updates with the same gradients: of a model whose optimizer has groups, and of one with stretched heads."""
    for update in range(4):
        for model, _ in (grouped, one):
            fill(model, update)
        grouped[1].step()
        with start.step(one[0], update):
            one[1].step()


@pytest.mark.parametrize(
    "build",
    [
        lambda groups: torch.optim.SGD(groups, lr=1e-2),
        lambda groups: torch.optim.AdamW(groups, lr=1e-2, weight_decay=0.1),
        lambda groups: FoldedAdamW(groups, lr=1e-2, weight_decay=0.1),
    ],
    ids=["sgd", "adamw", "xalign_adamw"],
)
def test_a_separate_rate_equals_that_of_a_parameter_group(build):
    grouped, one = small(), small()
    heads = list(grouped.heads.parameters())
    rest = list(grouped.encoder.parameters())
    expected, optimizer = build([{"params": rest}, {"params": heads, "lr": 0.3}]), build(list(one.parameters()))
    step_both(HeadsStart(options(heads_lr=0.3)), (grouped, expected), (one, optimizer))
    for ours, theirs in zip(one.parameters(), grouped.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_half_precision_rounds_a_step_once_it_is_stretched(kind):
    grouped, one = small().to(kind), small().to(kind)
    heads, rest = list(grouped.heads.parameters()), list(grouped.encoder.parameters())
    expected = FoldedAdamW([{"params": rest}, {"params": heads, "lr": 1e-2}], lr=1e-5)
    optimizer = FoldedAdamW(one.parameters(), lr=1e-5)
    start = HeadsStart(options(lr=[1e-5], heads_lr=1e-2, bf16=True, memory_efficient_bf16=True))
    begun = copy.deepcopy(one.heads["one"].weight)
    step_both(start, (grouped, expected), (one, optimizer))
    assert all(each.dtype == each.grad.dtype == kind for each in one.parameters())
    assert not torch.equal(one.heads["one"].weight, begun)
    for ours, theirs in zip(one.parameters(), grouped.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2 * torch.finfo(kind).eps, atol=0)


def test_a_frozen_encoder_has_neither_updates_nor_moments():
    model, start = small(), HeadsStart(options(freeze_encoder_updates=2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    begun = copy.deepcopy(model)
    for update in range(3):
        fill(model, update)
        with start.step(model, update):
            optimizer.step()
        waits = update < 2
        assert all(torch.equal(now, then) == waits for now, then in zip(body(model), body(begun), strict=True))
        assert not torch.equal(model.heads["one"].weight, begun.heads["one"].weight)
        assert not torch.equal(model.encoder.lm_head.dense.weight, begun.encoder.lm_head.dense.weight)
        assert all((each in optimizer.state) != waits for each in body(model))


def test_frozen_passes_have_no_gradient():
    model = small()
    model.frozen_updates = 3
    tokens = torch.tensor([[0, 5, 6, 2]])
    for update, frozen in ((0, True), (2, True), (3, False)):
        model.num_updates = update
        hidden, idle = model.run(lambda encoder: (encoder.states(tokens).layer(-1), encoder.idle()))
        assert hidden.requires_grad != frozen
        assert torch.equal(idle, torch.zeros_like(idle)) and idle.requires_grad == frozen  # wrappers wait for it
    model.num_updates = 0
    assert model.eval().run(lambda encoder: encoder.states(tokens).layer(-1)).requires_grad


def norms(rank):
    """With fairseq's trainer: the norm that it clips, and the norm of the gradients of the step, in three updates."""
    found = {}
    for backend in BACKENDS:
        trainer = make_trainer(backend, rank, 2, "joint", {"objectives": "mlm,tlm,dwa", "dwa_start_update": 0})
        trainer.task.heads_start = HeadsStart(options(freeze_encoder_updates=2))
        trainer.get_model().frozen_updates = 2
        batches = [collate([pair(n, 4, diagonal(n, 4), seed=rank)], [block(n + rank)]) for n in (3, 5)]
        clip, clipped = trainer.optimizer.clip_grad_norm, []
        trainer.optimizer.clip_grad_norm = lambda *args, clip=clip, kept=clipped, **kwargs: (
            kept.append(clip(*args, **kwargs)) or kept[-1]
        )
        stepped = []
        for _ in range(3):
            trainer.train_step(list(batches))
            gradients = [each.grad for each in trainer.get_model().parameters() if each.grad is not None]
            stepped.append(torch.cat([each.flatten() for each in gradients]).norm())
        found[backend] = torch.stack(clipped), torch.stack(stepped)
    return found


@pytest.mark.slow  # trains
def test_the_clipped_norm_is_that_of_the_steps_gradients(tmp_path):
    for found in run_workers(norms, 2, tmp_path):
        for clipped, stepped in found.values():
            torch.testing.assert_close(clipped, stepped, rtol=1e-5, atol=0)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"freeze_encoder_updates": -1}, "freeze_encoder_updates"),
        ({"heads_lr": 0.0}, "heads_lr"),
        ({"heads_lr": 1.0, "lr": [0.0]}, "where: lr"),
        ({"heads_lr": 1.0, "fp16": True}, ", fp16"),
        ({"freeze_encoder_updates": 1, "ddp_backend": "fully_sharded"}, ", ddp_backend"),
    ],
)
def test_impossible_options_are_an_error(given, named):
    with pytest.raises(XalignError, match=named):
        HeadsStart(options(**given))
    HeadsStart(options(fp16=True))  # without either option it is allowed
