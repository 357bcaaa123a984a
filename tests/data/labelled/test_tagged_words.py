"""Lines of word and tag: XTREME's, WikiAnn's own, those without tags, and malformed ones."""

import subprocess

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.tagged_words import read_pos, read_tagged_words

TWO = "in\tO\nBerlin\tB-LOC\n\n\nMax\tB-PER\n"


@pytest.mark.parametrize("name, text", [("a.tsv", TWO), ("a.tsv.gz", TWO), ("b.tsv", TWO.replace("\n", "\r\n"))])
def test_xtreme(write, name, text):
    first, second = read_tagged_words(write(name, text), "de")
    assert (first.id, first.language, first.words, first.tags) == ("1", "de", ("in", "Berlin"), ("O", "B-LOC"))
    assert (second.id, second.words, second.tags) == ("2", ("Max",), ("B-PER",))


def test_wikiann_has_the_language_before_each_word(write):
    path = write("zh-yue/dev", "zh-yue:a:b\tO\nzh-yue::\tO\n\nzh-yue:c\tB-ORG\n")
    assert [each.words for each in read_tagged_words(path, "zh-yue")] == [("a:b", ":"), ("c",)]
    with pytest.raises(XalignError, match=r"(?s)lacks the language.*line 2.*found: b.*en:b"):
        read_tagged_words(write("bad", "en:a\tO\nb\tO\n"), "en")


def test_a_word_that_looks_like_the_language_alone_keeps_its_colon(write):
    assert read_tagged_words(write("x.tsv", "en:\tO\nb\tO\n"), "en")[0].words == ("en:", "b")


def test_without_tags(write):
    assert [each.tags for each in read_tagged_words(write("test-de.tsv", "a\nb\n\nc\n"), "de")] == [None, None]


def test_exotic_blanks_are_words_and_do_not_end_lines(write):
    path = write("x.tsv", "\u3000\tO\n\u2028\tO\na\u0085b\tO\n")
    assert read_tagged_words(path, "ja")[0].words == ("\u3000", "\u2028", "a\u0085b")


def test_an_empty_word_keeps_its_tag(write):
    first = read_tagged_words(write("x.tsv", "a\tO\n\tB-LOC\n"), "en")[0]
    assert (first.words, first.tags) == (("a", ""), ("O", "B-LOC"))


@pytest.mark.parametrize(
    "text, line, found",
    [
        ("a\tO\nb\n", 2, "1 columns"),
        ("a\n\nb\tO\n", 3, "2 columns"),
        ("a\tO\tX\n", 1, "3 columns"),
        ("a\t\n", 1, "empty"),
    ],
)
def test_ragged_rows(write, text, line, found):
    with pytest.raises(XalignError, match=rf"(?s)malformed.*bad.tsv, line {line}\n.*{found}"):
        read_tagged_words(write("bad.tsv", text), "en")


def test_no_sentence(write):
    with pytest.raises(XalignError, match="no sentence"):
        read_tagged_words(write("bad.tsv", "\n\n"), "en")


def test_pos_from_either_format(write):
    conllu = "# sent_id = 7\n1\t#\t_\tSYM\t_\t_\t0\troot\t_\t_\n"
    assert read_pos(write("x", conllu), "en")[0].tags == ("SYM",)
    assert read_pos(write("y", "#\tSYM\na\tX\n"), "en")[0].tags == ("SYM", "X")
    assert read_pos(write("z", "#\na\n"), "en")[0].words == ("#", "a")


@pytest.mark.parametrize("text", ["-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\n", "Max B-PER\n", "a DET\n"])
@pytest.mark.parametrize("read", [read_tagged_words, read_pos])
def test_blanks_between_columns_are_refused_with_what_makes_tabs_of_them(write, read, text):
    path = write("eng.train", text)
    with pytest.raises(XalignError, match="separated by blanks") as raised:
        read(path, "en")
    command = str(raised.value).partition("next: ")[2].partition(" > FILE")[0]
    made = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    first = read(write("tabs", made), "en")[0]
    assert first.words == (text.split()[0],) and first.tags == (text.split("\n")[0].split()[-1],)


def test_a_word_with_a_blank_is_no_column(write):
    assert read_tagged_words(write("x.tsv", "New York\nis\n"), "en")[0].words == ("New York", "is")
