"""Mixtures of translated training data with the original."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.code_switching import code_switch
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, WordsExample


def pairs(language, count=2, labels="xy"):
    return [
        PairExample(str(i), language, f"{language} first {i}", f"{language} second {i}", labels[i])
        for i in range(count)
    ]


def test_each_translation_becomes_its_two_mixtures_and_the_originals_go():
    groups = code_switch({"en": pairs("en"), "de": pairs("de"), "fr": pairs("fr")})
    assert [[(e.languages, e.first, e.second, e.label) for e in group] for group in groups] == [
        [
            ((xx, "en"), f"{xx} first {i}", f"en second {i}", label),
            (("en", xx), f"en first {i}", f"{xx} second {i}", label),
        ]
        for xx in ("de", "fr")
        for i, label in enumerate("xy")
    ]


def test_the_answer_goes_with_the_context():
    english = QuestionExample("q", "en", "Who?", "It was Ann.", (("Ann", 7),))
    spanish = QuestionExample("q", "es", "¿Quién?", "Fue Ana.", (("Ana", 4),))
    ((first, second),) = code_switch({"en": [english], "es": [spanish]})
    assert (first.language, second.language) == ("en", "es")  # that of the context, in which the answer is
    assert (first.languages, second.languages) == (("es", "en"), ("en", "es"))
    assert (first.question, first.context, first.answers) == ("¿Quién?", "It was Ann.", (("Ann", 7),))
    assert (second.question, second.context, second.answers) == ("Who?", "Fue Ana.", (("Ana", 4),))


def test_questions_go_by_their_ids(caplog):
    def questions(language, ids):
        return [QuestionExample(i, language, f"{language} {i}?", "A b.", (("b", 2),)) for i in ids]

    groups = code_switch({"en": questions("en", "abc"), "es": questions("es", "cxa")})
    assert [group[0].question for group in groups] == ["es c?", "es a?"]
    assert [group[1].question for group in groups] == ["en c?", "en a?"]
    assert "2 questions of en or es have no counterpart" in caplog.text
    with pytest.raises(XalignError, match="not parallel"):
        code_switch({"en": questions("en", "ab"), "es": questions("es", "xy")})


@pytest.mark.parametrize(
    ("examples", "told"),
    [
        ({"en": pairs("en")}, "at least one other"),
        ({"de": pairs("de"), "fr": pairs("fr")}, "en and at least"),
        ({"en": pairs("en"), "de": pairs("de", 1)}, "2 and 1 examples"),
        ({"en": pairs("en"), "de": pairs("de", labels="xx")}, "labels y and x"),
        (
            {"en": [WordsExample("1", "en", ("a",), ("X",))], "de": [WordsExample("1", "de", ("b",), ("X",))]},
            "WordsExample",
        ),
    ],
)
def test_what_can_not_be_mixed_is_told(examples, told):
    with pytest.raises(XalignError, match=told):
        code_switch(examples)
