import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.qa import MLQA_EM, MLQA_F1, SQUAD_EM, SQUAD_F1, normalise_mlqa, normalise_squad


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The U.S.  Army", "us army"),
        ("a\tman, an apple & the-end\n", "man apple theend"),  # punctuation is removed first, so no "the" is left
        ("Another theory", "another theory"),
        ("“1,000”", "“1000”"),  # quotation marks outside ASCII stay
        ("the", ""),
        ("die Stadt, 北京。", "die stadt 北京。"),
    ],
)
def test_squad_normalisation(text, expected):
    assert normalise_squad(text) == normalise_squad(text, "de") == expected


@pytest.mark.parametrize(
    "language, text, expected",
    [
        ("en", "“The” cat—a dog's", "cata dogs"),
        ("en", "The cat a dog", "cat dog"),
        ("es", "¿Los años de la guerra?", "años de guerra"),
        ("de", "«Die Stadt» des Königs; eine Straße", "stadt königs straße"),
        ("hi", "‘यह’ एक घर है।", "यह एक घर है"),
        ("vi", "Những con mèo của tôi là mèo", "con mèo tôi mèo"),
        ("ar", "الكتاب، والكتاب", "كتاب و كتاب"),  # alif-lam is removed inside a word too
        ("zh", "《北京》是 the 首都, 2008年", "北 京 是 the 首 都 2008 年"),
        ("fr", "L’été le jour", "lété le jour"),  # not a language of MLQA: no articles
        ("en", "$5 + 3", "5 3"),  # symbols of ASCII count as punctuation
        ("en", "€5", "€5"),
    ],
)
def test_mlqa_normalisation(language, text, expected):
    assert normalise_mlqa(text, language) == expected


def test_mlqa_uses_the_language_of_the_context():
    assert normalise_mlqa("the die", "en-de") == "die"
    assert normalise_mlqa("the die", "de-en") == "the"
    assert normalise_mlqa("年月", "zh-CN") == "年 月"


def one(metric, golds, prediction, language="en"):
    return metric.score(metric.counts([golds], [prediction], language))


def test_f1_by_hand():
    # 2 of 3 predicted tokens, 2 of 4 gold ones: 2 * 2 / (3 + 4).
    assert one(SQUAD_F1, ["the big red old house"], "red house today") == pytest.approx(4 / 7)
    # "b" twice in the prediction matches only one "b" of the gold answer.
    assert one(SQUAD_F1, ["b c"], "b b") == pytest.approx(2 * 1 / (2 + 2))
    assert one(SQUAD_F1, ["x y"], "y x") == 1 and one(SQUAD_EM, ["x y"], "y x") == 0
    assert one(SQUAD_F1, ["x"], "y") == 0


def test_the_best_answer_counts():
    answers = ["in 1999", "1999", "the year of 1999"]
    assert one(SQUAD_EM, answers, "1999!") == 1
    assert one(SQUAD_F1, answers[::2], "year 1999") == pytest.approx(max(2 / 4, 4 / 5))


def test_empty_answers():
    # As in SQuAD 1.1's script: equal, but without a common token.
    assert one(SQUAD_EM, ["the"], "") == one(MLQA_EM, ["the"], "") == 1
    assert one(SQUAD_F1, ["the"], "") == one(MLQA_F1, ["the"], "") == 0
    assert one(SQUAD_EM, ["it"], "") == one(SQUAD_F1, ["it"], "") == 0
    with pytest.raises(XalignError, match="no gold answer"):
        SQUAD_F1.counts([[]], ["cat"], "en")
