import pytest
import torch
from support.gpu_device import NoWaiting
from support.small import move

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import (
    EncoderCopy,
    KeyQueue,
    MomentumEncoder,
    Projection,
    ReadOnce,
    follow,
    same_sentence,
    sentence_hash,
)
from xalign_fairseq.encoder.transformer import Encoder, SentenceEncoder

CONFIG = EncoderConfig(30, 2, 8, 16, 2)
TOKENS = torch.tensor([[0, 5, 6, 2], [0, 7, 2, 1]])


@pytest.fixture
def live():
    torch.manual_seed(1)
    return Encoder(CONFIG)


def test_a_number_is_read_once_until_it_is_set_or_loaded(monkeypatch):
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
    follow(copy.encoder, live.sentence_encoder, 0.999)
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


COPIED = EncoderConfig(9, 1, 4, 4, 1)


def build(dtype=torch.float64):
    return (each.to(dtype) for each in (SentenceEncoder(COPIED), Projection(4, 3), MomentumEncoder(COPIED, 3)))


def fill(value, *modules):
    with torch.no_grad():
        for module in modules:
            for parameter in module.parameters():
                parameter.fill_(value)


def values(momentum_encoder):
    return {float(value) for p in momentum_encoder.parameters() for value in p.flatten()}


def test_the_copy_starts_equal_and_moves_once_per_update():
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


def test_a_resumed_copy_repeats_and_skips_no_update():
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


def test_a_run_that_resets_its_updates_starts_a_new_copy():
    live, projection, average = build()
    average.follow(live, projection, update=900, momentum=0.5)
    fill(3.0, live, projection, average)
    fill(5.0, live, projection)
    assert average.starts_again(0) and not average.starts_again(901)
    average.follow(live, projection, update=0, momentum=0.5)
    assert values(average) == {5.0} and not average.starts_again(0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_copy_moves_in_half_precision(dtype):
    live, projection, average = build(dtype)
    fill(1.0, live, projection)
    average.follow(live, projection, update=4000, momentum=0.999)
    assert float(average.followed) == 4000
    average.follow(live, projection, update=4001, momentum=0.999)
    assert float(average.followed) == 4001  # neither half-precision type can represent it
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


def sentences(*ids):
    longest = max(map(len, ids))
    return torch.tensor([list(each) + [1] * (longest - len(each)) for each in ids])


def test_hash_is_the_polynomial_and_survives_every_dtype_of_the_queue():
    tokens = torch.randint(2, 250000, (5, 300), generator=torch.manual_seed(0))
    base = 0x9E3779B97F4A7C15
    for row, found in zip(tokens.tolist(), sentence_hash(tokens), strict=True):
        expected = sum((x + 1) * pow(base, t + 1, 1 << 64) for t, x in enumerate(row)) % (1 << 64) >> 16
        assert [int(part) for part in found] == [expected >> 24, expected & 0xFFFFFF]
    hashes = sentence_hash(tokens)
    assert torch.equal(sentence_hash(torch.nn.functional.pad(tokens, (0, 3), value=1)), hashes)
    for queue in (KeyQueue(5, 3), KeyQueue(5, 3).half(), KeyQueue(5, 3).bfloat16(), KeyQueue(5, 3).double()):
        queue.enqueue(torch.zeros(5, 3), hashes, hashes + 1)
        assert same_sentence(hashes, queue.sentences).tolist() == torch.eye(5).bool().tolist()


@pytest.mark.parametrize("sizes", [(1,) * 9, (5, 5, 5, 5), (2, 3, 4, 5, 1, 0, 3), (4, 5)])
def test_the_queue_holds_the_last_keys(sizes):
    queue, size, seen = KeyQueue(5, 2), 5, []
    for new in sizes:
        numbers = torch.arange(len(seen), len(seen) + new).double()
        seen += numbers.tolist()
        queue.enqueue(
            torch.stack([numbers, -numbers], 1), *[torch.stack([numbers + k, numbers + 1], 1) for k in (0, 2)]
        )
        held = [queue.keys[(int(queue.pointer) - k) % size, 0].item() for k in range(1, int(queue.filled) + 1)]
        assert held == seen[::-1][:size]
        assert bool(queue.full) == (len(seen) >= size) and queue.filled == min(len(seen), size)
    assert (queue.keys[:, 1] == -queue.keys[:, 0]).all() and (queue.sentences[:, 0] == queue.keys[:, 0]).all()
    held = queue.sentences.any(1)
    assert (queue.translations[held, 0] == queue.keys[held, 0] + 2).all()


def test_random_keys_are_unit_vectors_without_a_sentence():
    queue = KeyQueue(50, 4)
    queue.fill_at_random(seed=1)
    assert queue.full and torch.allclose(queue.keys.norm(dim=1), torch.ones(50))
    assert len(queue.keys.unique(dim=0)) == 50
    assert not same_sentence(sentence_hash(sentences([0, 2], [0, 5, 2])), queue.sentences).any()
    same, other = KeyQueue(50, 4), KeyQueue(50, 4)
    same.fill_at_random(seed=1), other.fill_at_random(seed=2)
    assert torch.equal(queue.keys, same.keys) and not torch.equal(queue.keys, other.keys)


def test_a_queue_holds_sentences_and_their_translations_until_it_is_cleared():
    queue, hashes = KeyQueue(3, 2), sentence_hash(sentences([5], [6], [7], [8]))
    queue.enqueue(torch.ones(2, 2), hashes[:2], hashes[2:])
    assert queue.holds(hashes)[:, :2].tolist() == [[True, False], [False, True], [True, False], [False, True]]
    queue.clear()
    assert not queue.filled and not queue.keys.any() and not queue.holds(hashes).any()


def test_a_batch_larger_than_the_queue_is_refused():
    with pytest.raises(XalignError, match=r"(?s)smaller than a batch.*moco_queue_size.*3 keys.*4 pairs"):
        KeyQueue(3, 2).enqueue(*[torch.zeros(4, 2)] * 3)
