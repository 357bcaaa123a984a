import re

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.aer import AlignmentCounts, count, score, sentence_counts
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import Gold, read_links

GOLD = Gold({(0, 0), (1, 1), (2, 2)}, {(1, 2), (3, 3)})
LINKS = {(0, 0), (1, 1), (1, 2), (4, 0)}  # 2 sure, 3 possible, of 4


def test_hand_worked():
    found = score([LINKS], [GOLD])
    assert found.precision == 3 / 4 and found.recall == 2 / 3
    assert found.f1 == pytest.approx(2 * 3 / 4 * 2 / 3 / (3 / 4 + 2 / 3))
    assert found.aer == pytest.approx(1 - (2 + 3) / (4 + 3))
    assert (found.links, found.sure) == (4, 3)
    assert score([list(map(list, LINKS))], [GOLD]) == found


def test_counts_are_summed_before_the_division():
    empty_gold = Gold((), {(0, 0)})
    found = score([LINKS, [(0, 0), (5, 5), (5, 5)]], [GOLD, empty_gold])
    assert found.aer == pytest.approx(1 - (2 + 4) / (6 + 3))
    assert found.precision == 4 / 6 and found.recall == 2 / 3 and found.links == 6
    total = count(LINKS, GOLD) + count({(0, 0), (5, 5)}, empty_gold)
    assert total == AlignmentCounts(2, 4, 6, 3)
    assert (total.aer, total.precision, total.recall, total.f1) == (found.aer, found.precision, found.recall, found.f1)


@pytest.mark.parametrize("links", [GOLD.sure, GOLD.possible, GOLD.sure | {(1, 2)}])
def test_anything_between_sure_and_possible_has_no_error(links):
    assert score([links], [GOLD]).aer == 0


def test_without_possible_links_aer_is_one_minus_f1():
    found = score([LINKS], [Gold(GOLD.sure, ())])
    assert found.aer == pytest.approx(1 - found.f1)


def test_invalid_lines():
    with pytest.raises(XalignError, match=r"2 lines of hypothesis, 1 of gold"):
        sentence_counts([LINKS, LINKS], [GOLD], where="hyp, gold")
    with pytest.raises(XalignError, match="nothing to score"):
        score([], [])
    for line in ("0-0", ["0-0"], [0, 0], GOLD):
        with pytest.raises(XalignError, match=r"not pairs of numbers[\s\S]*0[\s\S]*parse_line"):
            score([line], [GOLD])


def test_a_published_set_scored_against_its_own_sure_links(shared_gold):
    golds = read_gold(shared_gold / "simalign-testsets" / "en-fr.gold")
    found = score([gold.sure for gold in golds], golds)
    assert (len(golds), found.sure, found.aer, found.recall) == (447, 4038, 0, 1)
    assert score(read_links(shared_gold / "simalign-testsets" / "en-fr.gold"), golds).links == 4038 + 13400


def test_a_notebook_shows_a_score_as_a_table():
    shown = score([{(0, 0), (1, 1)}], [Gold(frozenset({(0, 0)}), frozenset())])._repr_html_()
    cells = re.findall(r"<td>(.*?)</td>", shown)
    assert re.findall(r"<th>(.*?)</th>", shown) == ["AER", "Precision", "Recall", "F1", "Links", "Sure gold links"]
    assert cells == ["33.3", "50.0", "100.0", "66.7", "2", "1"]
