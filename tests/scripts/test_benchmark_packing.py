"""The benchmark of packing: the batches that it cuts, and what it compares."""

import numpy as np
import pytest
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder


@pytest.fixture
def benchmark(script):
    return script("benchmark_packing")


LENGTHS = np.random.default_rng(0).integers(1, 30, (200, 2))


@pytest.mark.parametrize("width", [1, 0])
def test_batches_have_so_many_padded_tokens_at_most(benchmark, width):
    made = benchmark.batches(LENGTHS, width, 300, 5)
    assert len(made) == 5
    for batch in made:
        whole = batch.sum(1) + 3
        assert whole.max() * len(batch) <= 300
        assert (whole.max() - whole.min() <= 3) == (width == 1)  # the shortest and the longest are in one otherwise


def test_an_input_has_the_lengths_that_it_says(benchmark):
    counts = {"pairs": 1, "sides": 2, "pairs and blocks": 2}
    for reading, count in counts.items():
        made = benchmark.inputs_of(LENGTHS[:7], reading, 600)
        assert len(made) == count
        for each in made:
            assert each.lengths.tolist() == (each.tokens != 1).sum(1).tolist()
    assert made[0].tokens.shape == (2, benchmark.BLOCK)


def test_all_ways_give_the_same_states_and_are_compared_with_padding(benchmark):
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(1000, 1, 8, 16, 2)).double()
    inputs = benchmark.inputs_of(LENGTHS[:7], "sides", 600)
    padded, *others = (way(encoder, inputs) for way in benchmark.WAYS.values())
    for each in others:
        for mine, theirs, given in zip(each, padded, inputs, strict=True):
            keep = given.tokens != 1
            torch.testing.assert_close(mine.layer(1)[keep], theirs.layer(1)[keep], rtol=1e-12, atol=1e-12)
    found = benchmark.measure(encoder, [inputs], rounds=1)
    places, tokens = sum(each.tokens.numel() for each in inputs), sum(int(each.lengths.sum()) for each in inputs)
    assert found["padding"] == pytest.approx(1 - tokens / places, abs=1e-3)
    for part in ("forward", "forward and backward"):
        assert found[part].keys() == benchmark.WAYS.keys() and found[part]["padded"][1] == 1


def test_the_table_has_ratios_to_padded_passes_and_what_they_were_measured_with(benchmark):
    found = {"padded": [1000, 1.0], "packed": [1100, 1.1], "packed, one pass": [1250, 1.25]}
    row = {"size": "small", "width": 0, "reads": "sides", "padding": 0.215, "forward": found,
           "forward and backward": found}  # fmt: skip
    text = benchmark.report({"rows": [row], "layers": 4, "machine": "M", "commit": "abc", "command": "C"})
    assert "| small | lengths mixed | sides | 21.5 % | 1,000 | 1.10 | 1.25 | 1,000 | 1.10 | 1.25 |" in text
    assert text.endswith("4 layers, one thread; M; commit abc; `C`.\n")
