import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.gold import is_numbered, read_gold, read_gold_text
from xalign_fairseq.links.pharaoh import Gold, format_links


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "x.gold"
        path.write_text(text)
        return path

    return write


def test_pair_numbers_can_be_in_the_millions(write):
    golds = read_gold(write("2000000 1 1 S\n2000000 2 1 P\n"))
    assert len(golds) == 2_000_000 and golds[-1].possible == {(0, 0), (1, 0)} and not golds[0].possible
    with pytest.raises(XalignError, match="line 2"):
        read_gold(write(f"1 1 1 S\n1 1 {'9' * 5000} S\n"))


def test_numbered_lines_by_hand(write):
    path = write("0001 1 1 S\n0001 2 3 P\n3 2 1\n3 1 4 P 0.5\n3 1 4 S\n\n4 0 2 S\n")
    assert is_numbered(path)
    found = read_gold(path)
    assert found == [Gold({(0, 0)}, {(1, 2)}), Gold((), ()), Gold({(1, 0), (0, 3)}, ())]
    assert read_gold(path, pairs=6) == [*found, *[Gold((), ())] * 3]


def test_both_forms_agree(write):
    draw = random.Random(3)
    golds = []
    for _ in range(30):
        links = {(draw.randrange(9), draw.randrange(9)) for _ in range(draw.randrange(6))}
        golds.append(Gold(frozenset({link for link in links if draw.random() < 0.6}), frozenset(links)))
    golds[-1] = Gold(frozenset({(0, 8)}), frozenset())
    lines = [
        f"{pair} {i + 1} {j + 1} {'S' if (i, j) in gold.sure else 'P'}"
        for pair, gold in enumerate(golds, 1)
        for i, j in gold.possible
    ]
    draw.shuffle(lines)
    assert read_gold(write("\n".join(lines) + "\n")) == golds
    path = write("\n".join(format_links(gold.sure, gold.possible) for gold in golds) + "\n")
    assert read_gold(path) == golds and not is_numbered(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 1 1 S\n1 2 2 X\n", r"line 2\n  found: 1 2 2 X"),
        ("1 1 1 S\n0 1 1 S\n", r"line 2\n  found: pair 0"),
        ("1 1 1 S\n8 1 1 S\n", r"line 2\n  found: pair 8\n  expected: 1 to 7"),
    ],
)
def test_malformed_lines_are_named(write, text, told):
    with pytest.raises(XalignError, match=told):
        read_gold(write(text), pairs=7)


def test_gold_links_are_those_of_the_text(tmp_path):
    src, tgt, gold = (tmp_path / name for name in ("src", "tgt", "gold"))
    src.write_text("a b\n\n"), tgt.write_text("x y\n\n"), gold.write_text("0-0 1p1\n\n")
    pairs, (first, second) = read_gold_text(src, tgt, gold)
    assert list(pairs) == [(["a", "b"], ["x", "y"]), ([], [])]
    assert (first.sure, first.possible, second.possible) == ({(0, 0)}, {(0, 0), (1, 1)}, frozenset())
    gold.write_text("0-0\n")
    with pytest.raises(XalignError, match="1 line of links"):
        read_gold_text(src, tgt, gold)
    gold.write_text("1 1 1\n3 1 1\n")
    with pytest.raises(XalignError, match=r"line 2\n  found: pair 3\n  expected: 1 to 2"):
        read_gold_text(src, tgt, gold)
    gold.write_text("1 1 1\n1 2 2\n2 1 2\n")  # on line 3
    with pytest.raises(XalignError, match=r"gold, pair 2\n  found: link 1-2, sentence lengths 0 and 0"):
        read_gold_text(src, tgt, gold)
    gold.write_text("0-0 2-1\n\n")
    with pytest.raises(XalignError, match=r"gold, line 1\n  found: link 2-1, sentence lengths 2 and 2"):
        read_gold_text(src, tgt, gold)
    gold.write_text("\n\n")
    assert len(read_gold_text(src, tgt, gold, needs_links=False).golds) == 2
    with pytest.raises(XalignError, match="no link"):
        read_gold_text(src, tgt, gold)
