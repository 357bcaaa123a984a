import gzip
import hashlib
from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, Tree, TreeExample, WordsExample
from xalign_fairseq.data.labelled.labels import check_labels, classes, digest, label_of


def words(*tags):
    return WordsExample("1", "de", ("w",) * len(tags), tags)


def test_labels_of_all_examples():
    tree = Tree((0, 1), ("root", "obj:tmod"))
    question = QuestionExample("1", "de", "?", "c", (("c", 0),))
    examples = [
        PairExample("1", "de", "a", "b", "x"),
        words("X", "Y"),
        TreeExample("1", "de", ("a", "b"), ("X", "X"), tree),
    ]
    assert [label_of(each) for each in (*examples, question)] == ["x", ("X", "Y"), tree, (("c", 0),)]
    assert classes((*examples, question)) == ["X", "Y", "obj", "root", "x"]
    unlabelled = [replace(examples[0], label=None), replace(examples[1], tags=None), replace(examples[2], tree=None)]
    assert {label_of(each) for each in unlabelled} == {None} and classes(unlabelled) == []


def test_unknown_labels_are_named():
    examples = [words("B-LOC", "O"), words("B-DATE", "B-LAW")]
    with pytest.raises(XalignError, match=r"(?s)some.tsv.*found: B-DATE, B-LAW\n.*expected: B-LOC, B-PER, O$"):
        check_labels(["O", "B-PER", "B-LOC"], examples, "some.tsv")
    assert check_labels(["O", "B-LOC", "I-X"], examples[:1], "some.tsv") == []
    with pytest.raises(XalignError, match="found: 2"):
        check_labels({"0", "1"}, [PairExample("1", "de", "a", "b", "2")], "some.tsv")


def test_universal_labels_that_training_lacked_are_reported_but_allowed():
    tree = TreeExample("1", "zh", ("a", "b"), ("NOUN", "X"), Tree((0, 1), ("root", "clf:det")))
    assert check_labels(["root", "dep"], [tree], "x") == ["clf"]
    assert check_labels(["root", "clf"], [tree], "x") == []  # parsers have universal labels
    assert check_labels(["NOUN"], [words("X", "NOUN", "SYM")], "x") == ["SYM", "X"]
    odd = TreeExample("1", "zh", ("a",), ("X",), Tree((0,), ("ROOT",)))
    with pytest.raises(XalignError, match="found: ROOT"):
        check_labels(["root"], [odd], "x")


def test_the_digest_is_that_of_the_decompressed_content(tmp_path):
    content = b"a\tb\n" * 1000
    (tmp_path / "x.json").write_bytes(content)
    (tmp_path / "y.json.gz").write_bytes(gzip.compress(content))
    expected = hashlib.sha256(content).hexdigest()[:12]
    assert digest(tmp_path / "x.json") == digest(tmp_path / "y.json.gz") == expected


def test_the_digest_covers_labels_and_translations(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    path = write("test-de.tsv", b"a\tb\n")
    write("test.labels", b"1\n")
    assert digest(path) == hashlib.sha256(b"a\tb\n1\n").hexdigest()[:12]
    path = write("en-de.de", b"eins\n")
    write("en-de.en", b"one\n")
    assert digest(path) == hashlib.sha256(b"eins\none\n").hexdigest()[:12]
