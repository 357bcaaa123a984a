import math
import random
from dataclasses import replace

import pytest
import torch
from support.aligners import alone, links_of, small_encoder
from support.links import by_pair, joined_words

from xalign_fairseq.aligner.neural import aligner as module
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.pointer import Pointer

STRANGE = [
    "",
    "   ",
    "\t",
    "a",
    "😀",
    "👩‍👩‍👧 family",
    "nul\0in word",
    "\0",
    "tab\tbetween",
    "no\u00a0break",
    "e\u0301",
    "日本語",
    "x" * 3000,
]


@pytest.mark.parametrize(
    ("method", "batch_tokens"), [("itermax", 1), ("argmax", 60), ("union", 1000), ("itermax-paper", 10**6)]
)
def test_links_and_probabilities_equal_those_of_single_pairs(aligner, pairs, method, batch_tokens, monkeypatch):
    monkeypatch.setattr(module, "SORTED_AT_ONCE", 17)
    options = Transport(filter=method, order="rows-first", mu=0.5, iterations=3)
    asked = {"linking": Linking.of(options, {"hidden": 2}), "batch_tokens": batch_tokens}
    found = links_of(replace(aligner, **asked), pairs)
    assert sum(map(len, found)) > 200
    for (src, tgt), links in zip(pairs, found, strict=True):
        expected = alone(aligner, 2, options, src, tgt)
        assert links.keys() == expected.keys()
        assert links == pytest.approx(expected, abs=1e-9)
        assert all(0 < probability <= 1 for probability in links.values())


@pytest.mark.parametrize("other", ["the red house", ""])
def test_unusual_lines_keep_their_position(aligner, other):
    found = aligner.align(STRANGE, [other] * len(STRANGE)) + aligner.align([other] * len(STRANGE), STRANGE)
    assert [alignment.src for alignment in found[: len(STRANGE)]] == [line.split() for line in STRANGE]
    for alignment in found:
        assert all(i < len(alignment.src) and j < len(alignment.tgt) for i, j in alignment.links)
        assert alignment.links or not (alignment.src and alignment.tgt) or "\0" in alignment.src + alignment.tgt


def test_a_pair_too_large_for_memory_has_no_links_and_a_warning(aligner, pairs, monkeypatch):
    before = aligner.align(*zip(*pairs, strict=True))
    encoded = module.encode_pairs(
        aligner.tokenizer, [(src.split(), tgt.split()) for src, tgt in pairs], aligner.unknown()
    )
    sizes = [math.prod(pair.sizes) for pair in encoded]
    monkeypatch.setattr(module, "MOST_SIMILARITIES", max(sizes) - 1)
    after = aligner.align(*zip(*pairs, strict=True))
    assert [each.too_long for each in after] == [size == max(sizes) for size in sizes]
    for old, new in zip(before, after, strict=True):
        assert new.links.keys() == (set() if new.too_long else old.links.keys())


