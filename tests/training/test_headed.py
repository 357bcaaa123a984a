import pytest
import torch
from support.small import CONFIG

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.training.headed import HeadedEncoder


def test_a_head_has_the_place_and_type_of_the_encoder_and_the_weights_that_wait_for_it():
    model = HeadedEncoder(Encoder(CONFIG).double())
    model._waiting = {"heads.dwa.weight": torch.full((2, 3), 7.0), "heads.other.weight": torch.zeros(1)}
    model.attach_head("dwa", torch.nn.Linear(3, 2, bias=False))
    assert model.heads["dwa"].weight.dtype == torch.float64 and (model.heads["dwa"].weight == 7).all()
    assert [*model._waiting] == ["heads.other.weight"]


def test_waiting_weights_of_another_shape_are_refused_and_left_out_of_a_fresh_head():
    model = HeadedEncoder(Encoder(CONFIG))
    model._waiting = {"heads.dwa.weight": torch.zeros(5, 3)}
    with pytest.raises(XalignError, match=r"head of dwa[\s\S]*\(5, 3\)[\s\S]*\(2, 3\)"):
        model.attach_head("dwa", torch.nn.Linear(3, 2, bias=False))
    model = HeadedEncoder(Encoder(CONFIG))
    model._waiting = {"heads.dwa.weight": torch.zeros(5, 3)}
    model.attach_head("dwa", torch.nn.Linear(3, 2, bias=False), fresh=True)
    assert model.heads["dwa"].weight.abs().sum() > 0
