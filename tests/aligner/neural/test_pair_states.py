"""Pairs encoded together or separately, with linear maps, against each sentence alone."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import move

from xalign_fairseq.aligner.neural import pair_states
from xalign_fairseq.aligner.neural.pair_states import EncodedPair, PairEncoder, length_batches, pair_windows
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.transformer import Encoder

PAIRS = [
    (np.array([5, 6, 7]), np.array([8, 9])),
    *3 * [(np.array([5]), np.array([6]))],
    (np.array([10]), np.array([11, 12, 13, 14])),
]


def drawn(languages=""):
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(20, 2, 8, 16, 2, max_positions=10, language_embeddings=languages)).double().eval()
    move(encoder, 0.3)
    return encoder


@pytest.fixture
def encoder():
    return drawn()


@pytest.fixture
def speaking():
    return drawn("de,en,fr")


@pytest.fixture
def maps():
    maps = LanguageMaps(["de", "fr"], "en", 2, 8)
    with torch.no_grad():
        for parameter in maps.parameters():
            parameter.normal_()
    return maps.requires_grad_(False)


def sides(pair_encoder, layer, pairs=PAIRS):
    """Hidden states of the tokens of each pair's sides."""
    states, spans = pair_encoder.states(pairs, [layer])
    hidden = states[layer]
    return [(row[s0:s1], row[t0:t1]) for row, (s0, s1, t0, t1) in zip(hidden, spans.tolist(), strict=True)]


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "fr"), ("fr", "de")])
def test_maps_depend_on_the_sides_language_and_the_layer(encoder, maps, languages):
    plain = PairEncoder(encoder, "separate")
    mapped = PairEncoder(encoder, "separate", maps, languages)
    for layer in (0, 1, 2, -1):
        for before, after in zip(sides(plain, layer), sides(mapped, layer), strict=True):
            for language, old, new in zip(languages, before, after, strict=True):
                torch.testing.assert_close(new, old if language == "en" else old @ maps.of(language)[layer].double())


@pytest.mark.parametrize(
    ("languages", "rows"), [(None, None), (("en", "de"), (1, 0)), (("de", "fr"), (0, 2)), (("en", "en"), (1, 1))]
)
@pytest.mark.parametrize("layer", [0, 1, -1])
def test_the_sides_of_a_pair_with_the_embeddings_of_their_languages(encoder, speaking, languages, rows, layer):
    model = speaking if languages else encoder
    joint, separate = (PairEncoder(model, encoding, languages=languages) for encoding in ("joint", "separate"))

    def alone(tokens, of_tokens):
        return model.states(Input(torch.tensor([tokens]), of_tokens and torch.tensor([of_tokens]))).layer(layer)[0]

    for (src, tgt), found in zip(PAIRS, sides(joint, layer), strict=True):
        of_tokens = rows and [rows[0]] * (len(src) + 2) + [rows[1]] * (len(tgt) + 1)
        both = alone([0, *src, 2, *tgt, 2], of_tokens)
        torch.testing.assert_close(found, (both[1 : 1 + len(src)], both[2 + len(src) : -1]))
    for pair, found in zip(PAIRS, sides(separate, layer), strict=True):
        for ids, row, side in zip(pair, rows or (None, None), found, strict=True):
            torch.testing.assert_close(side, alone([0, *ids, 2], None if row is None else [row])[1:-1])


def test_pairs_within_the_positions(encoder):
    joint, separate = (PairEncoder(encoder, encoding) for encoding in ("joint", "separate"))
    assert joint.fits(3, 4) and not joint.fits(3, 5)
    assert separate.fits(8, 8) and not separate.fits(9, 2) and not separate.fits(2, 9)
    states, spans = separate.states([(np.full(8, 5), np.full(8, 6))], [2])
    assert states[2].shape == (1, 20, 8) and spans.tolist() == [[1, 9, 11, 19]]


def test_windows_have_the_languages_and_maps_of_their_sides(speaking, maps):
    """Without layers, a token's state depends only on token, position and language, in every window."""
    torch.nn.init.zeros_(speaking.sentence_encoder.embed_positions.weight)
    src, tgt = np.arange(5, 20), np.arange(6, 19)
    for encoding, maps_ in (("joint", None), ("separate", None), ("separate", maps)):
        states, _ = PairEncoder(speaking, encoding, maps_, ("de", "fr")).long_states(src, tgt, [0], batch_tokens=30)
        for token, language, ids in ((4, "de", src), (15 + 7, "fr", tgt)):
            at = token if language == "de" else token - 15
            row = torch.tensor([[speaking.config.language_row(language)]])
            alone = speaking.states(Input(torch.tensor([[ids[at]]]), row)).layer(0)[0, 0]
            if maps_ is not None:
                alone = alone @ maps.of(language)[0].double()
            torch.testing.assert_close(states[0][0, token], alone)