def encodings_in_windows(encoder, tokens_of, sizes, positions, encoding):
    """The state of every token at layer 2, from the definition of windows: plain loops, one window at a time."""
    n, m = sizes
    room = positions - 3 if encoding == "joint" else None
    if encoding == "joint":
        shares = [room * n // (n + m), room * m // (n + m)]
        short = int(n > m)
        shares[short] = min(sizes[short], max(shares[short], room // 4, 1))
        shares[1 - short] = min(sizes[1 - short], room - shares[short])
    else:
        shares = [min(size, positions - 2) for size in sizes]
    count = 1 + max(math.ceil((size - share) / max(1, share // 2)) for size, share in zip(sizes, shares, strict=True))
    best = [[(-1, 0, 0, torch.empty(0))] * size for size in sizes]
    for window in range(count):
        starts = [round((size - share) * window / max(1, count - 1)) for size, share in zip(sizes, shares, strict=True)]
        parts = [tokens_of[side][starts[side] : starts[side] + shares[side]] for side in (0, 1)]
        if encoding == "joint":
            states = encoder.states(torch.tensor([[0, *parts[0], 2, *parts[1], 2]])).layer(2)[0]
            sides = states[1 : 1 + shares[0]], states[2 + shares[0] : -1]
        else:
            sides = [encoder.states(torch.tensor([[0, *part, 2]])).layer(2)[0, 1:-1] for part in parts]
        for side in (0, 1):
            for k in range(shares[side]):
                token = starts[side] + k
                # Furthest from an edge; the first position; there, the window as far on as the token.
                to_edge = min(k, shares[side] - 1 - k)
                as_far_on = round(token * (count - 1) / max(1, sizes[side] - 1))
                rank = to_edge, -starts[side], -abs(window - as_far_on), sides[side][k]
                best[side][token] = max(best[side][token], rank, key=lambda each: each[:3])
    return torch.stack([state for side in best for *_, state in side])


@pytest.mark.parametrize("encoding", ["joint", "separate"])
@pytest.mark.parametrize("batch_tokens", [1, 100])
def test_a_pair_beyond_the_positions_is_read_in_windows(tokenizer, encoding, batch_tokens):
    encoder = small_encoder(tokenizer, positions=23)
    aligner = Aligner(encoder, tokenizer, Linking(layers=(2,), encoding=encoding), batch_tokens=batch_tokens)
    letters = [p.strip("▁") for p in tokenizer.dictionary.symbols[4:]]
    letters = [letter for letter in letters if len(tokenizer.encode_words([letter])[0]) == 1]
    rng = random.Random(2)
    for n, m in [(30, 10), (10, 30), (1, 100), (100, 2), (11, 10), (60, 70), (22, 22), (21, 21)]:
        words = [rng.choices(letters, k=size) for size in (n, m)]
        ids = [tokenizer.encode_words(side)[0] for side in words]
        [pair] = aligner.align(words[:1], words[1:])
        assert pair.links and (len(pair.src), len(pair.tgt)) == (n, m)
        if (n, m) == (21, 21) and encoding == "separate":
            states = torch.cat([encoder.states(torch.tensor([[0, *side, 2]])).layer(2)[0, 1:-1] for side in ids])
        else:
            states = encodings_in_windows(encoder, ids, (n, m), 23, encoding)
        links = aligner.linking.finder(states[None], torch.tensor([[0, n, n, n + m]]))
        expected = {(i, j): p for _, i, j, p in zip(*(column.tolist() for column in links), strict=True)}
        assert pair.links == pytest.approx(expected, abs=1e-9), (n, m)


def test_windows_do_not_change_the_links_of_other_pairs(tokenizer, pairs):
    aligner = Aligner(small_encoder(tokenizer, positions=40), tokenizer, Linking(layers=(2,)))
    expected = [links_of(aligner, [pair])[0] for pair in pairs]
    assert sum(not aligner.pair_encoder.fits(len(src), len(tgt)) for src, tgt in pairs) > 5
    for links, alone_ in zip(links_of(aligner, pairs), expected, strict=True):
        assert links == pytest.approx(alone_, abs=1e-9)


def test_states_of_several_layers_are_averaged(aligner):
    src, tgt = ["we", "have", "seven", "trees"], ["old", "red", "songs", "near"]
    (src_ids, src_words), (tgt_ids, tgt_words) = [aligner.tokenizer.encode_words(side) for side in (src, tgt)]
    n, m = len(src_ids), len(tgt_ids)
    states = aligner.encoder.states(torch.tensor([[0, *src_ids, 2, *tgt_ids, 2]]))
    mean = (states.layer(1) + states.layer(3)) / 2
    [links] = by_pair(aligner.linking.finder(mean, torch.tensor([[1, 1 + n, 2 + n, 2 + n + m]])), 1)
    averaged = replace(aligner, linking=Linking(layers=(1, -1)))
    assert averaged.linking.layers == (1, 3)
    expected = joined_words(links, src_words, tgt_words)
    assert averaged.align([src], [tgt])[0].links.keys() == expected
    assert expected != aligner.align([src], [tgt])[0].links.keys()


def test_the_layer_defaults_to_the_depth_of_xlm_aligns(aligner, tokenizer):
    assert Aligner(aligner.encoder, tokenizer).linking.layers == (2,)
    assert Aligner(aligner.encoder, tokenizer, Linking(layers=(-1,))).linking.layers == (3,)
    with pytest.raises(XalignError, match="no such layer"):
        Aligner(aligner.encoder, tokenizer, Linking(layers=(4,)))


def test_alignment_leaves_no_graph_and_no_dropout(tokenizer):
    encoder = small_encoder(tokenizer).train()
    aligner = Aligner(encoder, tokenizer)
    assert not encoder.training
    aligner.align(["the cat"], ["a dog"])
    assert all(parameter.grad is None for parameter in encoder.parameters())


def test_non_finite_states_give_no_links_and_affect_no_other_pair(aligner, pairs):
    expected = links_of(aligner, pairs)
    broken = aligner.tokenizer.encode_words(["q"])[0][-1]
    with torch.no_grad():
        aligner.encoder.sentence_encoder.embed_tokens.weight[broken] = float("nan")
    found = links_of(aligner, [*pairs, ("the q", "a cat")])
    assert found[-1] == {}
    for links, unbroken in zip(found, expected, strict=False):
        assert links == pytest.approx(unbroken, abs=1e-9)


def test_a_pointer_reads_joint_pairs_for_transport_only(aligner, pairs):
    with pytest.raises(XalignError, match="joint encoding"):
        replace(aligner, linking=Linking(encoding="separate"), pointer=Pointer(16))
    with pytest.raises(XalignError, match="only transport"):
        replace(aligner, linking=Linking("argmax", encoding="joint"), pointer=Pointer(16))
    aligner = replace(aligner, linking=Linking(), pointer=Pointer(16))
    with pytest.raises(XalignError, match="only transport"):
        next(aligner.sweep(pairs, [Linking("softmax", layers=(2,))]))
