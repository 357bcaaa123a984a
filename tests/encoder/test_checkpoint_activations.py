import pytest
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder, EncoderLayer


def encoder(recompute, layers=3, dtype=torch.float64, **rates):
    torch.manual_seed(0)
    made = Encoder(EncoderConfig(30, layers, 24, 40, 4, 20, **rates)).to(dtype)
    for layer in made.sentence_encoder.layers:
        layer.checkpoint_activations = recompute
    return made


@pytest.fixture
def tokens():
    torch.manual_seed(1)
    made = torch.randint(4, 30, (3, 9))
    made[1, 6:] = 1
    return made


@pytest.mark.parametrize("layer", [3, 2])
@pytest.mark.parametrize("rates", [{}, {"dropout": 0.2, "attention_dropout": 0.2, "activation_dropout": 0.2}])
def test_gradients_are_the_same_with_and_without_dropout(tokens, rates, layer):
    found = []
    for recompute in (False, True):
        made = encoder(recompute, **rates)
        torch.manual_seed(2)
        states = made.states(tokens, training=True).layer(layer)
        after = torch.rand(())  # later draws are also the same
        states.pow(2).sum().backward()
        found.append([states, after, *(p.grad for p in made.parameters() if p.grad is not None)])
    assert len(found[0]) == len(found[1]) == 2 + 4 + 16 * layer
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other)


def test_layers_run_twice_with_a_gradient_and_once_without(tokens, monkeypatch):
    runs = []
    run = EncoderLayer.run
    monkeypatch.setattr(EncoderLayer, "run", lambda self, *given: (runs.append(self), run(self, *given))[1])
    made = encoder(True)
    made.states(tokens, training=True).layer(2).sum().backward()
    assert len(runs) == 4
    made.states(tokens, grad=False).layer(2)
    assert len(runs) == 6


def test_a_layer_keeps_only_its_input(tokens):
    kept = {}
    for recompute in (False, True):
        made = encoder(recompute)
        sizes = []

        def note(tensor, sizes=sizes):
            sizes.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            made.states(tokens, training=True).layer(3)
        kept[recompute] = sum(sizes)
    assert kept[True] < 0.2 * kept[False]
