import numpy as np
import pytest

from xalign_fairseq.data import sampling


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000, 1025])
def test_a_pass_is_a_permutation(size):
    assert sorted(sampling.draw(size, 0, size, (1, 2, 3))) == list(range(size))


def test_a_draw_depends_on_the_key_and_not_on_the_requested_positions():
    everything = sampling.draw(1000, 0, 1000, (5,))
    assert [sampling.draw(1000, start, 1, (5,)).item() for start in (3, 999, 500)] == everything[[3, 999, 500]].tolist()
    assert (sampling.draw(1000, 0, 1000, (6,)) != everything).mean() > 0.9


def test_draw_runs_through_everything_once_a_pass_and_pieces_fit_together():
    whole = sampling.draw(10, 0, 35, (1,))
    assert (whole == np.concatenate([sampling.draw(10, start, 7, (1,)) for start in range(0, 35, 7)])).all()
    for start in (0, 10, 20):
        assert sorted(whole[start : start + 10]) == list(range(10))
    assert (whole[:10] != whole[10:20]).any()
    many = sampling.draw(29, 5, 3 * sampling.BLOCK, (1,))  # thousands of passes
    assert (many[70_000:70_100] == sampling.draw(29, 70_005, 100, (1,))).all()
    assert (np.bincount(many[24 : 24 + 29 * 6000]) == 6000).all()
    items = sampling.draw(10**12, 123_456_789, 1000, (1,))  # computes only what is drawn
    assert len(set(items)) == 1000 and items.min() >= 0 and items.max() < 10**12


def test_temperature_shares_by_hand():
    assert np.allclose(sampling.temperature_shares([100, 300], 1.0), [0.25, 0.75])
    assert np.allclose(sampling.temperature_shares([100, 400], 2.0), [1 / 3, 2 / 3])
    assert np.allclose(sampling.temperature_shares([1, 10**8], 1e9), [0.5, 0.5], atol=1e-6)


@pytest.mark.parametrize(
    "shares", [[1.0], [1 / 3] * 3, [0.5, 0.25, 0.25], [0.9, 0.0996, 0.0004], [0.0004, 0.9996], [0.05] * 20]
)
@pytest.mark.parametrize("total", [1, 7, 10, 100])
def test_over_epochs_each_group_has_its_share_of_the_draws(total, shares):
    shares, done = np.array(shares), np.zeros(len(shares), dtype=int)
    for visit in range(600):
        counts, starts = sampling.epoch_shares(total, shares, visit)
        assert sum(counts) == total and np.all(np.abs(counts - total * shares) < 1)
        assert starts == done.tolist()
        done += counts
    assert np.all(np.abs(done - 600 * total * shares) < 5)