@pytest.mark.parametrize("packs", [True, False])
@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_passes_have_few_tokens_and_little_padding(encoder, monkeypatch, encoding, packs):
    """Two long pairs among many short ones do not pad these."""
    monkeypatch.setattr(encoder.sentence_encoder, "packs", packs, raising=False)
    monkeypatch.setattr(pair_states, "PASS_TOKENS", 40)
    monkeypatch.setattr(pair_states, "PASS_STEP", 1)
    shapes, sizes = [], []
    states = encoder.states

    def read(given):
        shapes.append(given.tokens.shape)
        sizes.append(given.lengths.sum())
        return states(given)

    monkeypatch.setattr(encoder, "states", read)
    short = np.full(1, 5), np.full(1, 6)
    pairs = [(np.full(4, 5), np.full(3, 6)), *15 * [short], (np.full(1, 7), np.full(6, 8)), *15 * [short]]
    found = sides(PairEncoder(encoder, encoding), 1, pairs)
    special = 3 if encoding == "joint" else 4
    tokens = sum(len(src) + len(tgt) + special for src, tgt in pairs)
    assert [length for _, length in shapes] == sorted((length for _, length in shapes), reverse=True)
    if packs:
        assert max(sizes) <= 40 and len(sizes) <= 1 + tokens / 36  # nearly full
    else:
        assert all(rows * length <= 40 for rows, length in shapes) and len(shapes) < 10
        assert sum(rows * length for rows, length in shapes) <= 1.1 * tokens
    for pair, both in zip(pairs, found, strict=True):
        [alone] = sides(PairEncoder(encoder, encoding), 1, [pair])
        torch.testing.assert_close(both, alone)


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_products_of_onednn_have_few_shapes(encoder, monkeypatch, encoding):
    monkeypatch.setattr(pair_states, "PASS_TOKENS", 20)
    passes = []
    states = encoder.states
    monkeypatch.setattr(encoder, "states", lambda given: passes.append(given.tokens) or states(given))
    pairs = [(np.full(k, 5), np.full(k + 1, 6)) for k in (1, 1, 2, 3)]
    found = sides(PairEncoder(encoder, encoding), 1, pairs)
    assert {int(tokens.ne(1).sum()) % 32 for tokens in passes} == {0}
    monkeypatch.setattr(pair_states, "compiles_shapes", lambda dtype: dtype != torch.float64)
    for filled, plain in zip(found, sides(PairEncoder(encoder, encoding), 1, pairs), strict=True):
        torch.testing.assert_close(filled, plain)


def test_incompatible_options(encoder, maps):
    with pytest.raises(XalignError, match="unknown encoding"):
        PairEncoder(encoder, "both")
    with pytest.raises(XalignError, match=r"need separate encoding(.|\n)*joint"):
        PairEncoder(encoder, "joint", maps, ("de", "en"))
    with pytest.raises(XalignError, match=r"ru(.|\n)*expected: de, fr, en"):
        PairEncoder(encoder, "separate", maps, ("en", "ru"))
    with pytest.raises(XalignError, match=r"need separate encoding(.|\n)*no languages"):
        PairEncoder(encoder, "separate", maps)


@settings(deadline=None)
@given(st.integers(1, 120), st.integers(1, 120), st.integers(9, 40), st.sampled_from(["joint", "separate"]))
def test_windows_cover_both_sides_and_advance_together(n, m, positions, encoding):
    sides = pair_windows(n, m, positions, encoding)
    lengths = [side.length for side in sides]
    assert sum(lengths) <= positions - 3 if encoding == "joint" else max(lengths) <= positions - 2
    assert len(sides[0].starts) == len(sides[1].starts)
    for size, side in zip((n, m), sides, strict=True):
        assert side.starts[0] == 0 and side.starts[-1] == size - side.length
        assert (np.diff(side.starts) >= 0).all() and (np.diff(side.starts) <= max(1, -(-side.length // 2))).all()
        assert len(side.owners) == size and set(side.owners.tolist()) <= set(range(len(side.starts)))
        for token, window in enumerate(side.owners):
            before, behind = token - side.starts[window], side.starts[window] + side.length - 1 - token
            assert before >= 0 and behind >= 0
            # Furthest from an edge of all windows, and never near one unless the text ends there.
            around = [min(token - s, s + side.length - 1 - token) for s in side.starts]
            assert min(before, behind) == max(around)
            assert before >= side.length // 4 - 1 or side.starts[window] == 0
            assert behind >= side.length // 4 - 1 or side.starts[window] == size - side.length


@pytest.fixture
def pairs() -> list[EncodedPair]:
    draw = np.random.default_rng(1)
    sizes = list(zip(draw.integers(1, 90, 300).tolist(), draw.integers(1, 90, 300).tolist(), strict=True))
    empty = np.zeros(0, dtype=np.int32)
    return [
        EncodedPair(number, np.zeros(n, dtype=np.int32), np.zeros(m, dtype=np.int32), empty, empty)
        for number, (n, m) in enumerate(sizes)
    ]


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_every_pair_is_in_one_batch_within_the_budget(pairs, encoding):
    batches = list(length_batches(pairs, encoding, 500))
    assert sorted(pair.index for batch in batches for pair in batch) == list(range(300))
    for batch in batches:
        if encoding == "joint":
            width = max(sum(pair.sizes) for pair in batch) + 3
        else:
            width = sum(max(sides) + 2 for sides in zip(*(pair.sizes for pair in batch), strict=True))
        assert len(batch) == 1 or len(batch) * width <= 500
