"""Rules for every registered objective, this package's and the tutorial's."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from support.small import CONFIG, block, diagonal, move, pair
from support.trials import TASK, Trial, build_criterion

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.models.xalign import XalignModel
from xalign_fairseq.objectives.registry import OBJECTIVES, options_of

TUTORIAL = Path(__file__).parents[2] / "examples/new_objective"
if "new_objective" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "new_objective", TUTORIAL / "__init__.py", submodule_search_locations=[str(TUTORIAL)]
    )
    sys.modules["new_objective"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["new_objective"])

LENGTHS = ((5, 7), (3, 2), (6, 6), (1, 1))
NAMES = sorted(OBJECTIVES)
# Objective -> why its loss of a batch is not the sum of its examples' losses.
NO_SUMS = {
    "lexicon_align": "it reads the lexicon, whatever the batch",
    "moco": "each example is compared with the queue's negatives",
    "psi": "sources are also paired with targets of other pairs",
    "reg_param": "it reads the parameters, whatever the batch",
    "word_contrastive": "negatives are the batch's other words",
}
# Objectives that predict at the model's own links, which are unknown until it has run.
MODEL_COUNTS = ("cosine_pull", "dwa", "self_training")
# A queue for immediate use; by default it is full only after a hundred pairs.
OPTIONS = {"moco": {"moco_queue_size": 8, "moco_queue_init": "random"}}


def sample(n, m, links=True):
    return pair(n, m, diagonal(n, m) if links else None, langs=(0, 1) if n % 2 else (1, 0), seed=1)


def batch(lengths=LENGTHS, links=True):
    return collate([sample(n, m, links) for n, m in lengths], [block(seed) for seed in range(len(lengths))])


def build_one(name, **options):
    return build_criterion(name, TASK, **{**OPTIONS.get(name, {}), **options})


def build(name, seed=0, **more):
    torch.manual_seed(seed)
    model = XalignModel(CONFIG).double()
    criterion = build_one(name, **more)
    criterion.attach_heads(model)
    model.set_num_updates(4)
    criterion(model, batch(((4, 4), (3, 5))))  # makes copies of the encoder
    move(model.encoder, 0.01)  # away from its copies
    model.set_num_updates(5)
    return model, criterion


def run(name, given, model=None, criterion=None):
    if model is None:
        model, criterion = build(name)
    model.zero_grad()
    loss, size, logs = criterion(model, given)
    loss.backward()
    gradient = {key: p.grad for key, p in model.named_parameters() if p.grad is not None}
    return loss.item(), int(size), logs, gradient


@pytest.mark.parametrize("name", NAMES)
def test_it_trains_the_parameters_that_it_uses(name):
    model, criterion = build(name)
    loss, size, logs, gradient = run(name, batch(), model, criterion)
    assert loss > 0 and size > 0
    # Distributed wrappers would wait forever for a parameter without one.
    assert [key for key, p in model.named_parameters() if p.requires_grad and p.grad is None] == []
    assert all(torch.isfinite(g).all() for g in gradient.values())
    traits = OBJECTIVES[name].traits
    part = "embed_tokens" if traits.needs == ("lexicon",) else "layers.0"
    where = "heads." if traits.freezes_encoder else f"encoder.sentence_encoder.{part}"
    assert any(g.abs().sum() > 0 for key, g in gradient.items() if key.startswith(where))
    for stat in ("loss", *traits.stats):
        assert f"{name}/{stat}/sum" in logs and f"{name}/{stat}/count" in logs


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("links", [True, False])
def test_counts_ahead_equal_the_predictions(name, links):
    model, criterion = build(name)
    objective = criterion.active[0]
    given = collate([sample(n, m, links) for n, m in (*LENGTHS, (4, 0))], [block(0), block(1)])
    _, size, *_ = run(name, given, model, criterion)
    if objective.traits.counts_ahead:
        assert objective.count(Batch.from_sample(given)) == size
    else:
        assert name in MODEL_COUNTS


@pytest.mark.parametrize("name", NAMES)
def test_every_trainable_parameter_gets_a_gradient_where_the_batch_lacks_a_stream(name):
    for given in (collate([sample(3, 4)], []), collate([], [block(0)])):
        model, criterion = build(name)
        run(name, given, model, criterion)
        assert [key for key, p in model.named_parameters() if p.requires_grad and p.grad is None] == []


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(OBJECTIVES[name], "layer")])
def test_layers_that_no_objective_reads_get_a_gradient_of_zero(name, layer):
    model, criterion = build(name, **{f"{name}_layer": layer})
    *_, gradient = run(name, batch(), model, criterion)
    assert [key for key, p in model.named_parameters() if p.requires_grad and key not in gradient] == []
    above = [g for key, g in gradient.items() if f"sentence_encoder.layers.{layer}." in key]
    assert above and not any(g.any() for g in above)


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_what_it_announces(name, monkeypatch):
    # A layer that is announced but not read would run for nothing.
    model, criterion = build(name)
    announced, read = {}, {}
    expect, opened = StepEncoder.expect, StepEncoder.states

    def expecting(self, reads, **options):
        reads = list(reads)
        if not options.get("labelling"):
            announced.update({id(given.tokens): self.config.resolve_layer(layer) for given, layer in reads})
        expect(self, reads, **options)

    def states(self, given, *, labelling=False):
        found = opened(self, given, labelling=labelling)
        if not labelling:
            read[id(given.tokens)] = found
        return found

    monkeypatch.setattr(StepEncoder, "expect", expecting)
    monkeypatch.setattr(StepEncoder, "states", states)
    run(name, batch(), model, criterion)
    assert announced.items() <= {tokens: found.reached for tokens, found in read.items()}.items()


@pytest.mark.parametrize("name", NAMES)
def test_order_of_the_batch_does_not_matter(name):
    first = run(name, batch(LENGTHS))
    second = run(name, batch(LENGTHS[::-1]))
    assert first[0] == pytest.approx(second[0], rel=1e-10)
    assert all(torch.allclose(first[3][key], second[3][key], atol=1e-10) for key in first[3])


@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_SUMS.keys()))
def test_a_batch_is_the_sum_of_its_parts(name):
    whole = run(name, batch(LENGTHS))
    parts = [run(name, collate([sample(*LENGTHS[k])], [block(k)])) for k in range(len(LENGTHS))]
    assert whole[0] == pytest.approx(sum(part[0] for part in parts), rel=1e-7)
    assert whole[1] == sum(part[1] for part in parts)
    for key, gradient in whole[3].items():
        assert torch.allclose(gradient, sum(part[3][key] for part in parts if key in part[3]), atol=1e-7), key


@pytest.mark.parametrize("name", NAMES)
def test_pairs_without_links_or_with_an_empty_side_are_allowed(name):
    given = collate([sample(n, m, links=False) for n, m in ((4, 3), (3, 0), (0, 0))], [block(0)])
    loss, _, _, gradient = run(name, given)
    assert np.isfinite(loss) and all(torch.isfinite(g).all() for g in gradient.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_validation_batch_without_its_stream_logs_the_same_keys(name):
    model, criterion = build(name)
    model.eval()
    with torch.no_grad():
        full = criterion(model, batch())[2]
        pairs_only = criterion(model, collate([sample(3, 4)], []))[2]
        blocks_only = criterion(model, collate([], [block(0)]))[2]
    assert full.keys() == pairs_only.keys() == blocks_only.keys()


@pytest.mark.parametrize("name", NAMES)
def test_heads_survive_a_checkpoint(name):
    model, criterion = build(name)
    other, _ = build(name, seed=1)
    other.load_state_dict(model.state_dict())
    assert run(name, batch(), model, criterion)[0] == run(name, batch(), other, criterion)[0]
    fresh = XalignModel(CONFIG).double()  # heads are attached before their objective
    fresh.load_state_dict(model.state_dict())
    criterion.attach_heads(fresh)
    fresh.set_num_updates(5)
    assert run(name, batch(), fresh, criterion)[0] == run(name, batch(), model, criterion)[0]


@pytest.mark.parametrize("name", NAMES)
def test_wrong_choices_and_layers_are_refused_by_the_name_of_the_option(name):
    cls = OBJECTIVES[name]
    for option in options_of(cls):
        if option.type is str:
            with pytest.raises(XalignError, match=f"{name}_{option.name}"):
                cls(**{option.name: "nonsense"})
        elif option.name.endswith("layer"):
            with pytest.raises(XalignError, match=f"no such layer[\\s\\S]*{name}_{option.name}"):
                Trial(cls, task=TASK, **{option.name: 9})


@pytest.mark.parametrize("name", NAMES)
def test_half_precision_gives_a_finite_loss_of_more(name):
    loss = Trial(OBJECTIVES[name], dtype=torch.bfloat16, task=TASK).loss(Batch.from_sample(batch()))
    assert loss.total.dtype in (torch.float32, torch.float64) and loss.total.isfinite()


@pytest.mark.parametrize("name", NAMES)
def test_weight_scales_the_loss_and_zero_removes_the_objective(name):
    once, twice = (run(name, batch(), *build(name, **{f"{name}_weight": weight})) for weight in (1.0, 2.0))
    assert twice[0] == pytest.approx(2 * once[0])
    with pytest.raises(XalignError, match="weight"):
        build_one(name, **{f"{name}_weight": 0.0})
