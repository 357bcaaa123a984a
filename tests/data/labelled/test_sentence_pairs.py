import csv
import io
import lzma
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.sentence_pairs import english_file, labels_file, read_bitext, read_pairs


def rows(*each):
    return "".join("\t".join(row) + "\n" for row in each)


def parts(examples):
    return [(each.id, each.first, each.second, each.label) for each in examples]


def test_two_columns_take_labels_from_the_file_next_to_them(write):
    path = write("test-de.tsv", rows(("a", "b"), ("c", "d")))
    assert labels_file(path) is None
    assert [each.label for each in read_pairs(path, "de")] == [None, None]
    beside = write("test.labels.xz", lzma.compress(b"0\n1\n"))
    assert labels_file(path) == beside
    assert [each.label for each in read_pairs(path, "de")] == ["0", "1"]
    beside = write("test.labels", "0\n1\n")
    assert labels_file(path) == beside
    assert parts(read_pairs(path, "de")) == [("1", "a", "b", "0"), ("2", "c", "d", "1")]
    write("test.labels", "0\n1\n1\n")
    with pytest.raises(XalignError, match="found: 2 and 3"):
        read_pairs(path, "de")
    write("test.labels", "0\n\n")
    with pytest.raises(XalignError, match=r"(?s)some pairs have a label.*test.labels, line 2"):
        read_pairs(path, "de")


@pytest.mark.parametrize("header", [(), (("sentence1", "sentence2", "label"),)])
def test_a_column_of_labels_that_is_empty_is_none(write, header):
    """As in a table with withheld labels; a single row without a label stays an error."""
    path = write("test-de.tsv", rows(*header, ("a", "b", ""), ("c", "d", " ")))
    assert [(each.first, each.label) for each in read_pairs(path, "de")] == [("a", None), ("c", None)]
    path = write("test-de.tsv", rows(*header, ("a", "b", ""), ("c", "d", "0")))
    with pytest.raises(XalignError, match=rf"(?s)some pairs have a label.*test-de.tsv, line {1 + len(header)}"):
        read_pairs(path, "de")


XNLI = rows(
    ("language", "gold_label", "sentence1_binary_parse", "sentence1", "sentence2", "promptID", "pairID"),
    ("de", "neutral", "", "ein Satz", "noch einer", "1", "77"),
    ("en", "contradiction", "", 'he said "no"', '"a ""b"""', "1", "77"),
)


def test_xnli_has_all_languages_in_one_file(write):
    path = write("xnli.dev.tsv", XNLI)
    assert parts(read_pairs(path, "de")) == [("77", "ein Satz", "noch einer", "neutral")]
    assert parts(read_pairs(path, "en")) == [("77", 'he said "no"', '"a ""b"""', "contradiction")]
    with pytest.raises(XalignError, match=r"(?s)no pair of language fr.*rows of de, en"):
        read_pairs(path, "fr")


@given(st.text(alphabet='ab "', max_size=8), st.text(alphabet='ab "', max_size=8))
def test_files_of_the_csv_module_are_read_back(first, second):
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerow([first, second, "x"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train-en.tsv"
        path.write_text(out.getvalue())
        assert parts(read_pairs(path, "en")) == [("1", first.strip(), second.strip(), "x")]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        *(
            (name, "a b\tc\tneutral\nd\t\tx\n", [("1", "a b", "c", "neutral"), ("2", "d", "", "x")])
            for name in ("dev-de.tsv", "dev-de.tsv.gz")
        ),
        ("train-de.tsv", 'a\t"he said ""no"""\tneutral\r\n', [("1", "a", 'he said "no"', "neutral")]),
        ("multinli.train.de.tsv", "premise\thypo\tlabel\n a\tb \tcontradictory\n", [("2", "a", "b", "contradiction")]),
        ("test.tsv", "premise\thypothesis\tlabel\na\tb\t1\n", [("2", "a", "b", "1")]),  # from the hub
        ("de/dev_2k.tsv", "id\tsentence1\tsentence2\tlabel\n9\ta\tb\t1\n", [("9", "a", "b", "1")]),  # PAWS-X
    ],
)
def test_columns(write, name, text, found):
    examples = read_pairs(write(name, text), "de")
    assert parts(examples) == found and {each.language for each in examples} == {"de"}


@pytest.mark.parametrize(
    "text, message",
    [
        (rows(("a", "b", "0"), ("a", "b")), r"(?s)columns of the first.*bad-en.tsv, line 2\n.*2 columns"),
        (rows(("premise", "hypo", "label"), ("a", "b")), r"(?s)line 2\n.*2 columns"),
        (rows(("a", "b", "c", "d")), r"(?s)columns of the file are unknown.*'d'"),
        (rows(("premise", "claim", "label"), ("a", "b", "x")), r"(?s)unknown.*line 1\n.*'premise', 'claim'"),
        (rows(("a", "b", "0"), ("a", "b", " ")), r"(?s)some pairs have a label.*line 2"),
        (rows(("premise", "hypo", "label")), r"(?s)no pair.*only a header"),
        ("", "empty"),
    ],
)
def test_errors(write, text, message):
    with pytest.raises(XalignError, match=message):
        read_pairs(write("bad-en.tsv", text), "en")


def test_the_translation_of_xtremes_translated_pairs_is_read(tmp_path, caplog):
    rows = [f"One {n}\tTwo {n}\tEins {n}\tZwei {n}\tcontradictory" for n in range(200)]
    path = tmp_path / "en-de-translated.tsv"
    path.write_text("\n".join([*rows, "One\tTwo\tEins", "One\tTwo\t\tZwei\tneutral"]) + "\n")
    pairs = read_pairs(path, "de")
    assert len(pairs) == 200 and (pairs[7].first, pairs[7].second, pairs[7].label) == (
        "Eins 7",
        "Zwei 7",
        "contradiction",
    )
    assert "2 of 202 rows, the first of them line 201" in caplog.text
    path.write_text("\n".join([*rows[:9], "One\tTwo"]) + "\n")
    with pytest.raises(XalignError, match="at most 1 %"):
        read_pairs(path, "de")


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


def test_errors_of_bitext(write):
    path = write("en-de.de", "eins\nzwei\n")
    with pytest.raises(XalignError, match=r"(?s)does not exist.*en-de\.en"):
        read_bitext(path, "de")
    write("en-de.en", "one\n")
    with pytest.raises(XalignError, match="2 and 1 lines"):
        read_bitext(path, "de")
    with pytest.raises(XalignError, match="not named as the foreign side"):
        read_bitext(write("sentences.txt", "eins\n"), "de")
