from dataclasses import replace

import pytest
import torch
from support.processes import run_workers
from support.small import CONFIG, block, diagonal, move, pair, typed
from support.trials import Task, build_criterion, build_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives import DWA, MLM, TLM, L2Align, LexiconAlign, RegParam, WordExchange
from xalign_fairseq.objectives.registry import OBJECTIVES
from xalign_fairseq.training.headed import HeadedEncoder
from xalign_fairseq.training.weighted_sum import WeightedSum

SAMPLE = collate([pair(5, 7, diagonal(5, 7)), pair(2, 3, diagonal(2, 3))], [block(1, 9)])


def build(normalization, *objectives, state=None):
    weighted, model = WeightedSum(objectives, normalization, Task()), HeadedEncoder(Encoder(CONFIG)).double()
    weighted.attach_heads(model)
    if state is not None:
        model.load_state_dict(state)
    return weighted, model


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
def test_it_is_the_criterions_loss_and_sample_size(normalization):
    criterion = build_criterion("xlm_align", dwa_weight=0.5, dwa_label_layer=1, loss_normalization=normalization)
    theirs = build_model(criterion)
    expected, size, _ = criterion(theirs, SAMPLE)
    weighted, model = build(normalization, MLM(), TLM(), DWA(weight=0.5, label_layer=1), state=theirs.state_dict())
    total, count = weighted.total(model.run(lambda encoder: weighted.losses(encoder, weighted.batch(SAMPLE))), True)
    assert total.item() == expected.item() and count == size


def test_objectives_know_stand_in_batches():
    weighted, _ = build("joint", MLM(), TLM())
    told = []
    for ignored in (False, True):
        weighted.update.ignored = ignored
        batch = weighted.batch(SAMPLE)
        told.append((batch.stands_in, batch.only(["bitext"]).stands_in))
    assert told == [(False, False), (True, True)]


def test_regularisers_count_only_in_training():
    weighted, _ = build("per-objective", TLM(), RegParam())
    assert [each.name for each in weighted.summed(True)] == ["tlm", "reg_param"]
    assert [each.name for each in weighted.summed(False)] == ["tlm"]


def test_weights_of_zero_and_an_unknown_normalization_are_refused():
    with pytest.raises(XalignError, match=r"every objective has weight 0[\s\S]*tlm_weight"):
        build("joint", TLM(weight=0))
    with pytest.raises(XalignError, match=r"loss_normalization[\s\S]*mean"):
        build("mean", TLM())
    with pytest.raises(XalignError, match=r"not an objective[\s\S]*TLM[\s\S]*instances"):
        build("joint", TLM)


def test_objectives_with_a_gradient_of_all_embeddings_are_named():
    weighted = WeightedSum([DWA(), RegParam(), TLM(), LexiconAlign(), L2Align()], "joint", Task())
    assert weighted.with_all_embeddings == ["reg_param", "tlm", "lexicon_align"]


@pytest.mark.parametrize("heads", ["separate", "shared"])
def test_predictions_by_the_output_layer_alone_have_a_gradient_of_all_embeddings_too(heads):
    weighted, model = build("joint", WordExchange(heads=heads))
    model.run(lambda encoder: weighted.losses(encoder, weighted.batch(SAMPLE)))["word_exchange"].total.backward()
    assert model.encoder.sentence_encoder.embed_tokens.weight.grad.any(1).all()
    assert weighted.with_all_embeddings == ["word_exchange"]


def test_frozen_embeddings_are_refused_if_nothing_else_is_trained():
    model = HeadedEncoder(Encoder(CONFIG))
    model.freeze_layers(0)
    WeightedSum([TLM(), RegParam()], "joint", Task()).attach_heads(model)
    with pytest.raises(XalignError, match=r"frozen[\s\S]*freeze_layers[\s\S]*lexicon_align"):
        WeightedSum([TLM(), LexiconAlign()], "joint", Task()).attach_heads(model)


