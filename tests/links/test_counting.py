import io
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xalign_fairseq.links import counting
from xalign_fairseq.links.counting import CountedPair, count_pairs, write_counted

WORDS = st.text(st.characters(exclude_characters="\t\n", exclude_categories=("Cs",)), min_size=1, max_size=3)


def brute_force(pairs):
    links, src, tgt = Counter(pairs), Counter(s for s, _ in pairs), Counter(t for _, t in pairs)
    rows = [CountedPair(s, t, n, src[s], tgt[t], len(pairs)) for (s, t), n in links.items()]
    return sorted(rows, key=lambda row: (row.src + "\t", -row.links, row.tgt + "\t"))


@settings(max_examples=200, deadline=None)
@given(pairs=st.lists(st.tuples(WORDS, WORDS)), at_once=st.integers(1, 5), runs=st.integers(1, 3))
def test_counts_are_those_of_memory_however_little_fits_into_it(tmp_path_factory, pairs, at_once, runs):
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "AT_ONCE", at_once)
        patch.setattr(counting, "MOST_RUNS", runs)
        assert list(count_pairs(iter(pairs), out / "new/table")) == brute_force(pairs)
    assert list((out / "new").iterdir()) == []


def test_an_iteration_that_is_left_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "AT_ONCE", 2)
    rows = count_pairs([(str(i), "x") for i in range(20)], tmp_path / "table")
    next(rows)
    assert list(tmp_path.iterdir())
    rows.close()
    assert not list(tmp_path.iterdir())


def test_the_log_likelihood_ratio_is_twice_the_sum_of_its_table_and_has_a_sign():
    table = [[8, 2], [1, 89]]
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    expected = 2 * sum(
        k * math.log(k * 100 / (rows[i] * columns[j])) for i, row in enumerate(table) for j, k in enumerate(row)
    )
    assert CountedPair("a", "x", 8, 10, 9, 100).significance == pytest.approx(expected, rel=1e-12)
    assert CountedPair("a", "x", 1, 50, 50, 100).significance < -10
    assert CountedPair("a", "x", 25, 50, 50, 100).significance == pytest.approx(0, abs=1e-9)
    assert CountedPair("a", "x", 3, 3, 3, 3).significance == 0


def test_lines_of_a_table():
    stream = io.StringIO()
    assert write_counted(stream, count_pairs([("a", "x"), ("a", "x"), ("a", "y"), ("b", "y")], "-"), min_count=2) == 1
    assert stream.getvalue() == "a\tx\t2\t0.666667\t1\t1.73\n"
