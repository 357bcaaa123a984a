import pytest
import torch

from xalign_fairseq.encoder.queue import KeyQueue, same_sentence, sentence_hash


def sentences(*ids):
    longest = max(map(len, ids))
    return torch.tensor([list(each) + [1] * (longest - len(each)) for each in ids])


def test_hash_is_the_polynomial_and_survives_every_dtype_of_the_queue():
    tokens = torch.randint(2, 250000, (5, 300), generator=torch.manual_seed(0))
    base = 0x9E3779B97F4A7C15
    for row, found in zip(tokens.tolist(), sentence_hash(tokens, pad=1), strict=True):
        expected = sum((x + 1) * pow(base, t + 1, 1 << 64) for t, x in enumerate(row)) % (1 << 64) >> 16
        assert [int(part) for part in found] == [expected >> 24, expected & 0xFFFFFF]
    hashes = sentence_hash(tokens, pad=1)
    assert torch.equal(sentence_hash(torch.nn.functional.pad(tokens, (0, 3), value=1), pad=1), hashes)
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


def test_random_keys_are_unit_vectors_of_no_sentence():
    queue = KeyQueue(50, 4)
    queue.fill_at_random(seed=1)
    assert queue.full and torch.allclose(queue.keys.norm(dim=1), torch.ones(50))
    assert len(queue.keys.unique(dim=0)) == 50
    assert not same_sentence(sentence_hash(sentences([0, 2], [0, 5, 2]), 1), queue.sentences).any()
    same, other = KeyQueue(50, 4), KeyQueue(50, 4)
    same.fill_at_random(seed=1), other.fill_at_random(seed=2)
    assert torch.equal(queue.keys, same.keys) and not torch.equal(queue.keys, other.keys)


def test_keys_stay_in_float32_in_a_half_model():
    queue = torch.nn.ModuleDict({"queue": KeyQueue(3, 2)}).half()["queue"]
    queue.enqueue(torch.tensor([[1 + 2**-20, 0.0]]), torch.zeros(1, 2), torch.zeros(1, 2))
    assert queue.keys.dtype == torch.float32 and queue.keys[0, 0] == 1 + 2**-20
    assert KeyQueue(3, 2).double().keys.dtype == torch.float64


def test_a_queue_holds_sentences_and_their_translations_until_it_is_cleared():
    queue, hashes = KeyQueue(3, 2), sentence_hash(sentences([5], [6], [7], [8]), 1)
    queue.enqueue(torch.ones(2, 2), hashes[:2], hashes[2:])
    assert queue.holds(hashes)[:, :2].tolist() == [[True, False], [False, True], [True, False], [False, True]]
    queue.clear()
    assert not queue.filled and not queue.keys.any() and not queue.holds(hashes).any()
