"""The matrix that a notebook shows."""

from html.parser import HTMLParser

from xalign_fairseq.aligner.render.matrix import KEY, MOST_WORDS, LinkMatrix
from xalign_fairseq.links.pharaoh import parse_line


class Rows(HTMLParser):
    """The words and cells of each row of the table."""

    def __init__(self, shown):
        super().__init__()
        self.rows, self.words, self.directions = [], [], []
        self.feed(shown)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append(dict(attrs))
        elif tag == "span":
            self.words.append("")
            self.directions.append(dict(attrs)["dir"])

    def handle_data(self, data):
        if self.words and data.strip() and self.get_starttag_text().startswith("<span"):
            self.words[-1] += data


def test_source_words_go_down_and_target_words_across():
    matrix = LinkMatrix(["a", "b"], ["x", "y", "z"], {(1, 2): 0.25}, parse_line("1p2 0-0"))
    read = Rows(matrix._repr_html_())
    _, first, second = read.rows
    assert [cell.get("class") for cell in first] == ["sure", None, None]
    assert [cell.get("class") for cell in second] == [None, None, "link possible"]
    assert second[2] == {"class": "link possible", "title": "b – z, 25%, possible", "style": "--p: 0.25"}
    assert read.words == ["x", "y", "z", "a", "b"]
    assert KEY in matrix._repr_html_() and KEY not in LinkMatrix(["a"], ["b"], {})._repr_html_()


def test_each_word_has_its_own_direction_and_is_no_markup():
    read = Rows(LinkMatrix(["<b>"], ["بيت", "घर"], {(0, 0): 1.0})._repr_html_())
    assert read.directions == ["rtl", "ltr", "ltr"]
    assert read.words == ["بيت", "घर", "<b>"]
    assert read.rows[1][0]["title"] == "<b> – بيت, 100%"


def test_links_of_a_long_pair_are_listed():
    words = ["w<"] * (MOST_WORDS + 1)
    assert "<table" in LinkMatrix(words[:-1], words[:-1], {})._repr_html_()
    shown = LinkMatrix(words, ["v"], {(3, 0): 0.5})._repr_html_()
    assert "<table" not in shown and "50%" in shown and "w&lt;" in shown and "w<" not in shown


def test_a_side_without_words_is_shown():
    assert len(Rows(LinkMatrix([], ["x"], {})._repr_html_()).rows) == 1
