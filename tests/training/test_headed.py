import torch
from support.small import CONFIG

from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.training.headed import HeadedEncoder


def test_waiting_weights_are_left_out_of_a_fresh_head():
    model = HeadedEncoder(Encoder(CONFIG))
    model._waiting = {"heads.dwa.weight": torch.zeros(5, 3)}
    model.attach_head("dwa", torch.nn.Linear(3, 2, bias=False), fresh=True)
    assert model.heads["dwa"].weight.abs().sum() > 0
