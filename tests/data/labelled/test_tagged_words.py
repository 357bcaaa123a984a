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


@pytest.mark.parametrize(
    ("text", "words", "tags"),
    [
        ("en:\tO\nb\tO\n", ("en:", "b"), ("O", "O")),  # not the language before each word
        ("a\nb\n\nc\n", ("a", "b"), None),
        ("\u3000\tO\n\u2028\tO\na\u0085b\tO\n", ("\u3000", "\u2028", "a\u0085b"), ("O",) * 3),
        ("a\tO\n\tB-LOC\n", ("a", ""), ("O", "B-LOC")),
        ("New York\nis\n", ("New York", "is"), None),
    ],
)
def test_odd_words_and_tags(write, text, words, tags):
    first = read_tagged_words(write("x.tsv", text), "en")[0]
    assert (first.words, first.tags) == (words, tags)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\tO\nb\n", r"malformed.*bad.tsv, line 2\n.*1 column"),
        ("a\n\nb\tO\n", r"malformed.*bad.tsv, line 3\n.*2 columns"),
        ("a\tO\tX\n", r"malformed.*bad.tsv, line 1\n.*3 columns"),
        ("a\t\n", r"malformed.*bad.tsv, line 1\n.*empty"),
        ("\n\n", "no sentence"),
    ],
)
def test_malformed_files(write, text, found):
    with pytest.raises(XalignError, match=f"(?s){found}"):
        read_tagged_words(write("bad.tsv", text), "en")


def test_pos_from_either_format(write):
    conllu = "# sent_id = 7\n1\t#\t_\tSYM\t_\t_\t0\troot\t_\t_\n"
    assert read_pos(write("x", conllu), "en")[0].tags == ("SYM",)
    assert read_pos(write("y", "#\tSYM\na\tX\n"), "en")[0].tags == ("SYM", "X")
    assert read_pos(write("z", "#\na\n"), "en")[0].words == ("#", "a")


@pytest.mark.parametrize("text", ["-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\n", "Max B-PER\n", "a DET\n"])
@pytest.mark.parametrize("read", [read_tagged_words, read_pos])
def test_blanks_between_columns_are_refused_with_what_makes_tabs_of_them(write, read, text):
    path = write("eng.train", text)
    with pytest.raises(XalignError, match="separated by spaces") as raised:
        read(path, "en")
    command = str(raised.value).partition("next: ")[2].partition(" > FILE")[0]
    made = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    first = read(write("tabs", made), "en")[0]
    assert first.words == (text.split()[0],) and first.tags == (text.split("\n")[0].split()[-1],)
