import pytest
import torch
from support.small import block, pair
from support.trials import Task, build_criterion, build_model

from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.passes import StepEncoder


@pytest.fixture
def heads(monkeypatch):
    """A list to which each run of the head adds its number of predictions."""
    ran, losses = [], StepEncoder.lm_losses

    def count(encoder, hidden, labels):
        ran.append(len(labels))
        return losses(encoder, hidden, labels)

    monkeypatch.setattr(StepEncoder, "lm_losses", count)
    return ran


TASK = Task(lexicons=[Lexicon("aa", "bb", [5, 6, 7], [1, 1, 1], [40, 41, 42], [1, 1, 1], [0, 0, 0])])
SAMPLE = collate([pair(5, 7), pair(3, 2)], [block(1), block(2)])
PREDICTED = {stream: len(SAMPLE[stream]["predicted"]) for stream in ("mono", "bitext")}


def outcome(objectives, **options):
    """The loss, its gradient by parameter, and the sample size."""
    made = build_criterion("weighted", objectives=",".join(objectives), **options)
    model = build_model(made)
    loss, size, _ = made(model, SAMPLE)
    loss.backward()
    return loss.detach(), {name: each.grad for name, each in model.named_parameters() if each.grad is not None}, size


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
@pytest.mark.parametrize("names", [("mlm", "tlm"), ("tlm", "dict_mlm"), ("mlm", "sentence_mlm", "tlm")])
def test_one_run_of_the_head_equals_several(names, normalization, heads):
    weights = {f"{name}_weight": weight for name, weight in zip(names, (1.0, 0.25, 3.0), strict=False)}
    common = {"loss_normalization": normalization, "task": TASK}
    loss, gradient, size = outcome(names, **weights, **common)
    assert len(heads) == 1 and heads[0] >= sum(PREDICTED.values())
    apart = [outcome([name], **{f"{name}_weight": weights[f"{name}_weight"]}, **common) for name in names]
    assert len(heads) == 1 + len(names) and sum(heads[1:]) == heads[0]
    torch.testing.assert_close(loss, sum(each[0] for each in apart))
    for name, found in gradient.items():
        torch.testing.assert_close(found, sum(each[1][name] for each in apart), msg=name)
    assert size == (heads[0] if normalization == "joint" else 1)


def test_objectives_without_weight_or_stream_predict_nothing(heads):
    outcome(["mlm", "tlm"], mlm_weight=0.0)
    assert heads == [PREDICTED["bitext"]]
    made = build_criterion("weighted", objectives="mlm,tlm").eval()
    with torch.no_grad():
        made(build_model(made).eval(), collate([pair(5, 7), pair(3, 2)], []))
    assert heads == [PREDICTED["bitext"]] * 2
