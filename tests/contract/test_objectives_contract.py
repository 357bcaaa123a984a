"""What holds for every registered objective, this package's and the tutorial's."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import xalign_fairseq

xalign_fairseq.register()

from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY  # noqa: E402

from xalign_fairseq.data.batches import Batch, collate  # noqa: E402
from xalign_fairseq.data.lexicon import Lexicon  # noqa: E402
from xalign_fairseq.data.masking import MaskOptions  # noqa: E402
from xalign_fairseq.data.samples import GoldLinks, block_sample, pair_sample, subword_partners  # noqa: E402
from xalign_fairseq.data.streams import Pair  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.model import XalignModel  # noqa: E402
from xalign_fairseq.objectives.registry import OBJECTIVES  # noqa: E402

TUTORIAL = Path(__file__).parents[2] / "examples/new_objective"
if "new_objective" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "new_objective", TUTORIAL / "__init__.py", submodule_search_locations=[str(TUTORIAL)]
    )
    sys.modules["new_objective"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["new_objective"])

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=16, encoder_ffn_embed_dim=32, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.3)
LENGTHS = ((5, 7), (3, 2), (6, 6), (1, 1))
NAMES = sorted(OBJECTIVES)
# Entries of one and of several subwords, one of them held out.
LEXICON = Lexicon("aa", "bb", [5, 6, 7, 8, 9], [1, 1, 2, 1], [40, 41, 42, 43, 44, 45], [1, 2, 1, 2], [0, 0, 0, 1])
TASK = type(
    "Task",
    (),
    {
        "pair_names": ["aa-bb"],
        "languages": ("aa", "bb"),
        "all_languages": ("aa", "bb"),
        "pivot": "aa",
        "has_master_weights": False,
        "lexicons": [LEXICON],
        "seed": 1,
    },
)()
# Objectives whose loss of a batch is not the sum of its examples' losses, and why.
NO_SUMS = {
    "lexicon_align": "it reads the lexicon, whatever the batch",
    "moco": "the queue's negatives stand beside each example",
    "reg_param": "it reads the parameters, whatever the batch",
    "word_contrastive": "negatives are the batch's other words",
}
# A queue that is used at once; it is full after a hundred pairs otherwise.
OPTIONS = {"moco": {"moco_queue_size": 8, "moco_queue_init": "random"}}


def pair(n, m, seed, links=True):
    rng = np.random.default_rng((seed, n, m))
    sample = pair_sample(Pair(0, rng.integers(4, 58, n), rng.integers(4, 58, m)), rng, MASK)
    sample.langs = (0, 1) if n % 2 else (1, 0)
    if links:
        sample.gold = GoldLinks(np.arange(n), np.arange(m), np.array([[k, k, 1] for k in range(min(n, m))]))
        sample.partner = subword_partners(sample.gold, sample.span, len(sample.tokens))
    return sample


def block(seed):
    rng = np.random.default_rng(seed)
    return block_sample(rng.integers(4, 58, 11), rng, MASK)


def batch(lengths=LENGTHS, links=True):
    return collate([pair(n, m, 1, links) for n, m in lengths], [block(seed) for seed in range(len(lengths))])


def options(name, **more):
    made = CRITERION_DATACLASS_REGISTRY[name]()
    for option, value in {**OPTIONS.get(name, {}), **more}.items():
        setattr(made, option, value)
    return made


def build(name, seed=0, **more):
    torch.manual_seed(seed)
    model = XalignModel(CONFIG).double()
    criterion = CRITERION_REGISTRY[name].build_criterion(options(name, **more), TASK)
    criterion.attach_heads(model)
    model.set_num_updates(4)
    criterion(model, batch(((4, 4), (3, 5))))  # copies of the encoder are taken
    with torch.no_grad():  # and the encoder has moved on
        for parameter in model.encoder.parameters():
            parameter += 0.01 * torch.randn_like(parameter)
    model.set_num_updates(5)
    return model, criterion


def run(name, sample, model=None, criterion=None):
    if model is None:
        model, criterion = build(name)
    model.zero_grad()
    loss, size, logs = criterion(model, sample)
    loss.backward()
    gradient = {key: p.grad for key, p in model.named_parameters() if p.grad is not None}
    return loss.item(), int(size), logs, gradient


@pytest.mark.parametrize("name", NAMES)
def test_it_trains_what_it_touches(name):
    loss, size, logs, gradient = run(name, batch())
    assert loss > 0 and size > 0
    assert all(torch.isfinite(g).all() for g in gradient.values())
    cls = OBJECTIVES[name]
    part = "embed_tokens" if cls.needs == ("lexicon",) else "layers.0"
    where = "heads." if cls.freezes_encoder else f"encoder.sentence_encoder.{part}"
    assert any(g.abs().sum() > 0 for key, g in gradient.items() if key.startswith(where))
    for stat in ("loss", *OBJECTIVES[name].stats):
        assert f"{name}/{stat}/sum" in logs and f"{name}/{stat}/count" in logs


@pytest.mark.parametrize("name", NAMES)
def test_every_trainable_parameter_gets_a_gradient(name):
    # Otherwise distributed wrappers wait for it for ever.
    model, criterion = build(name)
    run(name, batch(), model, criterion)
    assert [key for key, p in model.named_parameters() if p.requires_grad and p.grad is None] == []


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(OBJECTIVES[name].config_class(), "layer")])
def test_layers_that_no_objective_reads_get_a_gradient_of_zero(name, layer):
    model, criterion = build(name, **{f"{name}_layer": layer})
    *_, gradient = run(name, batch(), model, criterion)
    assert [key for key, p in model.named_parameters() if p.requires_grad and key not in gradient] == []
    above = [g for key, g in gradient.items() if f"sentence_encoder.layers.{layer}." in key]
    assert above and not any(g.any() for g in above)


@pytest.mark.parametrize("name", NAMES)
def test_order_of_the_batch_does_not_matter(name):
    first = run(name, batch(LENGTHS))
    second = run(name, batch(LENGTHS[::-1]))
    assert first[0] == pytest.approx(second[0], rel=1e-10)
    assert all(torch.allclose(first[3][key], second[3][key], atol=1e-10) for key in first[3])


@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_SUMS.keys()))
def test_a_batch_is_the_sum_of_its_parts(name):
    whole = run(name, batch(LENGTHS))
    parts = [run(name, collate([pair(*LENGTHS[k], 1)], [block(k)])) for k in range(len(LENGTHS))]
    assert whole[0] == pytest.approx(sum(part[0] for part in parts), rel=1e-7)
    assert whole[1] == sum(part[1] for part in parts)
    for key, gradient in whole[3].items():
        assert torch.allclose(gradient, sum(part[3][key] for part in parts if key in part[3]), atol=1e-7), key


@pytest.mark.parametrize("name", NAMES)
def test_pairs_without_links_or_with_an_empty_side_are_no_trouble(name):
    sample = collate([pair(4, 3, 1, links=False), pair(3, 0, 1, links=False), pair(0, 0, 1, links=False)], [block(0)])
    loss, _, _, gradient = run(name, sample)
    assert np.isfinite(loss) and all(torch.isfinite(g).all() for g in gradient.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_validation_batch_without_its_stream_logs_the_same_keys(name):
    model, criterion = build(name)
    model.eval()
    with torch.no_grad():
        full = criterion(model, batch())[2]
        pairs_only = criterion(model, collate([pair(3, 4, 1)], []))[2]
        blocks_only = criterion(model, collate([], [block(0)]))[2]
    assert full.keys() == pairs_only.keys() == blocks_only.keys()


@pytest.mark.parametrize("name", NAMES)
def test_heads_survive_a_checkpoint(name):
    model, criterion = build(name)
    other, _ = build(name, seed=1)
    other.load_state_dict(model.state_dict())
    assert run(name, batch(), model, criterion)[0] == run(name, batch(), other, criterion)[0]
    fresh = XalignModel(CONFIG).double()  # heads arrive before their objective does
    fresh.load_state_dict(model.state_dict())
    criterion.attach_heads(fresh)
    fresh.set_num_updates(5)
    assert run(name, batch(), fresh, criterion)[0] == run(name, batch(), model, criterion)[0]


@pytest.mark.parametrize("name", NAMES)
def test_options_follow_from_the_registration(name):
    assert getattr(CRITERION_DATACLASS_REGISTRY["weighted"](), f"{name}_weight") == 1.0
    assert CRITERION_DATACLASS_REGISTRY[name]().objectives == name


@pytest.mark.parametrize("name", NAMES)
def test_weight_scales_the_loss_and_zero_removes_the_objective(name):
    from xalign_fairseq.errors import XalignError

    once, twice = (run(name, batch(), *build(name, **{f"{name}_weight": weight})) for weight in (1.0, 2.0))
    assert twice[0] == pytest.approx(2 * once[0])
    with pytest.raises(XalignError, match="weight"):
        CRITERION_REGISTRY[name].build_criterion(options(name, **{f"{name}_weight": 0.0}), TASK)


def test_batches_reach_objectives_typed():
    view = Batch.from_sample(batch())
    assert view.bitext.spans.shape == (4, 4) and view.mono.masked.shape == (4, 12)
