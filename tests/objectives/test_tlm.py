import json
from dataclasses import replace

import pytest
import torch
from support.small import CONFIG, pair, typed
from support.trials import Trial, plain_lm_loss

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.tlm import TLM

LENGTHS = ((5, 7), (3, 2), (4, 0), (9, 6))


def restatement(trial, pairs, positions=None):
    """The plain loss; ``positions`` of a pair's span, or counted on."""
    places = [None if positions is None else torch.tensor([positions(each)]) for each in pairs]
    masked = [Input(torch.from_numpy(each.masked)[None], positions=at) for each, at in zip(pairs, places, strict=True)]
    return plain_lm_loss(trial, [(read, each.targets.tolist()) for read, each in zip(masked, pairs, strict=True)])


def counted_anew(each):
    """<s> 1 .. n </s>, then the target as if it followed a <s>."""
    _, n, first, end = each.span.tolist()
    return [*range(n + 1), *(place - first + 1 for place in range(first, end + 1))]


def test_it_is_the_sum_over_the_masked_tokens_of_both_sides():
    trial, pairs = Trial(TLM), [pair(n, m) for n, m in LENGTHS]
    loss = trial.loss(typed(pairs))
    total, count, correct = restatement(trial, pairs)
    assert count > 5 and loss.count == count and loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]


def test_positions_can_restart_in_the_second_sentence():
    trial, pairs = Trial(TLM, reset_positions=True), [pair(n, m) for n, m in LENGTHS]
    assert counted_anew(pair(2, 3)) == [0, 1, 2, 3, 1, 2, 3, 4]
    total, count, _ = restatement(trial, pairs, counted_anew)
    loss = trial.loss(typed(pairs))
    assert loss.count == count and loss.total.item() == pytest.approx(total, rel=1e-10)
    assert loss.total.item() != pytest.approx(restatement(trial, pairs)[0], rel=1e-4)


def test_positions_do_not_restart_for_encoders_without_them(caplog, transformers):
    sizes = {"hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    settings = {"model_type": "deberta-v2", "relative_attention": True, "position_biased_input": False, **sizes}
    config = replace(CONFIG, transformers_config=json.dumps(settings))
    trial, data = Trial(TLM, config, reset_positions=True), typed([pair(5, 7)])
    [prediction] = trial.objective.step(trial.passes(), data).predictions
    assert prediction.input.positions is None  # other objectives share this pass
    assert [text.split(":")[0] for text in caplog.messages] == ["tlm_reset_positions has no effect"]
    caplog.clear()
    Trial(TLM, config), Trial(TLM, reset_positions=True)
    assert not caplog.messages
