import math

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary
from xalign_fairseq.evaluation.linked_words import frequent_pairs, pair_cosines

SENTENCES = [
    (["The", "house", ",", "2"], ["das", "Haus", ",", "3"]),
    (["the", "Berlin", "house"], ["Haus", "Berlin", "das"]),
    (["a", "tree"], ["Baum"]),
]
LINKS = [{(0, 0), (1, 1), (2, 2), (3, 3)}, {(0, 2), (1, 1), (2, 0)}, {(1, 0), (0, 0)}]


def test_pairs_by_frequency_without_identical_words_and_without_numbers():
    counted = frequent_pairs(SENTENCES, LINKS, 20)
    assert counted == [
        (("house", "Haus"), 2),
        (("The", "das"), 1),
        (("the", "das"), 1),
        (("a", "Baum"), 1),
        (("tree", "Baum"), 1),
    ]
    assert frequent_pairs(SENTENCES, LINKS, 2) == counted[:2]
    left = frequent_pairs(SENTENCES, LINKS, 20, {"the", "baum"})  # on either side, whatever their case
    assert [pair for pair, _ in left] == [("house", "Haus")]
    with pytest.raises(XalignError, match="no linked pair"):
        frequent_pairs([(["1", "x"], ["2", "x"])], [{(0, 0), (1, 1)}], 20)


def test_cosines_of_linked_and_of_all_other_pairs():
    words = BilingualDictionary.collect([("a", "x"), ("a", "y"), ("b", "y")])
    src = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    tgt = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    linked, others = pair_cosines(words, src, tgt)
    assert linked == pytest.approx((1 + 2 * math.sqrt(0.5)) / 3)  # a-x, a-y, b-y
    assert others == pytest.approx(0, abs=1e-12)  # b-x
    assert pair_cosines(BilingualDictionary.collect([("a", "x")]), src[:1], tgt[1:]) == (
        pytest.approx(math.sqrt(0.5)),
        None,
    )
