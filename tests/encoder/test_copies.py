import pytest
import torch
from support.gpu_device import NoWaiting

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import EncoderCopy, MomentumEncoder, Projection, ReadOnce
from xalign_fairseq.encoder.transformer import Encoder, SentenceEncoder

CONFIG = EncoderConfig(30, 2, 8, 16, 2)
TOKENS = torch.tensor([[0, 5, 6, 2], [0, 7, 2, 1]])


@pytest.fixture
def live():
    torch.manual_seed(1)
    return Encoder(CONFIG)


def move(encoder, by=0.1):
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter += by * torch.randn_like(parameter)


def test_a_number_is_read_once_until_it_is_put_or_loaded(monkeypatch):
    one, other = ReadOnce(), ReadOnce()
    for module in (one, other):
        module.register_buffer("number_", torch.zeros(()))
    assert one.number("number_") == 0.0
    with NoWaiting(monkeypatch):
        assert one.number("number_") == 0.0
        one.put("number_", 3)
        assert one.number("number_") == 3.0
    monkeypatch.undo()
    assert other.number("number_") == 0.0
    other.load_state_dict(one.state_dict())
    assert other.number("number_") == 3.0


def test_a_copy_starts_once_and_gives_the_same_states(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    expected = live.states(TOKENS, grad=False).layer(-1)
    assert torch.equal(copy.layer(TOKENS), expected)
    assert torch.equal(copy.layer(TOKENS, 1), live.states(TOKENS, grad=False).layer(1))
    move(live)
    copy.start(live.sentence_encoder, 7)
    assert torch.equal(copy.layer(TOKENS), expected)
    assert not any(parameter.requires_grad for parameter in copy.parameters())
    restored = EncoderCopy(CONFIG)
    restored.load_state_dict(copy.state_dict())
    restored.start(live.sentence_encoder, 7)
    assert torch.equal(restored.layer(TOKENS), expected)
    exact = EncoderCopy(CONFIG).double()
    exact.start(live.double().sentence_encoder, 7)
    assert torch.equal(exact.layer(TOKENS, dtype=torch.float64), live.states(TOKENS, grad=False).layer(-1))


def test_a_new_run_starts_again_with_the_copy_of_an_earlier_one(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 0)
    move(live)
    copy.start(live.sentence_encoder, 1)
    assert copy.squared_distance(live.sentence_encoder) > 0.1
    copy.start(live.sentence_encoder, 0)
    assert copy.squared_distance(live.sentence_encoder) == 0


def test_the_distance_is_that_of_all_parameters(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    assert copy.squared_distance(live.sentence_encoder) == 0
    with torch.no_grad():
        live.sentence_encoder.layers[0].fc1.bias[:2] += torch.tensor([3.0, 4.0])
    distance = copy.squared_distance(live.sentence_encoder)
    assert distance.item() == pytest.approx(25)
    distance.backward()
    assert live.sentence_encoder.layers[0].fc1.bias.grad[:3].tolist() == pytest.approx([6.0, 8.0, 0.0])


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_a_copy_of_a_half_precision_encoder_stays_in_float32_and_moves(live, half):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    exact = {key: value.clone() for key, value in copy.state_dict().items()}
    copy.to(half)
    live.to(half)
    assert all(torch.equal(value, exact[key]) for key, value in copy.state_dict().items())
    move(live, 0.5)
    before = copy.encoder.layers[0].fc1.weight.clone()
    copy.follow(live.sentence_encoder, 0.999)
    moved = (copy.encoder.layers[0].fc1.weight - before).abs()
    assert 0 < moved.max() < 0.01 and (moved > 0).float().mean() > 0.9
    hidden = copy.layer(TOKENS, dtype=half)
    assert hidden.dtype == half and torch.isfinite(hidden[TOKENS != 1]).all()


def test_a_copy_computes_in_the_autocast_around_it(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    with torch.autocast("cpu", torch.bfloat16):
        mine, theirs = copy.layer(TOKENS), live.states(TOKENS, grad=False).layer(-1)
    assert torch.equal(mine, theirs) and not torch.equal(mine, copy.layer(TOKENS))


COPIED = EncoderConfig(
    vocab_size=9, encoder_layers=1, encoder_embed_dim=4, encoder_ffn_embed_dim=4, encoder_attention_heads=1
)


def build(dtype=torch.float64):
    return (each.to(dtype) for each in (SentenceEncoder(COPIED), Projection(4, 3), MomentumEncoder(COPIED, 3)))


def fill(value, *modules):
    with torch.no_grad():
        for module in modules:
            for parameter in module.parameters():
                parameter.fill_(value)


def values(momentum_encoder):
    return {float(value) for p in momentum_encoder.parameters() for value in p.flatten()}


def test_it_copies_first_and_then_moves_once_an_update():
    live, projection, average = build()
    fill(1.0, live, projection)
    assert not average.started
    average.follow(live, projection, update=0, momentum=0.75)
    assert average.started and values(average) == {1.0}
    assert not any(parameter.requires_grad for parameter in average.parameters())
    fill(3.0, live, projection)
    average.follow(live, projection, update=0, momentum=0.75)  # the second batch of --update-freq 2
    assert values(average) == {1.0}
    average.follow(live, projection, update=1, momentum=0.75)
    assert values(average) == {1.5}  # 0.75 * 1 + 0.25 * 3
    average.follow(live, projection, update=2, momentum=0.5)
    assert values(average) == {2.25}


def test_a_resumed_one_neither_repeats_nor_skips_an_update_and_does_not_start_again():
    live, projection, average = build()
    fill(1.0, live, projection)
    average.follow(live, projection, update=6, momentum=0.5)
    fill(3.0, live, projection)
    resumed = MomentumEncoder(COPIED, 3).double()
    resumed.load_state_dict(average.state_dict())
    resumed.follow(live, projection, update=6, momentum=0.5)
    assert values(resumed) == {1.0}
    resumed.follow(live, projection, update=7, momentum=0.5)
    assert values(resumed) == {2.0}


def test_a_run_whose_updates_are_counted_anew_starts_again():
    live, projection, average = build()
    average.follow(live, projection, update=900, momentum=0.5)
    fill(3.0, live, projection, average)
    fill(5.0, live, projection)
    assert average.begins_anew(0) and not average.begins_anew(901)
    average.follow(live, projection, update=0, momentum=0.5)
    assert values(average) == {5.0} and not average.begins_anew(0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_it_moves_although_the_model_is_in_half_precision(dtype):
    live, projection, average = build(dtype)
    fill(1.0, live, projection)
    average.follow(live, projection, update=4000, momentum=0.999)
    assert float(average.followed) == 4000
    average.follow(live, projection, update=4001, momentum=0.999)
    assert float(average.followed) == 4001  # a number that neither kind of half precision has
    fill(1.25, live, projection)
    average.follow(live, projection, update=4002, momentum=0.999)
    assert all(p.dtype == torch.float32 for p in average.parameters())
    assert list(values(average)) == pytest.approx([1.00025], abs=1e-6)  # in half precision still 1


def test_by_hand():
    projection = Projection(2, 3).double()
    with torch.no_grad():
        projection.inner.weight.copy_(torch.tensor([[1.0, 2.0], [1.0, -1.0]]))
        projection.outer.weight.copy_(torch.tensor([[1.0, 10.0], [2.0, 0.0], [0.0, -1.0]]))
    # (1, 2) -> (5, -1) -> ReLU (5, 0); (2, -1) -> (0, 3)
    found = projection(torch.tensor([[1.0, 2.0], [2.0, -1.0]], dtype=torch.float64))
    assert found.tolist() == [[5.0, 10.0, 0.0], [30.0, 0.0, -3.0]]
