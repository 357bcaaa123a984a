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


@pytest.mark.parametrize(
    ("name", "lines", "labels", "derived", "empty"),
    [
        (
            "dev-en.tsv",
            ["He ran. Why?\tHe didn't walk.\tentailment", "No\tYes, no\tcontradiction"],
            None,
            ["ran He . Why ?\twalk didn't He .\tentailment", "No\tno , Yes\tcontradiction"],
            0,
        ),
        (
            "test-en.tsv",
            ["a b\tc", "d\te f"],
            ["neutral", "contradiction"],
            ["b a\tc\tneutral", "d\tf e\tcontradiction"],
            0,
        ),
        ("test-en.tsv", ["a b\tc", "d\t"], None, ["b a\tc", "d\t"], 1),  # two columns stay two
        (
            "xnli.dev.tsv",
            ["language\tgold_label\tsentence1\tsentence2", "en\tneutral\ta b.\tc", "de\tneutral\tx\ty"],
            None,
            ["b a .\tc\tneutral"],
            0,
        ),
    ],
)
def test_both_texts_of_every_layout_are_derived_and_the_label_is_kept(write, name, lines, labels, derived, empty):
    if labels:
        write("test.labels", *labels)
    pairs = nli_files.read(write(name, *lines), "en")
    found, counts = nli_files.derive(pairs, INVERTED)
    assert list(nli_files.lines(found)) == derived and counts == {"empty": empty}
    if empty:
        assert nli_files.sentences(pairs) == [["a", "b"], ["c"], ["d"], []]


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
