import pytest

from xalign_fairseq.languages.sentence import Sentence, SyntaxTree


def test_words_move_with_their_forms_and_labels():
    sentence = Sentence.natural(["Sara", "ate", "apples"]).rewritten(["S", "A", "P"]).reordered([0, 2, 1])

    assert sentence.source == ("Sara", "ate", "apples")
    assert sentence.order == (0, 2, 1)
    assert sentence.forms == ("S", "P", "A")
    assert sentence.links == [(0, 0), (2, 1), (1, 2)]
    assert sentence.move(["PROPN", "VERB", "NOUN"]) == ["PROPN", "NOUN", "VERB"]


@pytest.mark.parametrize(
    ("make", "found"),
    [
        *(
            (lambda p=permutation: Sentence.natural("abc").reordered(p), "not a permutation of 3 places")
            for permutation in ([0, 1], [0, 0, 1], [1, 2, 3])
        ),
        (lambda: Sentence.natural("abc").move([1, 2]), "2 labels of 3 words"),
        (lambda: Sentence.natural("abc", SyntaxTree((-1,), ("root",), ("X",))), "a tree of 1"),
        (lambda: SyntaxTree((-1, 0), ("root",), ("X", "X")), "2 heads, 1 relations"),
        (lambda: Sentence.natural("abc").rewritten(["x"]), "3 words, 3 places, 1 forms"),
    ],
)
def test_sizes_that_differ_are_refused(make, found):
    with pytest.raises(ValueError, match=found):
        make()
