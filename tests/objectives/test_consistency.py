"""The agreement of both directions, against plain loops over pairs and awesome-align's code by hand."""

import pytest
import torch
from support.trials import bound
from support.word_pair_batches import SENTENCES, Trial, assert_same_gradient, batch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.objectives.consistency import Consistency


def trial(**options):
    return Trial(Consistency, **{"layer": 1, **options})


def released(trial, sentence):
    """awesome-align's loss of one pair, by cosines: the trace of both directions' product over the shorter side."""
    src, tgt = (trial.hidden(sentence, side, 1)[1:-1] for side in (0, 1))
    src, tgt = (each / each.norm(dim=1, keepdim=True) for each in (src, tgt))
    scores = src @ tgt.T / 0.1
    return -torch.trace(scores.softmax(1) @ scores.softmax(0).T) / min(len(src), len(tgt))


def test_loss_and_gradient_are_awesome_aligns_but_for_the_constant():
    one = trial()
    loss, gradient = one.gradient(batch())
    plain = sum(released(one, sentence) for sentence in SENTENCES)
    assert loss.total.item() == pytest.approx(4 + plain.item()) and loss.count.item() == 4
    assert 0.05 < loss.total.item() < 4
    assert_same_gradient(one, gradient, plain)


def test_the_temperature_is_above_0_and_the_layer_8_of_12():
    with pytest.raises(XalignError, match="consistency_temperature"):
        Consistency(temperature=0.0)
    one = Consistency()
    bound(one, EncoderConfig(vocab_size=60))
    assert one.trained_layer == 8
