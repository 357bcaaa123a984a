from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.projection.spans import Placing, place

LINKS = st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.floats(0.01, 1), max_size=30)


@st.composite
def disjoint_spans(draw):
    cuts = sorted(draw(st.sets(st.integers(0, 10), max_size=8)))
    return [range(*pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]


def test_a_span_is_the_longest_run_of_linked_words():
    links = {(0, 0): 0.9, (1, 4): 0.9, (1, 5): 0.8, (2, 9): 0.9}
    assert place([range(0, 3)], links, Placing(max_gap=0)) == [range(4, 6)]
    assert place([range(0, 3)], links, Placing(max_gap=3)) == [range(0, 10)]


def test_of_runs_of_one_length_the_more_probable_one_counts_and_then_the_first():
    assert place([range(0, 2)], {(0, 5): 0.9, (1, 0): 0.8}, Placing(0)) == [range(5, 6)]
    assert place([range(0, 2)], {(0, 5): 0.9, (1, 0): 0.9}, Placing(0)) == [range(0, 1)]


def test_a_word_belongs_to_the_span_with_the_more_probable_link():
    links = {(0, 0): 0.6, (1, 0): 0.7, (1, 1): 0.9}
    assert place([range(0, 1), range(1, 2)], links) == ["its words are linked to another span's", range(0, 2)]
    links = {(0, 0): 0.9, (1, 2): 0.8, (2, 1): 0.9}  # a gap never holds a word of another span
    assert place([range(0, 2), range(2, 3)], links, Placing(max_gap=3)) == [range(0, 1), range(1, 2)]


def test_a_span_with_too_few_linked_words_is_not_placed():
    links = {(0, 0): 0.9, (1, 1): 0.9}
    assert place([range(0, 4)], links, Placing(min_share=0.5)) == [range(0, 2)]
    assert place([range(0, 4)], links, Placing(min_share=0.51)) == ["only 2 of its 4 words have a link"]
    assert place([range(2, 4)], links) == ["its words have no link"]


@given(disjoint_spans(), LINKS, st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0]))
def test_each_span_is_placed_once_on_separate_words_or_has_a_reason(spans, links, max_gap, min_share):
    placed = place(spans, links, Placing(max_gap, min_share))
    assert len(placed) == len(spans)
    words = [word for found in placed if not isinstance(found, str) for word in found]
    assert len(words) == len(set(words))
    for span, found in zip(spans, placed, strict=True):
        linked = {j for i, j in links if i in span}
        if isinstance(found, str):
            share = len({i for i, _ in links if i in span}) / max(len(span), 1)
            others = {j for i, j in links if i not in span}
            assert not linked or share < min_share or linked & others
        else:
            assert found[0] in linked and found[-1] in linked
            gaps = [word for word in found if word not in linked]
            assert not any(set(range(word, word + max_gap + 1)) <= set(gaps) for word in gaps)


@given(disjoint_spans(), st.permutations(range(10)))
def test_links_one_to_one_place_every_contiguous_image_exactly(spans, order):
    links = {(i, j): 1.0 for i, j in enumerate(order)}
    for span, found in zip(spans, place(spans, links, Placing(0, 1.0)), strict=True):
        image = sorted(order[i] for i in span)
        if image[-1] - image[0] == len(image) - 1:
            assert found == range(image[0], image[-1] + 1)
        else:
            assert not isinstance(found, str) and set(found) < set(image)
