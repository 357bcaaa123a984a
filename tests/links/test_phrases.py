import random

from hypothesis import given, settings
from hypothesis import strategies as st

from xalign_fairseq.links.phrases import phrase_lines, phrase_pairs


def by_definition(links, n, m, max_length):
    """Every pair of spans with a link inside and no link that leaves one of them."""
    found = set()
    for i in range(n):
        for i_end in range(i + 1, min(i + max_length, n) + 1):
            for j in range(m):
                for j_end in range(j + 1, min(j + max_length, m) + 1):
                    inside = [(i <= a < i_end, j <= b < j_end) for a, b in links]
                    if (True, True) in inside and all(src == tgt for src, tgt in inside):
                        found.add((i, i_end, j, j_end))
    return found


def test_a_case_worked_by_hand():
    # michael geht davon aus , dass er im haus bleibt / michael assumes that he will stay in the house (Koehn 2010)
    links = {(0, 0), (1, 1), (2, 1), (3, 1), (5, 2), (6, 3), (7, 6), (7, 7), (8, 8), (9, 4), (9, 5)}
    found = set(phrase_pairs(links, 10, 9, max_length=10))
    assert (1, 4, 1, 2) in found  # geht davon aus: assumes
    assert (1, 5, 1, 2) in found and (4, 6, 2, 3) in found  # the unlinked comma goes with either neighbour, or none
    assert (1, 3, 1, 2) not in found  # aus is linked to assumes, too
    assert (7, 9, 6, 9) in found and (7, 10, 4, 9) in found and (6, 8, 3, 8) not in found
    assert (4, 5, 1, 2) not in found  # a comma alone has no partner
    assert len(found) == len(by_definition(links, 10, 9, 10)) == 24


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_phrase_pairs_are_those_of_the_definition(data):
    n, m = data.draw(st.integers(0, 7)), data.draw(st.integers(0, 7))
    cells = [(i, j) for i in range(n) for j in range(m)]
    links = data.draw(st.sets(st.sampled_from(cells), max_size=9)) if cells else set()
    max_length = data.draw(st.integers(1, 8))
    found = list(phrase_pairs(links, n, m, max_length))
    assert len(found) == len(set(found))
    assert set(found) == by_definition(links, n, m, max_length)
    mirrored = phrase_pairs({(j, i) for i, j in links}, m, n, max_length)
    assert {(i, i_end, j, j_end) for j, j_end, i, i_end in mirrored} == set(found)


def test_very_long_sentences_take_time_by_their_words():
    rng = random.Random(0)
    monotone = {(i, min(max(i + rng.randint(-2, 2), 0), 4999)) for i in range(5000)}
    assert len(list(phrase_pairs(monotone, 5000, 5000))) > 5000
    assert list(phrase_pairs({(i, 0) for i in range(5000)}, 5000, 5000)) == []


def test_a_line_has_both_phrases_and_the_links_inside():
    assert list(phrase_lines(["a", "b", "c"], ["x", "y"], {(0, 1), (2, 0)}, max_length=2)) == [
        "a\ty\t0-0\n",
        "a b\ty\t0-0\n",
        "b c\tx\t1-0\n",
        "c\tx\t0-0\n",
    ]
