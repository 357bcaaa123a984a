"""Copies of frozen weights are made once, and anew when the weight has changed."""

import gc

import torch
from torch import nn

from xalign_fairseq.transport.ops import copies
from xalign_fairseq.transport.ops.copies import lasting_copy


def frozen():
    return nn.Parameter(torch.randn(5, 3), requires_grad=False)


def test_a_frozen_weight_is_copied_once():
    weight = frozen()
    first = lasting_copy(weight, torch.bfloat16)
    assert torch.equal(first, weight.bfloat16()) and not first.requires_grad
    assert lasting_copy(weight, torch.bfloat16) is first


def test_what_has_changed_is_copied_anew():
    weight = frozen()
    for change in (lambda: weight.add_(1), lambda: setattr(weight, "data", torch.randn(5, 3))):
        before = lasting_copy(weight, torch.bfloat16)
        change()
        assert not torch.equal(lasting_copy(weight, torch.bfloat16), before)
        assert torch.equal(lasting_copy(weight, torch.bfloat16), weight.bfloat16())
    assert lasting_copy(weight, torch.float16).dtype == torch.float16


def test_no_copy_is_kept_of_what_is_trained_or_has_the_precision_or_is_gone():
    trained, weight = nn.Parameter(torch.randn(5, 3)), frozen()
    count = len(copies._COPIES)
    assert lasting_copy(trained, torch.bfloat16) is trained
    assert lasting_copy(weight, torch.float32) is weight
    assert len(copies._COPIES) == count
    lasting_copy(weight, torch.bfloat16)
    assert len(copies._COPIES) == count + 1
    del weight
    gc.collect()
    assert len(copies._COPIES) == count
