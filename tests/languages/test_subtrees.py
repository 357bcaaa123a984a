"""Blocks that can change places, by hand, against plain loops, and heads that do not form a tree."""

import random
from collections import Counter

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.sentence import SyntaxTree
from xalign_fairseq.languages.subtrees import Subtrees


def tree(*words):
    """Of ``UPOS|head|relation`` words, heads counted from 1."""
    upos, heads, relations = zip(*(word.split("|") for word in words), strict=True)
    return SyntaxTree(tuple(int(head) - 1 for head in heads), relations, upos)


def blocks(tree, places=None):
    counts = Counter()
    found = list(Subtrees(tree, places or range(len(tree.heads)), "here").blocks(counts))
    return found, counts


# The big dog sees , often , a cat .
DOG = tree(
    "DET|3|det", "ADJ|3|amod", "NOUN|4|nsubj", "VERB|0|root", "PUNCT|6|punct", "ADV|4|advmod:time", "PUNCT|6|punct",
    "DET|9|det", "NOUN|4|obj", "PUNCT|4|punct",
)  # fmt: skip


def test_nouns_and_verbs_with_the_spans_of_their_dependents():
    found, counts = blocks(DOG)
    dog, cat, sees = found  # a head after those within it
    assert (dog.head, dog.node.tag, dog.node.dependents) == (2, "NOUN", (("ADJ", "amod"), ("DET", "det")))
    assert dog.elements == [(2, 3), (1, 2), (0, 1)] and dog.punctuation == []
    assert (cat.head, cat.elements) == (8, [(8, 9), (7, 8)])
    # sees: the subtype of a relation is ignored, and marks keep out of it
    assert sees.node.dependents == (("ADV", "advmod"), ("NOUN", "nsubj"), ("NOUN", "obj"))
    assert sees.elements == [(3, 4), (4, 7), (0, 3), (7, 9)] and sees.punctuation == [(9, 10)]
    assert counts == {"heads": 3}


def test_places_are_those_of_the_order_given():
    # dog big the: the words of the noun phrase are in reverse order
    found, _ = blocks(DOG, [2, 1, 0, *range(3, 10)])
    assert found[0].elements == [(0, 1), (1, 2), (2, 3)]
    assert found[2].elements[2] == (0, 3)


def test_like_dependents_stand_by_their_places():
    sentence = tree("VERB|0|root", "ADV|1|advmod", "ADV|1|advmod")
    assert blocks(sentence)[0][0].elements == [(0, 1), (1, 2), (2, 3)]
    assert blocks(sentence, [0, 2, 1])[0][0].elements == [(0, 1), (1, 2), (2, 3)]


def test_other_heads_and_marks_alone_make_no_blocks():
    assert blocks(tree("ADJ|0|root", "ADV|1|advmod")) == ([], {})
    assert blocks(tree("VERB|0|root", "PUNCT|1|punct")) == ([], {})
    assert blocks(tree("NOUN|0|root")) == ([], {})


@pytest.mark.parametrize(("count", "left"), [(6, {}), (7, {"too many dependents": 1})])
def test_heads_of_many_dependents_are_counted_and_left(count, left):
    found, counts = blocks(tree("VERB|0|root", *["NOUN|1|obl"] * count, "PUNCT|1|punct"))
    assert counts == {"heads": 1, **left} and len(found) == (count == 6)


def test_subtrees_with_gaps_are_counted_and_left():
    # a hearing is scheduled on the issue: the phrase on the issue depends on the hearing
    sentence = tree("DET|2|det", "NOUN|4|nsubj", "AUX|4|aux", "VERB|0|root", "ADP|7|case", "DET|7|det", "NOUN|2|nmod")
    found, counts = blocks(sentence)
    assert [each.head for each in found] == [6]
    assert counts == {"heads": 3, "not contiguous": 2}
    trees = Subtrees(sentence, range(7), "here")
    assert [trees.contiguous(word) for word in range(7)] == [True, False, True, True, True, True, True]


@pytest.mark.parametrize("seed", range(5))
def test_spans_and_the_way_up_against_plain_loops(seed):
    chance = random.Random(seed)
    size = chance.randint(2, 12)
    grown = chance.sample(range(size), size)
    heads = [-1] * size
    for k, word in enumerate(grown[1:], 1):
        heads[word] = chance.choice(grown[:k])
    places = chance.sample(range(size), size)
    found = Subtrees(SyntaxTree(tuple(heads), ("x",) * size, ("NOUN",) * size), places, "here")

    def above(word):
        return [word, *above(heads[word])] if word >= 0 else []

    for word in range(size):
        below = sorted(places[other] for other in range(size) if word in above(other))
        assert (found.start[word], found.end[word], found.size[word]) == (below[0], below[-1] + 1, len(below))
        assert found.contiguous(word) == (below == list(range(below[0], below[-1] + 1)))
    rank = {word: k for k, word in enumerate(found.upward)}
    assert len(rank) == size and all(rank[word] < rank[heads[word]] for word in range(size) if heads[word] >= 0)


@pytest.mark.parametrize(
    ("heads", "found"),
    [
        ((1, 2, 1), "heads that run in a circle: words 2, 3"),
        ((-1, 1, 0), "heads that run in a circle: words 2"),
        ((-1, 3, 0), "head 4 of word 2, of 3 words"),
        ((-1, -2, 0), "head -1 of word 2, of 3 words"),
        ((-1, -1, 0), "2 roots: words 1, 2"),
    ],
)
def test_heads_that_make_no_tree(heads, found):
    with pytest.raises(XalignError, match=f"do not form a tree\n  where: here\n  found: {found}\n"):
        Subtrees(SyntaxTree(heads, ("x",) * 3, ("NOUN",) * 3), range(3), "here")
