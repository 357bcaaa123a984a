import pytest
from support.browser import read_html

from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.aligner.render.matrix import KEY, MOST_WORDS, looks, show_links
from xalign_fairseq.links.pharaoh import parse_line


def table(*pair):
    return show_links(Alignment(*pair)).html


def words_of(page):
    return ["".join(span.itertext()) for span in page.iter("span")]


def test_source_words_go_down_and_target_words_across():
    shown = show_links(Alignment(["a", "b"], ["x", "y", "z"], {(1, 2): 0.25}), parse_line("1p2 0-0"))
    read = read_html(shown._repr_html_())
    _, first, second = ([*row.iter("td")] for row in read.iter("tr"))
    assert [cell.get("class") for cell in first] == ["sure", None, None]
    assert [cell.get("class") for cell in second] == [None, None, "link possible"]
    assert second[2].attrib == {"class": "link possible", "title": "b – z, 25%, possible", "style": "--p: 0.25"}
    assert words_of(read) == ["x", "y", "z", "a", "b"]
    assert KEY in shown.html and KEY not in table(["a"], ["b"], {})


def test_each_word_has_its_own_direction_and_is_not_markup():
    read = read_html(table(["<b>"], ["بيت", "घर"], {(0, 0): 1.0}))
    assert [span.get("dir") for span in read.iter("span")] == ["rtl", "ltr", "ltr"]
    assert words_of(read) == ["بيت", "घर", "<b>"]
    assert next(read.iter("td")).get("title") == "<b> – بيت, 100%"


def test_the_first_pairs_are_shown_with_their_gold():
    pair = Alignment(["red"], ["rouge"], {(0, 0): 0.9})
    shown = show_links([pair] * 5, [parse_line("0-0")] * 5, most=3).html
    assert shown.count("class='link sure'") == 3 and "and 2 more" in shown
    assert "more" not in show_links([pair]).html
    with pytest.raises(ValueError, match="zip"):
        show_links([pair] * 2, [parse_line("0-0")])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["the", "house"], ("ltr", False)),
        (["BBC", "رشة", "אמרה"], ("rtl", True)),
        (["लाल", "घर"], ("ltr", True)),
        (["红色", "的", "房子"], ("ltr", False)),
        (["12", "."], ("ltr", False)),
        ([], ("ltr", False)),
    ],
)
def test_direction_and_size_are_those_of_most_letters(words, expected):
    assert looks(words) == expected


def test_links_of_a_long_pair_are_listed():
    words = ["w<"] * (MOST_WORDS + 1)
    assert "<table" in table(words[:-1], words[:-1], {})
    shown = table(words, ["v"], {(3, 0): 0.5})
    assert "<table" not in shown and "50%" in shown and "w&lt;" in shown and "w<" not in shown
