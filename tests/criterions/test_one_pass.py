from dataclasses import replace

import pytest
import torch
from support.small import CONFIG, block, pair
from support.trials import build_criterion, build_model

from xalign_fairseq.data.batches import collate
from xalign_fairseq.encoder.passes import StepEncoder

SPEAKING = replace(CONFIG, encoder_layers=3, language_embeddings="bb,aa")
SAMPLE = collate(
    [pair(5, 7), pair(3, 2, langs=(1, 0)), pair(1, 1), pair(0, 4), pair(3, 0)], [block(length=n) for n in (9, 11, 2)]
)
# Criterion, options, the highest layers of passes with and without gradient, and the number of separate passes.
CASES = {
    "one for all": ("xlm_align", {}, [3], [2], 2),
    "own positions": ("xlm_align", {"tlm_reset_positions": True}, [3], [2], 3),
    "two layers": ("xlm_align", {"dwa_layer": 1, "tlm_weight": 0.0}, [3, 1], [2], 2),
    "two sides": ("self_training", {"self_training_layer": 2}, [2], [], 2),
    "many": ("weighted", {"objectives": "self_training,consistency,sentence_mlm", "self_training_layer": 2,
                          "consistency_layer": 2}, [2, 3], [], 4),
}  # fmt: skip


def run(name, options):
    """Loss, gradients, and the layers that ran, with and without gradient."""
    criterion = build_criterion(name, **options)
    model = build_model(criterion, config=SPEAKING)
    model.set_num_updates(5)
    criterion.train()
    with torch.no_grad():  # biases start at 0 and norms at 1: make them matter
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    ran = {True: [], False: []}
    for number, layer in enumerate(model.encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda _, __, out, n=number: ran[out.requires_grad].append(n))
    criterion.language_rows = torch.tensor([1, 0])
    loss, _, _ = criterion(model, SAMPLE)
    loss.backward()
    return loss.item(), {name: p.grad for name, p in model.named_parameters()}, ran


@pytest.mark.parametrize(("name", "options", "live", "labelling", "apart"), CASES.values(), ids=CASES)
def test_shared_passes_equal_separate_ones(name, options, live, labelling, apart, monkeypatch):
    loss, gradient, ran = run(name, options)
    for layer in (1, 2, 3):  # none runs beyond the layers that are read
        assert ran[True].count(layer) == sum(reached >= layer for reached in live)
        assert ran[False].count(layer) == sum(reached >= layer for reached in labelling)
    monkeypatch.setattr(StepEncoder, "_expect", lambda *_, **__: None)
    alone, expected, many = run(name, options)
    assert many[True].count(1) == apart
    assert loss == pytest.approx(alone, rel=1e-12)
    for key, each in expected.items():
        torch.testing.assert_close(
            gradient[key], each, rtol=1e-9, atol=1e-11, msg=lambda text, key=key: f"{key}: {text}"
        )