def test_a_batch_without_a_stream_has_none_of_its_loss():
    weighted, model = build("joint", MLM(), TLM())
    batch = weighted.batch(collate([pair(5, 7)], []))
    losses = model.run(lambda encoder: weighted.losses(encoder, batch))
    assert losses["mlm"].count == 0 and losses["tlm"].count > 0 and not torch.isnan(losses["mlm"].total)


def test_an_objective_given_twice_is_refused():
    with pytest.raises(XalignError, match=r"(?s)given twice.*l2_align, tlm, l2_align"):
        WeightedSum([L2Align(layer=1), TLM(), L2Align(layer=2)], "joint", Task())


def test_another_sum_of_the_same_objectives_changes_nothing():
    """Properties of data and encoder must not be written into the caller's objects."""
    objectives = [DWA(), TLM()]
    first, _ = build("joint", *objectives)
    layers = first.labelling.own_layers
    small = HeadedEncoder(Encoder(replace(CONFIG, encoder_layers=1)))
    WeightedSum(objectives, "joint", Task()).attach_heads(small)
    assert first.labelling.own_layers == layers


def test_heads_of_what_a_batch_lacks_have_a_gradient_of_zero():
    """Distributed wrappers wait for it."""
    weighted, model = build("joint", MLM(), DWA())
    weighted.total(model.run(lambda encoder: weighted.losses(encoder, typed([], [block()]))), True)[0].backward()
    assert all(each.grad is not None and not each.grad.any() for each in model.heads["dwa"].parameters())


TASK = Task(lexicons=[Lexicon("aa", "bb", [5, 6], [1, 1], [40, 41], [1, 1], [0, 0])])
LENGTHS = ((5, 7), (3, 2), (9, 6), (4, 0), (1, 1), (12, 3), (2, 8))
# Additive, with counts known in advance; the loss of others depends on the rest of the batch, or on the model.
EXACT = "mlm,tlm,dict_mlm,sentence_mlm,l2_align,lexicon_align,ot_align,reg_hidden,reg_param,word_exchange,consistency"
WEIGHTS = {"tlm_weight": 0.5, "l2_align_weight": 3.0}
CPU = torch.device("cpu")


def part(*numbers):
    """A micro-batch of these pairs and a block for each; empty without pairs."""
    pairs = [pair(n, m, diagonal(n, m)) for n, m in (LENGTHS[number] for number in numbers)]
    return collate(pairs, [block(number, 8 + 3 * number) for number in numbers]) if numbers else {}


def build_preset(objectives=EXACT, **options):
    criterion = build_criterion(
        "weighted", TASK, objectives=objectives, loss_normalization="per-objective", **WEIGHTS, **options
    )
    model = build_model(criterion)
    criterion(model, part(0))  # makes copies of the encoder
    move(model.encoder, 0.01)  # away from its copies
    model.set_num_updates(1)
    return criterion, model


def update(criterion, model, parts):
    """Gradient sum, sample sizes and logged losses of a worker, as by fairseq's patched trainer."""
    torch.manual_seed(1)
    model.zero_grad()
    criterion.update.begin(parts, CPU)
    size = logged = 0.0
    for given in parts:
        criterion.update.ignored = not given
        loss, micro_size, logs = criterion(model, given or part(3, 5))
        (loss * bool(given)).backward()
        size, logged = size + micro_size * bool(given), logged + float(logs["loss"]) * bool(given)
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.requires_grad]), size, logged


def mean(*workers):
    """fairseq's combination of the workers' sums."""
    gradients, sizes, logged = zip(*workers, strict=True)
    return sum(gradients) / sum(sizes), sum(logged) / sum(sizes)


def whole(**options):
    criterion, model = build_preset(**options)
    return mean(update(criterion, model, [part(*range(len(LENGTHS)))]))


