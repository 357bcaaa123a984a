"""Windows over long pairs: hand-worked places, and what holds of windows over sides of any lengths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xalign_fairseq.aligner.neural.windows import SideWindows, pair_windows


def test_hand_worked_windows():
    windows = SideWindows.spread(10, 4, 4)  # 0..3, 2..5, 4..7, 6..9
    assert windows.starts.tolist() == [0, 2, 4, 6]
    # 2 is in the middle of 0..3 and at the edge of 2..5; 3 is next to an edge of both: the first.
    assert windows.owners.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert windows.owned(1).tolist() == [3, 4] and windows.cut(np.arange(10) * 10, 2).tolist() == [40, 50, 60, 70]


def test_a_short_side_is_there_in_all_windows_and_goes_along_with_the_long_one():
    src, tgt = pair_windows(3, 100, 23, "joint")
    assert (src.length, tgt.length) == (3, 17)
    assert set(src.starts.tolist()) == {0} and len(src.starts) == len(tgt.starts) == 12
    assert src.owners.tolist() == [0, 6, 11]


def test_a_side_that_is_not_short_has_a_quarter_at_least():
    src, tgt = pair_windows(10, 1000, 43, "joint")
    assert (src.length, tgt.length) == (10, 30)
    src, tgt = pair_windows(1000, 12, 43, "joint")
    assert (src.length, tgt.length) == (30, 10)


@settings(deadline=None)
@given(st.integers(1, 120), st.integers(1, 120), st.integers(9, 40), st.sampled_from(["joint", "separate"]))
def test_windows_cover_both_sides_and_advance_together(n, m, positions, encoding):
    sides = pair_windows(n, m, positions, encoding)
    lengths = [side.length for side in sides]
    assert sum(lengths) <= positions - 3 if encoding == "joint" else max(lengths) <= positions - 2
    assert len(sides[0].starts) == len(sides[1].starts)
    for size, side in zip((n, m), sides, strict=True):
        assert side.starts[0] == 0 and side.starts[-1] == size - side.length
        assert (np.diff(side.starts) >= 0).all() and (np.diff(side.starts) <= max(1, -(-side.length // 2))).all()
        assert sorted(token for window in range(len(side.starts)) for token in side.owned(window)) == list(range(size))
        for token, window in enumerate(side.owners):
            before, behind = token - side.starts[window], side.starts[window] + side.length - 1 - token
            assert before >= 0 and behind >= 0
            # Furthest from an edge of all windows, and never near one unless the text ends there.
            around = [min(token - s, s + side.length - 1 - token) for s in side.starts]
            assert min(before, behind) == max(around)
            assert before >= side.length // 4 - 1 or side.starts[window] == 0
            assert behind >= side.length // 4 - 1 or side.starts[window] == size - side.length


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_sides_that_fit_are_one_window(encoding):
    for side in pair_windows(9, 11, 23, encoding):
        assert side.starts.tolist() == [0] and not side.owners.any()
