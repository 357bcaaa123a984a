import dataclasses

import pytest
import torch
import torch.nn.functional as F
from support.launches import Launches
from support.small import CONFIG, block, diagonal, pair
from support.trials import make_trainer
from torch.utils._python_dispatch import _disable_current_modes

from xalign_fairseq.data.batches import collate
from xalign_fairseq.encoder import graphs, transformer
from xalign_fairseq.transport.ops import attention

BASE_DEPTH = dataclasses.replace(CONFIG, encoder_layers=12)
SAMPLE = collate(
    [pair(6, 6, diagonal(6, 6))], [block(1, 14)]
)  # as long as the pair: one call of attention, as with varlen
# A small margin, to detect an additional launch per layer or parameter. fp16 also reads the norm before it changes the
# loss scale.
CEILINGS = {"": (910, 1), "--bf16": (930, 1), "--fp16": (920, 2), "--memory-efficient-bf16": (930, 1)}


@pytest.mark.parametrize(("precision", "kernels", "waits"), [(key, *most) for key, most in CEILINGS.items()])
def test_launches_and_waits_of_an_update_of_xlm_align(precision, kernels, waits, monkeypatch):
    monkeypatch.setattr(attention, "plain_kernel", lambda *_: F.scaled_dot_product_attention)  # as on a GPU
    monkeypatch.setattr(transformer, "map_gelu", lambda linear_map, x: linear_map(F.gelu(x)))
    extra = ["--optimizer", "xalign_adamw", "--clip-norm", "1", *precision.split()]
    made = make_trainer("legacy_ddp", 0, 1, None, "xlm_align", extra, BASE_DEPTH)
    made.get_model().set_num_updates(20)
    made.train_step([SAMPLE])  # work of the first update only
    with Launches(monkeypatch) as found:
        made.train_step([SAMPLE])
    print(f"{precision or 'float32'}: {found.kernels.total()} kernels, waits {dict(found.waits)}; {found.kernels}")
    assert found.kernels.total() <= kernels and found.waits.total() <= waits


class Graph(torch.autograd.Function):
    """A recorded pass: it counts as one launch forward and one backward."""

    @staticmethod
    def forward(ctx, layers, x, *parameters):
        ctx.shapes = [x, *parameters]
        with _disable_current_modes():
            states = tuple(x.clone() for _ in range(layers))
        return tuple(state.neg_() if state is states[0] else state for state in states)

    @staticmethod
    def backward(ctx, *grads):
        with _disable_current_modes():
            made = [torch.zeros_like(each) for each in ctx.shapes]
        return None, made[0].neg_(), *made[1:]


def replayed(layers, x, offsets, longest, training):
    parameters = [p for layer in layers for p in layer.parameters()]
    return list(Graph.apply(len(layers), x, *parameters))


def test_launches_of_an_update_of_xlm_align_with_cuda_graphs(monkeypatch):
    monkeypatch.setattr(attention, "plain_kernel", lambda *_: F.scaled_dot_product_attention)
    monkeypatch.setattr(graphs, "require", lambda *_: None)
    monkeypatch.setattr(graphs, "recorded", lambda: replayed)
    extra = ["--optimizer", "xalign_adamw", "--clip-norm", "1", "--bf16"]
    made = make_trainer("legacy_ddp", 0, 1, None, "xlm_align", extra, BASE_DEPTH)
    made.get_model().encoder.sentence_encoder.graphs = True
    made.get_model().set_num_updates(20)
    made.train_step([SAMPLE])
    with Launches(monkeypatch) as found:
        made.train_step([SAMPLE])
    print(f"graphs: {found.kernels.total()} kernels, waits {dict(found.waits)}; {found.kernels}")
    assert found.kernels.total() <= 385 and found.waits.total() <= 1


def test_launches_and_waits_of_the_device_are_counted(monkeypatch):
    x = torch.arange(4.0)
    with Launches(monkeypatch) as found:
        y = (x.view(2, 2) + 1).t()  # one kernel; views and allocations are none
        torch.empty(3)
        number = torch.tensor(y.sum().item())  # another kernel, and a wait
        float(number * 2)  # on the host: neither
        copied = y.cpu()
        bool(copied.any())
        torch._foreach_copy_([x], [y.flatten()])
        x.nonzero()
    assert found.kernels == {"add": 1, "sum": 1, "clone": 1, "_foreach_copy_": 1}
    assert found.waits == {"aten._local_scalar_dense": 1, "cpu": 1, "aten.nonzero": 1}
