"""The languages of an example's texts, in the order in which the encoder reads them."""

import pytest

from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, TreeExample, WordsExample


@pytest.mark.parametrize(
    ("example", "languages"),
    [
        (PairExample("1", "de", "a", "b", None), ("de", "de")),
        (PairExample("1", "de", "a", "b", None, second_language="en"), ("de", "en")),
        (WordsExample("1", "de", ("a",), None), ("de",)),
        (TreeExample("1", "de", ("a",), ("X",), None), ("de",)),
        (QuestionExample("1", "de", "q", "context", None), ("de", "de")),
        (QuestionExample("1", "de", "q", "context", None, question_language="en"), ("en", "de")),
    ],
)
def test_languages(example, languages):
    assert example.languages == languages
    assert example.language == "de"  # of the answers, the labels
