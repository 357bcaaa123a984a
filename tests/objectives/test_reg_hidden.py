import dataclasses

import pytest
import torch
from support.small import CONFIG, move
from support.word_pair_batches import DE, EN, SENTENCES, Trial, batch

from xalign_fairseq.objectives.reg_hidden import RegHidden


def moved(cfg=CONFIG, **options):
    """An encoder that has changed since its training began."""
    trial = Trial(RegHidden, cfg, **options)
    before = pivot_states(trial)
    trial.loss(batch())
    move(trial.encoder)
    return trial, before


def pivot_states(trial, layer=-1):
    """Hidden states of each English sentence, encoded alone."""
    return [trial.hidden(sentence, sentence[0].index(EN), layer).detach() for sentence in SENTENCES]


def test_equals_the_equation():
    trial, before = moved()
    loss = trial.loss(batch())
    after = pivot_states(trial)
    expected = sum(((a - b) ** 2).sum().item() for a, b in zip(after, before, strict=True))
    assert loss.total.item() == pytest.approx(expected, rel=1e-10) and expected > 0.1
    # <s>, every token of the English words, linked or not, and </s>
    assert loss.count.item() == (4 + 2) + (2 + 2) + (5 + 2) + (1 + 2)


def test_nothing_but_the_live_encoder_gets_a_gradient():
    trial, _ = moved()
    _, gradient = trial.gradient(batch())
    assert not [name for name in gradient if name.startswith("reg_hidden")]
    step, given = trial.passes(), batch()
    english, german = (step.states(given.bitext.side(side)).layer(-1) for side in (0, 1))
    grads = torch.autograd.grad(trial.loss(given, passes=step).total, [english, german])
    # Rows 0 and 3 have English as the source, rows 1 and 2 as the target.
    assert [bool(grads[0][row].any()) for row in range(4)] == [True, False, False, True]
    assert [bool(grads[1][row].any()) for row in range(4)] == [False, True, True, False]


def test_pretrained_states_are_without_dropout():
    trial, before = moved(dataclasses.replace(CONFIG, dropout=0.5))
    kept = trial.heads["reg_hidden"].layer(batch().bitext.side(0))
    assert torch.allclose(kept[0, : len(before[0])], before[0], atol=1e-12)


def test_a_pair_without_the_pivot_counts_nothing():
    """A pair that is only validated: its languages may have no number."""
    trial, _ = moved()
    sentence = ((EN, DE), [[5], [6]], [[20], [21]], [], False)
    other = ((-1, DE), [[7], [8, 9]], [[22]], [], False)
    alone, both = trial.loss(batch([sentence])), trial.loss(batch([sentence, other]))
    assert both.total.item() == pytest.approx(alone.total.item(), rel=1e-10) and both.count == alone.count == 2 + 2
    assert trial.loss(batch([other])).count == 0


def test_is_zero_before_training_begins():
    trial = Trial(RegHidden)
    loss = trial.loss(batch(), training=False)
    assert loss.total.item() == 0 and not trial.heads["reg_hidden"].started
