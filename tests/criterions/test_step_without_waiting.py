"""The host never waits for the device during a training step, whatever the objectives."""

import dataclasses

import pytest
import torch
from fairseq import utils
from support import gpu_device
from support.gpu_device import NoWaiting
from support.small import CONFIG, block, diagonal, pair
from support.trials import OWN, TASK, build_criterion, build_model

from xalign_fairseq.data.batches import collate

LENGTHS = ((5, 7), (3, 2), (6, 6), (4, 0), (1, 1))
MOCO = {"moco_queue_size": 8, "moco_queue_init": "random"}
# Option variants of objectives, in addition to the defaults.
OTHERS = (
    ("dict_mlm", {"dict_mlm_variant": "target"}),
    ("l2_align", {"l2_align_pooling": "mean"}),
    ("lexicon_align", {"lexicon_align_sample": 3}),
    ("linear_mapping", {"linear_mapping_pooling": "mean"}),
    ("moco", {**MOCO, "moco_pooling": "mean"}),
    ("moco", {**MOCO, "moco_queue_init": "data", "moco_keep_duplicates": True}),
    ("reg_param", {"reg_param_form": "norm"}),
    *(
        ("self_training", {"self_training_method": method})
        for method in ("softmax", "itermax", "transport", "released")
    ),
    ("word_contrastive", {"word_contrastive_mask_repeated": True, "word_contrastive_negatives": "strong"}),
    ("word_contrastive", {"word_contrastive_pooling": "mean", "word_contrastive_gather": True}),
    *(
        ("word_exchange", {"word_exchange_links": links, "word_exchange_unaligned": unaligned})
        for links in ("file", "self")
        for unaligned in ("exclude", "zero", "identity")
    ),
    ("word_exchange", {"word_exchange_subwords": "k-to-k", "word_exchange_many": "mean"}),
)
# Where the host waits, and why. With several workers, moco and a gathering word_contrastive also exchange numbers of
# rows; validation's AER counts words on the host.
WAITING = (("self_training", {"self_training_method": "match"}, "links are found on the host"),)
DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def build(name="xlm_align", update=20, device="cpu", dtype=torch.float32, config=CONFIG, **options):
    """Criterion, model and batch on a device; the objectives' copies of the encoder are taken."""
    criterion = build_criterion(name, TASK, **options).to(device)
    model = build_model(criterion, dtype, config).to(device)
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
    {"dwa_links_until": 100},
    {"loss_normalization": "per-objective"},
)
named = pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(map(str, options.values())) or "none")


@named
def test_the_step_of_xlm_align_never_waits(options, monkeypatch):
    prepared = build(**options)
    with NoWaiting(monkeypatch):
        step(*prepared)
    assert all(p.grad is not None for p in prepared[1].parameters() if p.requires_grad)


def defaults(name):
    """The options of an objective that its step needs here."""
    return MOCO if name == "moco" else {}


ways = pytest.mark.parametrize(
    ("name", "options"),
    [*((name, defaults(name)) for name in OWN), *OTHERS],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "default",
)


@ways
def test_no_objective_waits(name, options, monkeypatch):
    prepared = build(name, **options)
    step(*prepared)  # work of the first update only
    with NoWaiting(monkeypatch):
        step(*prepared)


@pytest.mark.parametrize(("name", "options", "why"), WAITING)
def test_known_waits_happen(name, options, why, monkeypatch):
    prepared = build(name, **options)
    step(*prepared)
    with NoWaiting(monkeypatch), pytest.raises(AssertionError, match="the host waits"):
        step(*prepared)


def step_on_gpu(*name, **options):
    """Do a second step, which must not wait: the first has loaded the kernels."""
    # Heads of 32, because fused attention in 16 bits needs multiples of 8.
    config = dataclasses.replace(CONFIG, encoder_embed_dim=64, encoder_ffn_embed_dim=128)
    prepared = build(*name, device=gpu_device.ON, config=config, **options)
    step(*prepared)
    with gpu_device.no_waiting():
        step(*prepared)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@named
def test_the_step_does_not_synchronise_a_gpu(options, dtype):
    step_on_gpu(dtype=dtype, **options)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES[:2])
@ways
def test_no_objective_synchronises_a_gpu(name, options, dtype):
    step_on_gpu(name, dtype=dtype, **options)


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "options", "why"), WAITING)
def test_known_waits_synchronise_a_gpu(name, options, why, request):
    request.applymarker(pytest.mark.xfail(reason=why, strict=True))
    step_on_gpu(name, **options)
