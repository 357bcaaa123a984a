import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import (
    Gold,
    check_bounds,
    format_links,
    index_base_problem,
    one_based_evidence,
    parse_line,
    read_links,
    read_marked,
)

LINKS = st.frozensets(st.tuples(st.integers(0, 99), st.integers(0, 99)))


def test_sure_and_possible_marks():
    gold = parse_line("0-0  1p2 10-11 0-0 3p3 3-3\n")
    assert gold.sure == {(0, 0), (10, 11), (3, 3)}
    assert gold.possible == gold.sure | {(1, 2)}
    assert parse_line("") == parse_line("   ") == Gold(frozenset(), frozenset())
    assert parse_line("1-2 3p1", base=1) == Gold({(0, 1)}, {(2, 0)})


@given(LINKS, LINKS)
def test_written_links_are_read_back(sure, possible):
    assert parse_line(format_links(sure, possible)) == Gold(sure, possible)
    assert format_links({(10, 0), (2, 0), (2, 1)}, {(2, 1), (3, 0)}) == "2-0 2-1 3p0 10-0"


@pytest.mark.parametrize("item", ["0", "0-", "-1-0", "a-b", "0-0-0", "0:0", "1-2:0.5", "٣-٤", "1P2", "1–2"])
def test_malformed_links_are_named(item):
    with pytest.raises(XalignError, match=r"malformed\n  where: x.gold, line 7\n  found: "):
        parse_line(f"0-0 {item}", where="x.gold, line 7")


def test_files(tmp_path):
    path = tmp_path / "x.gold"
    path.write_text("0-0 1p1\n\n2-0\n")
    assert read_gold(path) == [Gold({(0, 0)}, {(1, 1)}), Gold((), ()), Gold({(2, 0)}, ())]
    assert read_links(path) == [{(0, 0), (1, 1)}, set(), {(2, 0)}]
    with pytest.raises(XalignError, match=r"x.gold, line 1\n  found: 0-0"):
        read_marked(path, base=1)
    path.write_text("1-1\nx\n")
    with pytest.raises(XalignError, match=r"x\.gold, line 2"):
        read_gold(path)
    path.write_bytes(b"\xef\xbb\xbf0-0 1p1\r\n\r\n2-0\r\n")
    assert read_links(path) == [{(0, 0), (1, 1)}, set(), {(2, 0)}]


def test_bounds_name_line_link_and_lengths():
    check_bounds([{(1, 2)}, set()], [(2, 3), (0, 0)], where="f")
    with pytest.raises(XalignError, match="found: link 3-1, "):
        check_bounds([{(2, 0)}], [(2, 3)], where="f", base=1)  # with the file's base
    for link in ((2, 0), (0, 3)):
        with pytest.raises(XalignError) as error:
            check_bounds([{(0, 0)}, {link, (1, 1)}], [(1, 1), (2, 3)], where="f")
        assert f"f, line 2\n  found: link {link[0]}-{link[1]}, sentence lengths 2 and 3" in str(error.value)
        assert "1-based" not in str(error.value)
    with pytest.raises(XalignError, match=r"f, line 12\n  found: link 2-0(.|\n)*words are separated by spaces$"):
        check_bounds([set(), {(2, 0)}], [(2, 3), (2, 3)], where="f", first=11)
    with pytest.raises(XalignError, match=r"found: 1 line of links\n  expected: 2"):
        check_bounds([set()], [(1, 1), (2, 3)], where="f")


def random_corpus(seed):
    rng = random.Random(seed)
    lengths = [(rng.randint(1, 9), rng.randint(1, 9)) for _ in range(40)]
    return [{(rng.randrange(n), rng.randrange(m)) for _ in range(4)} for n, m in lengths], lengths


def raised(links):
    return [{(i + 1, j + 1) for i, j in sentence} for sentence in links]


@pytest.mark.parametrize("seed", range(5))
def test_one_based_files_are_recognised_by_their_bounds(seed):
    links, lengths = random_corpus(seed)
    assert index_base_problem(links, lengths) is None
    assert "1-based" in index_base_problem(raised(links), lengths)
    with pytest.raises(XalignError, match=r"looks 1-based(.|\n)*next: convert"):
        check_bounds(raised(links), lengths, where="f", remedy="convert")
    assert "1-based" in index_base_problem([{*raised(links)[0], (99, 99)}, *raised(links)[1:]], lengths)


def test_files_of_another_text_are_not_called_one_based():
    assert index_base_problem([{(9, 9), (2, 7)}], [(2, 3)]) is None
    assert index_base_problem([{(0, 0), (2, 2)}], [(2, 3)]) is None
    assert index_base_problem([set()], [(2, 3)]) is None


@pytest.mark.parametrize("seed", range(5))
def test_one_based_files_are_recognised_beside_a_zero_based_one(seed):
    gold, _ = random_corpus(seed)
    rng = random.Random(seed)
    hyp = [{link for link in sentence if rng.random() < 0.7} for sentence in gold]
    assert "one less" in one_based_evidence(raised(hyp), gold)
    assert "one less" in one_based_evidence(raised(gold), hyp)
    assert one_based_evidence(hyp, gold) is None and one_based_evidence(gold, raised(hyp)) is None
    assert one_based_evidence(raised(hyp), raised(gold)) is None


def test_few_links_that_miss_the_first_token_are_not_called_one_based():
    assert one_based_evidence([{(1, 1)}], [{(0, 0), (1, 1)}]) is None
    assert one_based_evidence([set()], [{(0, 0)}]) is None
    assert one_based_evidence([{(2, 2)}], [{(1, 1)}]) is None


@pytest.mark.parametrize("pair", ["de-en", "en-fr", "en-hi", "ro-en"])
def test_published_sets_fit_their_text_and_are_recognised_when_raised_by_one(shared_gold, pair):
    path = shared_gold / "simalign-testsets" / pair
    links = read_links(f"{path}.gold")
    sides = [[len(line.split()) for line in read_lines(f"{path}.{lang}")] for lang in pair.split("-")]
    lengths = list(zip(*sides, strict=True))
    check_bounds(links, lengths, where=path)
    assert one_based_evidence(links, links) is None
    assert "1-based" in index_base_problem(raised(links), lengths)
    assert "one less" in one_based_evidence(raised(links), links)
