import pytest
import torch

from xalign_fairseq.data.inputs import BASE, WORD, in_target, polynomial, powers, signed


def test_the_target_begins_after_the_end_of_the_source():
    # <s> a a </s> x </s> <pad>; <s> a </s> x x x </s>; <s> </s> x </s> <pad> <pad> <pad>
    spans = torch.tensor([[1, 3, 4, 5], [1, 2, 3, 6], [1, 1, 2, 3]])
    assert in_target(spans, 7).int().tolist() == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]]


CPU = torch.device("cpu")


@pytest.mark.parametrize("base", [BASE, 3, WORD - 1])
def test_powers_are_those_of_whole_numbers(base):
    assert powers(base, 70, CPU).tolist() == [signed(pow(base, k, WORD)) for k in range(70)]


def test_all_sentences_of_two_small_ids_differ():
    ids = torch.arange(2, 302)
    assert len(polynomial(torch.cartesian_prod(ids, ids)).unique()) == 300 * 300
    rows = torch.tensor([[0, 5, 2], [0, 6, 2], [5, 0, 2], [0, 5, 5], [0, 2, 1], [2, 0, 1], [0, 0, 2]])
    assert len(polynomial(rows).unique()) == len(rows)
