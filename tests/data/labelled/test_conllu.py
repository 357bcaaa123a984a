import subprocess

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.conllu import read_pos, read_tagged_words, read_trees, read_upos
from xalign_fairseq.data.labelled.examples import Tree


def row(number, form, upos="NOUN", head="0", relation="root"):
    return "\t".join([str(number), form, "_", upos, "_", "_", str(head), relation, "_", "_"])


def sentence(*heads):
    return "\n".join(row(k, f"w{k}", head=head, relation="dep") for k, head in enumerate(heads, 1)) + "\n\n"


REAL = "\n".join(
    [
        "# newdoc",
        "# sent_id = s-1",
        "# text = vámonos al mar",
        row("1-2", "vámonos", "_", "_", "_"),
        row(1, "vamos", "VERB", 0, "root"),
        row(2, "nos", "PRON", 1, "obj"),
        row("3-4", "al", "_", "_", "_"),
        row(3, "a", "ADP", 5, "case"),
        row(4, "el", "DET", 5, "det"),
        row("4.1", "gran", "ADJ", "_", "_"),
        row(5, "mar azul", "NOUN", 1, "obl:arg"),
        "",
        row(1, "#", "SYM", 0, "root"),
    ]
)


@pytest.mark.parametrize("name", ["es.conllu", "es.conllu.gz"])
def test_words_are_the_syntactic_ones(write, name):
    first, second = read_trees(write(name, REAL), "es_gsd")
    assert (first.id, first.language) == ("s-1", "es")
    assert first.words == ("vamos", "nos", "a", "el", "mar azul")
    assert first.upos == ("VERB", "PRON", "ADP", "DET", "NOUN")
    assert first.tree == Tree((0, 1, 5, 5, 1), ("root", "obj", "case", "det", "obl:arg"))
    assert (second.id, second.words) == ("2", ("#",))  # its number; no empty line at the end


def test_pos_is_read_without_a_look_at_the_tree(write):
    path = write("x.conllu", REAL + "\n" + row(2, "b", "X", 7, "dep"))
    examples = read_upos(path, "es_gsd")
    assert examples[1].tags == ("SYM", "X") and examples[1].language == "es"
    with pytest.raises(XalignError, match="not a word of its sentence"):
        read_trees(path, "es")


@pytest.mark.parametrize(
    "text, messages",
    [
        (sentence(0) + row(1, "a").replace("\t", " "), ["columns", "line 3"]),
        (row(1, "a") + "\t_", ["columns", "line 1"]),
        (row(1, ""), ["columns", "line 1"]),
        (row(1, "a") + "\n" + row(3, "b"), ["numbered", "line 2", "found: 3", "expected: 2"]),
        (row(1, "a") + "\n" + row(1, "b"), ["numbered", "line 2", "blank line"]),
        (row(1, "a") + "\n" + row("1-2", "b"), ["numbered", "found: 1-2"]),
        (sentence(0) + sentence(0, 3), ["not a word", "line 3", "head 3 of word 2"]),
        (sentence(0, "x"), ["not a word", "head x of word 2"]),
        (sentence(0, 0), ["one root", "found: 1, 2"]),
        (sentence(2, 1), ["one root", "none"]),
        (sentence(0, 3, 4, 2), ["cycle", "2 -> 3 -> 4 -> 2"]),
        (sentence(0, "_"), ["partly labelled", "1 of 2 words without column 7"]),
        (row(1, "a", relation="_"), ["without relations"]),
        ("# sent_id = 1\n\n", ["no sentence"]),
        ("", ["empty"]),
    ],
)
def test_errors_say_where(write, text, messages):
    path = write("bad.conllu", text)
    with pytest.raises(XalignError) as error:
        read_trees(path, "en")
    for message in [str(path), *messages]:
        assert message in str(error.value)


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
        ("en:\tO\nb\tO\n", ("en:", "b"), ("O", "O")),  # no language before each word
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
        ("a\tO\tX\n", r"malformed.*bad.tsv, line 1\n.*3 columns"),
        ("a\t\n", "malformed.*bad.tsv, line 1"),
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
def test_spaces_between_columns_are_refused_with_a_command_for_tabs(write, read, text):
    path = write("eng.train", text)
    with pytest.raises(XalignError, match="separated by spaces") as raised:
        read(path, "en")
    command = str(raised.value).partition("next: ")[2].partition(" > FILE")[0]
    made = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    first = read(write("tabs", made), "en")[0]
    assert first.words == (text.split()[0],) and first.tags == (text.split("\n")[0].split()[-1],)


@pytest.mark.parametrize("name", ["de.conllu", "de.CONLLU.gz", "test-de.tsv"])
@pytest.mark.parametrize("head", ["", "# sent_id = 1\n# text = Das Haus\n"])
def test_conllu_with_spaces_is_named_in_the_error(write, name, head):
    text = head + "1 Das das DET _ _ 2 det _ _\n2 Haus Haus NOUN _ _ 0 root _ _\n"
    with pytest.raises(XalignError, match=r"line of CoNLL-U(.|\n)*10 columns, separated by tabs"):
        read_pos(write(name, text), "de")
