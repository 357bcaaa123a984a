from collections import Counter

import pytest

from xalign_fairseq.core.text.kept_pairs import KeptPairs
from xalign_fairseq.core.text.pairs import SpreadPairs
from xalign_fairseq.core.text.segmentation import find_segmenter
from xalign_fairseq.core.text.segmented import SegmentedText


@pytest.fixture
def text(tmp_path):
    """Kept pairs whose first side has a word for each character, and how often each line was segmented."""
    lines = [["我们 喜欢", "a\U0001f600b", "", "x" * 70_000], ["We like", "", "a b", "long line"]]
    seen = Counter()

    def characters(line):
        seen[line] += 1
        return SegmentedText(line, tuple((i, i + 1) for i, letter in enumerate(line) if letter != " "))

    for name, side in zip(("src", "tgt"), lines, strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in side))
    pairs = KeptPairs(tmp_path / "src", tmp_path / "tgt", (characters, find_segmenter("spaces")), tmp_path)
    expected = [(characters(src), find_segmenter("spaces")(tgt)) for src, tgt in zip(*lines, strict=True)]
    seen.clear()
    return pairs, expected, seen, tmp_path


def test_each_line_is_segmented_once(text):
    pairs, expected, seen, folder = text
    for _ in range(3):
        assert list(pairs) == expected
    assert set(seen.values()) == {1} and len(seen) == 4
    assert sorted(path.name for path in folder.iterdir()) == ["src", "tgt"]


def test_a_reading_that_ends_early_is_not_kept(text):
    pairs, expected, seen, _ = text
    assert next(iter(pairs)) == expected[0]
    assert list(pairs) == list(pairs) == expected
    assert seen[expected[0][0].text] == 2 and seen[expected[1][0].text] == 1


def test_readings_at_the_same_time_do_not_disturb_each_other(text):
    pairs, expected, *_ = text
    assert list(pairs) == expected
    assert list(zip(pairs, pairs, strict=True)) == list(zip(expected, expected, strict=True))
    assert list(zip(pairs, SpreadPairs(pairs, 2), strict=False)) == [
        (expected[0], expected[1]),
        (expected[1], expected[3]),
    ]
