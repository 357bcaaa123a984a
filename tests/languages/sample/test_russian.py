"""Sentences worked by hand: words, word order and links in Russian."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample import english, russian

EXPECTED = {
    "front door": (
        "Учитель не запирает входную дверь .",
        "1-0 3-1 4-2 6-3 7-4 8-5",
    ),
    "found key": (
        "Я знаю , что Анна нашла старый ключ .",
        "0-0 1-1 2-3 3-4 4-5 5-5 7-6 8-7 9-8",
    ),
    "river bank": (
        "Лодка осталась на берегу .",
        "1-0 2-1 3-2 5-3 6-4",
    ),
    "red apple": (
        "Потерял ли врач красное яблоко ?",
        "2-2 3-0 5-3 6-4 7-5",
    ),
    "no lemon": (
        "Повар не купил лимон .",
        "1-0 3-1 4-2 6-3 7-4",
    ),
    "three women": (
        "В 1995 году три женщины прочитают эту книгу .",
        "0-0 1-1 2-3 3-4 4-5 5-5 6-6 7-7 8-8",
    ),
    "she went": (
        "Она пошла в Париж , потому что Пётр включил нашу лампу .",
        "0-0 1-1 2-2 3-3 4-5 4-6 5-7 6-8 7-8 8-9 9-10 10-11",
    ),
    "but": (
        "Мы ждём моих друзей , но они не спят .",
        "0-0 1-1 2-1 3-2 4-3 5-4 6-5 7-6 9-7 10-8 11-9",
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sentence_and_links(name):
    message = grammar.SENTENCES[name]
    said = russian.say(message)
    assert (grammar.text(said), grammar.links(english.say(message), said)) == EXPECTED[name]


@pytest.mark.parametrize(
    ("nominative", "gender", "expected"),
    [
        ("большой", "m", "большой большого большому - большим большом"),
        ("синий", "f", "синяя синей синей синюю синей синей"),
        ("хороший", "n", "хорошее хорошего хорошему хорошее хорошим хорошем"),
        ("маленький", "p", "маленькие маленьких маленьким - маленькими маленьких"),
    ],
)
def test_adjectives_follow_their_stems(nominative, gender, expected):
    assert russian.adjective_forms(nominative)[gender] == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("two", "Две новые машины"),
        ("five", "Пять новых машин"),
    ],
)
def test_numerals_govern_the_noun(number, expected):
    car = grammar.noun("car", "number", "nouns", "new/newer", plural=True, number=grammar.entry("numbers", number))
    assert grammar.text(russian.say(grammar.sentence(grammar.clause(car, "stay", "past")))).startswith(expected)
