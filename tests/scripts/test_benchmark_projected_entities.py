"""Words of raw text, and the table of differences between taggers."""

import benchmark_projected_entities as benchmark
import pytest


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Angela Merkel's plan (2019).", ["Angela", "Merkel", "'", "s", "plan", "(", "2019", ")", "."]),
        ("前鎮區 in 高雄", ["前", "鎮", "區", "in", "高", "雄"]),
        ("भारत में।", ["भारत", "में", "।"]),  # vowel signs are part of a word
    ],
)
def test_words(line, words):
    assert benchmark.words_of(line) == words


def test_the_change_is_paired_by_seed():
    table = benchmark.table_of({"de": {"zero-shot": [60.0, 70.0, 80.0], "projected": [61.0, 69.0, 83.0]}})
    # Changes 1, -1 and 3: mean 1, deviation 2.
    assert table.splitlines()[-1] == "| de | 70.0 ± 10.0 | 71.0 ± 11.1 | +1.0 ± 2.0 |"
