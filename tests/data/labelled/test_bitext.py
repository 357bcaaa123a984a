"""Bitext by its foreign side: names, lengths, and XTREME's sorted English side is a file without labels."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.bitext import TATOEBA_LANGUAGES, english_file, read_bitext


@pytest.mark.parametrize(
    "foreign, english",
    [
        ("en-de.de", "en-de.en"),
        ("de-en.de", "de-en.en"),
        ("tatoeba.deu-eng.deu", "tatoeba.deu-eng.eng"),
        ("en-de.de.gz", "en-de.en.gz"),
        ("en-de.de.xz", "en-de.en.xz"),
        ("en-de.en", None),
        ("tatoeba.deu-eng.eng", None),
        ("de-fr.de", None),
        ("test-en.tsv", None),
        ("train-v1.1.json", None),
        ("dev-context-en-question-de.json", None),
        ("en_ewt-ud-dev.conllu.gz", None),
    ],
)
def test_the_english_side_follows_from_the_name(tmp_path, foreign, english):
    assert english_file(tmp_path / foreign) == (english and tmp_path / english)


def test_lines_belong_together(write):
    write("en-de.en.gz", "one\ntwo\n")
    path = write("en-de.de.gz", "eins\nzwei \n")
    pairs = [(each.id, each.language, each.first, each.second, each.label) for each in read_bitext(path, "de")]
    assert {each.languages for each in read_bitext(path, "de")} == {("de", "en")}
    assert pairs == [("1", "de", "eins", "one", "1"), ("2", "de", "zwei", "two", "2")]


def test_errors(write):
    path = write("en-de.de", "eins\nzwei\n")
    with pytest.raises(XalignError, match=r"(?s)does not exist.*en-de\.en"):
        read_bitext(path, "de")
    write("en-de.en", "one\n")
    with pytest.raises(XalignError, match="2 and 1 lines"):
        read_bitext(path, "de")
    with pytest.raises(XalignError, match="not named as the foreign side"):
        read_bitext(write("sentences.txt", "eins\n"), "de")


def test_a_sorted_english_side_has_no_labels(write):
    lines = [f"sentence {k:03d}" for k in range(30)]
    path = write("de-en.de", "\n".join(lines))
    write("de-en.en", "\n".join(lines))
    assert [pair.label for pair in read_bitext(path, "de")] == [None] * 30
    write("de-en.en", "\n".join([lines[1], lines[0], *lines[2:]]))
    assert [pair.label for pair in read_bitext(path, "de")] == [str(number) for number in range(1, 31)]


def test_codes_are_unique():
    assert len(set(TATOEBA_LANGUAGES.values())) == len(TATOEBA_LANGUAGES) == 45
