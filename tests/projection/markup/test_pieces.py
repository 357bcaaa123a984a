import random

from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.projection.markup.pieces import LinkedPieces


def pieces(src, tgt, links, tags=()):
    return LinkedPieces(split_at_spaces(src), split_at_spaces(tgt), links, set(tags))


def texts(text, spans):
    return [text[slice(*span)] for span in spans]


def test_punctuation_is_a_piece_and_is_linked_to_similar_punctuation():
    made = pieces("«red» ...", "“rot”!", {(0, 0): 0.5})
    assert texts("«red» ...", made.src) == ["«", "red", "»", "..."]
    assert texts("“rot”!", made.tgt) == ["“", "rot", "”!"]
    assert made.links == [{0: 0.5}, {1: 0.5}, {2: 0.5}, {}]
    assert made.total == [0.5, 0.5, 0.5]


def test_equal_words_are_cut_equally_at_tags():
    made = pieces("CO2. e\u0301!", "x CO2. CO2-", {(0, 1): 1.0, (0, 2): 0.5}, tags=[2])
    assert texts("CO2. e\u0301!", made.src) == ["CO", "2", ".", "e\u0301", "!"]
    assert texts("x CO2. CO2-", made.tgt) == ["x", "CO", "2", ".", "CO", "2", "-"]
    assert made.links == [{1: 1.0, 4: 0.5}, {2: 1.0, 5: 0.5}, {3: 1.0, 6: 0.5}, {}, {}]


def test_a_punctuation_word_is_linked_to_punctuation_and_gets_no_tag_of_its_own():
    made = pieces("like books.", "本 が 好き 。", {(0, 2): 0.9, (1, 0): 0.5, (1, 3): 0.9})
    assert made.links == [{2: 0.9}, {0: 0.5}, {3: 0.9}]
    assert made.run((1, 3), [(0, 4)])[1] == (0, 1)
    assert pieces("books", "。", {(0, 0): 0.5}).links == [{0: 0.5}]


def test_the_heaviest_run_is_that_of_all_runs():
    for seed in range(300):
        rng = random.Random(seed)
        src, tgt = rng.randint(1, 6), rng.randint(1, 7)
        links = {(i, j): rng.choice([0.25, 0.5, 1.0]) for i in range(src) for j in range(tgt) if rng.random() < 0.3}
        made = pieces(" ".join("s" * src), " ".join("t" * tgt), links)
        start = rng.randint(0, src - 1)
        run = (start, rng.randint(start + 1, src))
        weight = [sum(p if run[0] <= i < run[1] else -p for (i, k), p in links.items() if k == j) for j in range(tgt)]
        best = max(sum(weight[a:b]) for a in range(tgt) for b in range(a + 1, tgt + 1))
        found, span = made.run(run, [(0, tgt)])
        if best > 0:
            assert found == best == sum(weight[slice(*span)])
            longer = [b - a for a in range(tgt) for b in range(a + 1, tgt + 1) if sum(weight[a:b]) == best]
            assert weight[span[0]] > 0 < weight[span[1] - 1] and span[1] - span[0] <= max(longer)
        else:
            inside = {j: sum(p for (i, k), p in links.items() if k == j and run[0] <= i < run[1]) for j in range(tgt)}
            assert found == 0 and (span is None) == (max(inside.values()) == 0)


def test_a_cut_crosses_the_fewest_links():
    for seed in range(200):
        rng = random.Random(seed)
        links = {(rng.randrange(5), rng.randrange(6)): 1.0 for _ in range(5)}
        made = pieces("a b c d e", "A B C D E F", links)
        cut = rng.randint(0, 5)
        crossed = [sum((i < cut) != (j < at) for i, j in links) for at in range(7)]
        assert crossed[made.fewest_crossings(cut, range(7))] == min(crossed)


def test_lines_break_at_spaces_or_between_words_without_spaces():
    assert pieces("a", "one, two three", {}).breakable == {2, 3}
    assert pieces("a", "one", {}).breakable == set()
