import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, WordsExample
from xalign_fairseq.data.labelled.groups import code_switch, grouped, held_out


def pairs(language, count=20):
    return [PairExample(f"{language}{i}", language, f"{language} a {i}", f"b {i}", "xy"[i % 2]) for i in range(count)]


def questions(language, ids):
    return [QuestionExample(str(i), language, f"{language} {i}?", "Ann.", (("Ann", 0),)) for i in ids]


def sides(training, switched=False, share=0.3, source=lambda each: each.first.split()[-1]):
    """The source examples for training, and the held-out ones."""
    groups = grouped(training, switched)
    held = held_out(training, groups, share)
    return [{source(group[0]) for group, out in zip(groups, held, strict=True) if out == want} for want in (0, 1)]


def test_of_one_language_every_example_is_drawn_for_itself():
    """Earlier versions held out the same examples."""
    training = {"en": [WordsExample("a", "en", ("a",), ("X",))] * 50}
    held = held_out(training, grouped(training, False), 0.1)
    assert sorted(np.random.default_rng(1).permutation(50)[:5]) == np.flatnonzero(held).tolist()
    training = {"en": pairs("en"), "de": pairs("de")}  # one switched language
    held = held_out(training, grouped(training, True), 0.1)
    assert sorted(np.random.default_rng(1).permutation(20)[:2]) == np.flatnonzero(held).tolist()


@pytest.mark.parametrize("switched", [False, True])
def test_held_out_examples_are_trained_on_in_no_language(switched):
    trained, held = sides({language: pairs(language) for language in ("en", "de", "fr", "hi")}, switched)
    assert not trained & held and len(held) == 6 and len(trained) == 14
    # Questions are the same by their ids.
    ids = {"en": range(20), "de": range(19, 2, -1), "fr": range(5, 18)}
    training = {language: questions(language, of) for language, of in ids.items()}
    trained, held = sides(training, switched, source=lambda each: each.id)
    assert not trained & held and len(held) == (5 if switched else 6)
    trained, held = sides({"en": pairs("en", 10), "de": pairs("de", 20)})  # drawn by position
    assert not trained & held and len(held) == 6


def sentence_pairs(language, count=2, labels="xy"):
    return [
        PairExample(str(i), language, f"{language} first {i}", f"{language} second {i}", labels[i])
        for i in range(count)
    ]


def test_each_translation_becomes_its_two_mixtures_and_the_originals_go():
    groups = code_switch({"en": sentence_pairs("en"), "de": sentence_pairs("de"), "fr": sentence_pairs("fr")})
    assert [[(e.languages, e.first, e.second, e.label) for e in group] for group in groups] == [
        [
            ((xx, "en"), f"{xx} first {i}", f"en second {i}", label),
            (("en", xx), f"en first {i}", f"{xx} second {i}", label),
        ]
        for xx in ("de", "fr")
        for i, label in enumerate("xy")
    ]


def test_the_answer_follows_the_context():
    english = QuestionExample("q", "en", "Who?", "It was Ann.", (("Ann", 7),))
    spanish = QuestionExample("q", "es", "¿Quién?", "Fue Ana.", (("Ana", 4),))
    ((first, second),) = code_switch({"en": [english], "es": [spanish]})
    assert (first.language, second.language) == ("en", "es")  # the context's language, which is also the answer's
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
        ({"en": sentence_pairs("en")}, "at least one other"),
        ({"en": sentence_pairs("en"), "de": sentence_pairs("de", 1)}, "2 and 1 examples"),
        ({"en": sentence_pairs("en"), "de": sentence_pairs("de", labels="xx")}, "labels y and x"),
        (
            {"en": [WordsExample("1", "en", ("a",), ("X",))], "de": [WordsExample("1", "de", ("b",), ("X",))]},
            "WordsExample",
        ),
    ],
)
def test_impossible_mixtures_are_refused(examples, told):
    with pytest.raises(XalignError, match=told):
        code_switch(examples)
