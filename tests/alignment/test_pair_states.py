"""Pairs encoded together or side by side, with linear maps: against each sentence alone."""

import numpy as np
import pytest
import torch

from xalign_fairseq.alignment.pair_states import PairEncoder
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

PAIRS = [(np.array([5, 6, 7]), np.array([8, 9])), (np.array([10]), np.array([11, 12, 13, 14])), *3 * [
    (np.array([5]), np.array([6]))]]  # fmt: skip


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(20, 2, 8, 16, 2, max_positions=10)).double().eval()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder


@pytest.fixture
def maps():
    maps = LanguageMaps(["de", "fr"], "en", 2, 8)
    with torch.no_grad():
        for parameter in maps.parameters():
            parameter.normal_()
    return maps.requires_grad_(False)


def sides(states, spans, layer):
    """Hidden states of the tokens of each pair's sides."""
    hidden = states.layer(layer)
    return [(row[s0:s1], row[t0:t1]) for row, (s0, s1, t0, t1) in zip(hidden, spans.tolist(), strict=True)]


@pytest.mark.parametrize("layer", [0, 1, -1])
def test_the_sides_of_a_pair(encoder, layer):
    for (src, tgt), found in zip(PAIRS, sides(*PairEncoder(encoder, "joint").states(PAIRS), layer), strict=True):
        alone = encoder.states(torch.tensor([[0, *src, 2, *tgt, 2]])).layer(layer)[0]
        torch.testing.assert_close(found, (alone[1 : 1 + len(src)], alone[2 + len(src) : -1]))
    for pair, found in zip(PAIRS, sides(*PairEncoder(encoder, "separate").states(PAIRS), layer), strict=True):
        for ids, side in zip(pair, found, strict=True):
            torch.testing.assert_close(side, encoder.states(torch.tensor([[0, *ids, 2]])).layer(layer)[0, 1:-1])


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "fr"), ("fr", "de")])
def test_maps_are_those_of_each_sides_language_and_of_the_layer(encoder, maps, languages):
    plain = PairEncoder(encoder, "separate").states(PAIRS)
    mapped = PairEncoder(encoder, "separate", maps, languages).states(PAIRS)
    for layer in (0, 1, 2, -1):
        for before, after in zip(sides(*plain, layer), sides(*mapped, layer), strict=True):
            for language, old, new in zip(languages, before, after, strict=True):
                expected = old if language == "en" else old @ maps.of(language)[layer].double()
                torch.testing.assert_close(new, expected)


def test_how_much_of_a_long_pair_is_read(encoder):
    joint, separate = (PairEncoder(encoder, encoding) for encoding in ("joint", "separate"))
    assert joint.fit(3, 4) == (3, 4, False) and joint.fit(6, 6) == (3, 4, True)
    assert separate.fit(8, 8) == (8, 8, False) and separate.fit(9, 2) == (8, 2, True)
    assert separate.fit(0, 30) == joint.fit(0, 30) == (0, 30, False)
    states, spans = separate.states([(np.full(8, 5), np.full(8, 6))])
    assert states.layer(-1).shape == (1, 20, 8) and spans.tolist() == [[1, 9, 11, 19]]


def test_what_does_not_go_together(encoder, maps):
    with pytest.raises(XalignError, match="no such encoding"):
        PairEncoder(encoder, "both")
    with pytest.raises(XalignError, match=r"separately encoded(.|\n)*joint"):
        PairEncoder(encoder, "joint", maps, ("de", "en"))
    with pytest.raises(XalignError, match=r"ru(.|\n)*one of de, fr; or en"):
        PairEncoder(encoder, "separate", maps, ("en", "ru"))
