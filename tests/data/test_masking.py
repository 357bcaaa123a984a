import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.masking import MaskOptions, mask_tokens

OPTIONS = MaskOptions(mask=999, vocab=1000)


def sentence(length=200):
    return np.concatenate([[0], np.arange(4, 4 + length), [2]])


def test_count_is_the_floor_of_the_share_plus_one_draw():
    counts = {int((mask_tokens(sentence(50), np.random.default_rng(s), OPTIONS)[1] != 1).sum()) for s in range(100)}
    assert counts == {7, 8}  # 0.15 * 50 = 7.5


def test_targets_are_the_originals_and_other_positions_stay():
    tokens = sentence()
    masked, targets = mask_tokens(tokens, np.random.default_rng(1), OPTIONS)
    chosen = targets != 1
    assert (targets[chosen] == tokens[chosen]).all()
    assert (masked[~chosen] == tokens[~chosen]).all()
    again, other = (mask_tokens(tokens, np.random.default_rng(seed), OPTIONS)[0] for seed in (1, 2))
    assert (masked == again).all() and (masked != other).any()


def test_eighty_ten_ten():
    fates = np.zeros(3)
    for seed in range(300):
        tokens = sentence()
        masked, targets = mask_tokens(tokens, np.random.default_rng(seed), OPTIONS)
        new, old = masked[targets != 1], tokens[targets != 1]
        fates += [(new == 999).sum(), (new == old).sum(), ((new != 999) & (new != old)).sum()]
    assert np.allclose(fates / fates.sum(), [0.8, 0.1, 0.1], atol=0.012)


def test_special_tokens_are_chosen_only_on_request_and_unknown_ones_never():
    options = MaskOptions(mask=999, vocab=1000, probability=1.0)
    assert mask_tokens(np.array([0, 5, 3, 6, 2]), np.random.default_rng(0), options)[1].tolist() == [1, 5, 1, 6, 1]
    released = MaskOptions(mask=999, vocab=1000, probability=1.0, specials=True)
    assert list(mask_tokens(sentence(5), np.random.default_rng(0), released)[1][[0, -1]]) == [0, 2]


def test_random_tokens_are_never_special_and_never_the_mask():
    for mask in (9, 6):  # appended last, or in the middle of the dictionary
        options = MaskOptions(mask=mask, vocab=10, probability=1.0, leave=0.0, random=1.0)
        masked, _ = mask_tokens(np.full(2000, 5), np.random.default_rng(0), options)
        assert set(masked) == {4, 5, 6, 7, 8, 9} - {mask}


def test_shares_outside_the_unit_interval_are_refused():
    with pytest.raises(XalignError, match="outside"):
        MaskOptions(mask=9, vocab=10, probability=1.5)
    with pytest.raises(XalignError, match="more than 1"):
        MaskOptions(mask=9, vocab=10, leave=0.6, random=0.6)
