import numpy as np
import pytest
from fairseq.data import data_utils

from xalign_fairseq.data.cutting import batch_ends


@pytest.mark.parametrize("multiple", [1, 2, 8])
@pytest.mark.parametrize("limits", [{"max_tokens": 60}, {"max_sentences": 7}, {"max_tokens": 90, "max_sentences": 16}])
@pytest.mark.parametrize("ordered", [True, False])
def test_batches_are_those_of_fairseq(multiple, limits, ordered):
    rng = np.random.default_rng(multiple)
    for size in (1, 5, 300):
        lengths = rng.integers(1, 40, size)
        lengths = np.sort(lengths) if ordered else lengths
        indices = rng.permutation(size)
        ours = np.split(indices, batch_ends(lengths, multiple=multiple, **limits)[:-1])
        theirs = data_utils.batch_by_size(
            indices, num_tokens_fn=None, num_tokens_vec=lengths, required_batch_size_multiple=multiple, **limits
        )
        rest = indices[sum(map(len, theirs)) :]  # which fairseq drops
        assert [each.tolist() for each in ours] == [each.tolist() for each in (*theirs, rest) if len(each)]


def test_without_limits_there_is_one_batch_and_without_items_none():
    assert batch_ends(np.array([3, 9])).tolist() == [2]
    assert batch_ends(np.array([], dtype=np.int64), max_tokens=5).tolist() == []
