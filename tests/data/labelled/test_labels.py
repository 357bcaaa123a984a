"""Labels of all kinds of examples, and those that a model does not know."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, Tree, TreeExample, WordsExample
from xalign_fairseq.data.labelled.labels import check_labels, classes_of, label_of


def words(*tags):
    return WordsExample("1", "de", ("w",) * len(tags), tags)


def test_what_a_label_is():
    tree = Tree((0, 1), ("root", "obj"))
    question = QuestionExample("1", "de", "?", "c", (("c", 0),))
    examples = [
        PairExample("1", "de", "a", "b", "x"),
        words("X", "Y"),
        TreeExample("1", "de", ("a", "b"), ("X", "X"), tree),
    ]
    assert [label_of(each) for each in (*examples, question)] == ["x", ("X", "Y"), tree, (("c", 0),)]
    assert [classes_of(each) for each in (*examples, question)] == [("x",), ("X", "Y"), ("root", "obj"), ()]


def test_unknown_labels_are_named():
    examples = [words("B-LOC", "O"), words("B-DATE", "B-LAW")]
    with pytest.raises(XalignError, match=r"(?s)some.tsv.*found: B-DATE, B-LAW\n.*expected: B-LOC, B-PER, O\n"):
        check_labels(["O", "B-PER", "B-LOC"], examples, "some.tsv")
    assert check_labels(["O", "B-LOC", "I-X"], examples[:1], "some.tsv") == []
    with pytest.raises(XalignError, match="found: 2"):
        check_labels({"0", "1"}, [PairExample("1", "de", "a", "b", "2")], "some.tsv")


def test_universal_labels_that_training_lacked_are_reported_but_allowed():
    tree = TreeExample("1", "zh", ("a", "b"), ("NOUN", "X"), Tree((0, 1), ("root", "clf:det")))
    assert check_labels(["root", "dep"], [tree], "x") == ["clf"]
    assert check_labels(["root", "clf"], [tree], "x") == []  # a parser's labels are universal
    assert check_labels(["NOUN"], [words("X", "NOUN", "SYM")], "x") == ["SYM", "X"]
    odd = TreeExample("1", "zh", ("a",), ("X",), Tree((0,), ("ROOT",)))
    with pytest.raises(XalignError, match="found: ROOT"):
        check_labels(["root"], [odd], "x")


def test_examples_without_labels_have_none_to_check():
    examples = [
        PairExample("1", "de", "a", "b", None),
        WordsExample("1", "de", ("a",), None),
        TreeExample("1", "de", ("a",), ("X",), None),
        QuestionExample("1", "de", "?", "c", (("c", 0),)),
    ]
    assert check_labels([], examples, "x") == []
