import torch

from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.translations import Entries, TranslationTable

# 5 - 40; 6 - 41 42; 7 8 - 43; 5 - 44; 9 - 45 is held out, 10 - 46 not used
FIRST = Lexicon(
    "aa", "bb", [5, 6, 7, 8, 5, 9, 10], [1, 1, 2, 1, 1, 1], [40, 41, 42, 43, 44, 45, 46], [1, 2, 1, 1, 1, 1],
    [0, 0, 0, 0, 1, 2],
)  # fmt: skip
# 5 - 47; 11 - 11, the same in both languages; 12 - 48 49 50
SECOND = Lexicon("aa", "cc", [5, 11, 12], [1, 1, 1], [47, 11, 48, 49, 50], [1, 1, 3], [0, 0, 0])
PAIRS = [([5], [40]), ([6], [41, 42]), ([7, 8], [43]), ([5], [44]), ([5], [47]), ([11], [11]), ([12], [48, 49, 50])]
V = 60


def test_trained_entries_are_contiguous():
    entries = Entries([FIRST, SECOND])
    assert len(entries) == len(PAIRS)
    for side, place in ((entries.src, 0), (entries.tgt, 1)):
        assert [[i for i in row if i != 1] for row in side.tolist()] == [pair[place] for pair in PAIRS]
    assert not entries.state_dict()  # the task keeps the lexicons


def test_vectors_are_means_of_an_entrys_subwords():
    embeddings = torch.randn(V, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    entries = Entries([FIRST, SECOND])
    src, tgt = entries.vectors(embeddings)
    for i, pair in enumerate(PAIRS):
        for found, ids in zip((src, tgt), pair, strict=True):
            torch.testing.assert_close(found[i], sum(embeddings[k] for k in ids) / len(ids))
    chosen = torch.tensor([6, 0, 0])
    for part, whole in zip(entries.vectors(embeddings, chosen), (src, tgt), strict=True):
        assert torch.equal(part, whole[chosen])
    assert entries.vectors(embeddings.bfloat16())[0].dtype == torch.float32


def translations():
    """Token -> its translations by the entries of one subword on either side, in both directions."""
    found = {}
    for src, tgt in PAIRS:
        if len(src) == len(tgt) == 1:
            found.setdefault(src[0], set()).add(tgt[0])
            found.setdefault(tgt[0], set()).add(src[0])
    return found


def test_every_translation_of_a_token_is_drawn_and_no_other():
    table = TranslationTable([FIRST, SECOND], V, V - 1)
    expected = translations()
    assert expected[5] == {40, 44, 47} and expected[11] == {11}
    tokens = torch.arange(V).repeat(300, 1)
    found, _, there = table.translate(tokens, torch.rand(300, V, generator=torch.Generator().manual_seed(1)))
    for token in range(V):
        assert there[:, token].all() == there[:, token].any() == (token in expected)
        assert set(found[:, token].tolist()) == expected.get(token, {token})


def test_the_draw_is_a_share_of_the_sorted_translations():
    table = TranslationTable([FIRST, SECOND], V, V - 1)
    draw = torch.tensor([0.0, 0.33, 0.34, 0.66, 0.67, 0.999999, 1.0])  # 1.0, possible by rounding, is also the last
    assert table.translate(torch.full((7,), 5), draw)[0].tolist() == [40, 40, 44, 44, 47, 47, 47]


def test_tokens_of_any_shape_and_the_last_token_without_a_translation():
    table = TranslationTable([FIRST], V, V - 1)
    tokens = torch.tensor([[[5, V - 1], [0, 44]]])
    found, _, there = table.translate(tokens, torch.zeros(1, 2, 2))
    assert found.tolist() == [[[40, V - 1], [0, 5]]] and there.tolist() == [[[True, False], [False, True]]]
    found, _, there = TranslationTable([], V, V - 1).translate(tokens, torch.zeros(1, 2, 2))
    assert torch.equal(found, tokens) and not there.any()
