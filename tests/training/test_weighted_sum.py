"""The weighted sum by itself: what fairseq's criterions add up."""

from dataclasses import replace

import pytest
import torch
from support.small import CONFIG, block, diagonal, pair, typed
from support.trials import Task, build_criterion, build_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives import DWA, MLM, TLM, L2Align, LexiconAlign, RegParam, WordExchange
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


def test_objectives_are_told_of_a_batch_that_stands_in_for_one_that_a_worker_lacks():
    weighted, _ = build("joint", MLM(), TLM())
    told = []
    for ignored in (False, True):
        weighted.update.ignored = ignored
        batch = weighted.batch(SAMPLE)
        told.append((batch.stands_in, batch.only(["bitext"]).stands_in))
    assert told == [(False, False), (True, True)]


def test_regularisers_count_in_training_alone():
    weighted, _ = build("per-objective", TLM(), RegParam())
    assert [each.name for each in weighted.summed(True)] == ["tlm", "reg_param"]
    assert [each.name for each in weighted.summed(False)] == ["tlm"]


def test_weights_of_zero_and_an_unknown_normalization_are_refused():
    with pytest.raises(XalignError, match=r"every weight is 0[\s\S]*tlm_weight"):
        build("joint", TLM(weight=0))
    with pytest.raises(XalignError, match=r"loss_normalization[\s\S]*mean"):
        build("mean", TLM())


def test_objectives_with_a_gradient_of_all_embeddings_are_named():
    weighted = WeightedSum([DWA(), RegParam(), TLM(), LexiconAlign(), L2Align()], "joint", Task())
    assert weighted.with_all_embeddings == ["reg_param", "tlm", "lexicon_align"]


@pytest.mark.parametrize("heads", ["separate", "shared"])
def test_predictions_by_the_output_layer_alone_have_a_gradient_of_all_embeddings_too(heads):
    weighted, model = build("joint", WordExchange(heads=heads))
    losses = model.run(lambda encoder: weighted.losses(encoder, weighted.batch(SAMPLE)))
    losses["word_exchange"].total.backward()
    assert model.encoder.sentence_encoder.embed_tokens.weight.grad.any(1).all()
    assert weighted.with_all_embeddings == ["word_exchange"]


def test_frozen_embeddings_are_refused_where_they_alone_are_trained():
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


def test_an_objective_is_not_there_twice():
    with pytest.raises(XalignError, match=r"(?s)given twice.*l2_align, tlm, l2_align"):
        WeightedSum([L2Align(layer=1), TLM(), L2Align(layer=2)], "joint", Task())


def test_another_sum_of_the_same_objectives_changes_nothing():
    """Facts of data and encoder must not be written into the caller's objects."""
    objectives = [DWA(), TLM()]
    first, _ = build("joint", *objectives)
    layers = first.labelling.own_layers
    small = HeadedEncoder(Encoder(replace(CONFIG, encoder_layers=1)))
    WeightedSum(objectives, "joint", Task()).attach_heads(small)
    assert first.labelling.own_layers == layers


def test_heads_of_what_a_batch_lacks_have_a_gradient_of_zero():
    """Distributed wrappers wait for it."""
    weighted, model = build("joint", MLM(), DWA())
    losses = model.run(lambda encoder: weighted.losses(encoder, typed([], [block()])))
    weighted.total(losses, True)[0].backward()
    assert all(each.grad is not None and not each.grad.any() for each in model.heads["dwa"].parameters())
