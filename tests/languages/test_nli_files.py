"""Derived pairs of texts: hand-worked pairs, labels of every layout, round trips."""

import pytest

from xalign_fairseq.data.labelled.sentence_pairs import read_pairs
from xalign_fairseq.languages import nli_files
from xalign_fairseq.languages.derivation import Inversion
from xalign_fairseq.languages.nli_files import words_and_marks

INVERTED = Inversion([".", "?"])


@pytest.fixture
def write(tmp_path):
    def write(name, *lines):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return tmp_path / name

    return write


def test_both_texts_are_derived_and_the_label_is_kept(write):
    path = write("dev-en.tsv", "He ran. Why?\tHe didn't walk.\tentailment", "No\tYes, no\tcontradiction")
    derived, counts = nli_files.derive(nli_files.read(path, "en"), INVERTED)
    assert list(nli_files.lines(derived)) == [
        "ran He . Why ?\twalk didn't He .\tentailment",
        "No\tno , Yes\tcontradiction",
    ]
    assert counts == {"empty": 0}


def test_labels_next_to_two_columns_become_the_third(write):
    write("test.labels", "neutral", "contradiction")
    derived, _ = nli_files.derive(nli_files.read(write("test-en.tsv", "a b\tc", "d\te f"), "en"), INVERTED)
    assert list(nli_files.lines(derived)) == ["b a\tc\tneutral", "d\tf e\tcontradiction"]


def test_two_columns_without_labels_stay_two(write):
    pairs = nli_files.read(write("test-en.tsv", "a b\tc", "d\t"), "en")
    assert nli_files.sentences(pairs) == [["a", "b"], ["c"], ["d"], []]
    derived, counts = nli_files.derive(pairs, INVERTED)
    assert list(nli_files.lines(derived)) == ["b a\tc", "d\t"]
    assert counts == {"empty": 1}


def test_columns_by_name_are_written_as_three(write):
    path = write(
        "xnli.dev.tsv", "language\tgold_label\tsentence1\tsentence2", "en\tneutral\ta b.\tc", "de\tneutral\tx\ty"
    )
    derived, _ = nli_files.derive(nli_files.read(path, "en"), INVERTED)
    assert list(nli_files.lines(derived)) == ["b a .\tc\tneutral"]


def test_the_identity_keeps_all_that_the_task_reads(write):
    quoted = '"He said "" no "" ."'  # csv's quotes, which the reader removes
    odd = '""" """" """'  # a text that looks quoted, in quotes
    path = write("dev-en.tsv", f"A man sleeps .\t{quoted}\tneutral", f"{odd}\tShe didn't .\tentailment")
    natural = nli_files.read(path, "en")
    assert (natural[0].second, natural[1].first) == ('He said " no " .', '" "" "')
    same, _ = nli_files.derive(natural, lambda sentence, key: sentence)
    assert same == natural == read_pairs(path, "en")
    assert read_pairs(write("same-en.tsv", *nli_files.lines(same)), "en") == natural


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("And he said, Mama, I'm home.", "And he said , Mama , I'm home ."),
        ('"Is it (really) 5%?"', '" Is it ( really ) 5 % ? "'),
        ("nine-two 3.5 don't U.S. $20,000", "nine-two 3.5 don't U.S . $ 20,000"),
        ("well... no!! -- ''x", "well ... no !! -- '' x"),
        ("\u00bfQu\u00e9?\u00a0S\u00ed.  ", "\u00bf Qu\u00e9 ? S\u00ed ."),
        ("वह है।", "वह है ।"),
        ("", ""),
    ],
)
def test_text_becomes_words(text, words):
    assert words_and_marks(text) == words.split()