def test_the_list_is_complete():
    apart = {"dwa", "linear_mapping", "moco", "psi", "self_training", "word_contrastive"}
    # Other tests register their own objectives.
    own = {name for name, made in OBJECTIVES.items() if made.__module__.startswith("xalign_fairseq.")}
    assert set(EXACT.split(",")) == own - apart


@pytest.mark.parametrize("cuts", [[(0, 1, 2, 3, 4), (5, 6)], [(0,), (1, 3), (2, 4, 5, 6)]])
def test_micro_batches_are_one_batch(cuts):
    gradient, loss = whole()
    found, logged = mean(update(*build_preset(), [part(*cut) for cut in cuts]))
    assert torch.allclose(found, gradient, rtol=1e-9, atol=1e-12) and logged == pytest.approx(loss, rel=1e-12)
    assert gradient.abs().max() > 0.1


# The micro-batches of two workers; one of them may lack the last.
SHARES = (([(0, 1), (2,)], [(3, 4, 5), (6,)]), ([(0, 1, 6), (2,)], [(3, 4, 5), ()]), ([(0, 1, 2, 3, 4, 5, 6)], [()]))
# The counts of dwa are known only after its run: workers are exact, micro-batches have equal weight.
RUNNING = "tlm,dwa"
RUNNING_SHARES = ([(0, 1, 2)], [(3, 4, 5, 6)]), ([(0, 1, 2, 3, 4, 5, 6)], [()])


def worker(rank):
    """The updates of one of two workers."""
    exact, running = [
        [update(*build_preset(objectives), [part(*cut) for cut in share[rank]]) for share in shares]
        for objectives, shares in ((EXACT, SHARES), (RUNNING, RUNNING_SHARES))
    ]
    return exact, running


def test_workers_are_one_worker(tmp_path):
    for objectives, shares in zip((EXACT, RUNNING), zip(*run_workers(worker, 2, tmp_path), strict=True), strict=True):
        gradient, loss = whole(objectives=objectives)
        for each in zip(*shares, strict=True):
            found, logged = mean(*each)
            assert torch.allclose(found, gradient, rtol=1e-9, atol=1e-12) and logged == pytest.approx(loss, rel=1e-12)


def test_micro_batches_have_equal_weight_if_counts_depend_on_the_model():
    cuts = [part(0, 1, 2), part(3, 4, 5, 6)]
    alone = [mean(update(*build_preset("dwa"), [cut])) for cut in cuts]
    found, logged = mean(update(*build_preset("dwa"), cuts))
    assert torch.allclose(found, (alone[0][0] + alone[1][0]) / 2, rtol=1e-9, atol=1e-12)
    assert logged == pytest.approx((alone[0][1] + alone[1][1]) / 2)


def test_validation_and_a_batch_by_itself_are_over_their_own_counts():
    without = ",".join(name for name in EXACT.split(",") if not OBJECTIVES[name].traits.regularises)  # as in validation
    criterion, model = build_preset(without)
    update(criterion, model, [part(0, 1, 2), part(3, 4)])
    criterion.eval()
    given = part(2, 6)
    validated = criterion(model, given)[0]
    fresh, other = build_preset(without)
    assert validated.item() == pytest.approx(fresh(other, given)[0].item())


def test_streams_that_a_batch_lacks_count_nothing():
    criterion, _ = build_preset("mlm,tlm")
    pairs, both = collate([pair(5, 7)], []), part(0)
    criterion.update.begin([pairs, both], CPU)
    counts = [len(both["mono"]["predicted"]) / 2, len(pairs["bitext"]["predicted"])]  # both have the same pair
    assert criterion.update.average(torch.tensor([9, 9])).tolist() == counts


def test_losses_of_earlier_updates_are_forgotten():
    criterion, model = build_preset("tlm")
    for _ in range(2):
        criterion.begin_update([part(0, 1)], CPU)
        criterion(model, part(0, 1))
    assert len(criterion.seen) == 1
