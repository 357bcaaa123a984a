"""Sentences worked by hand: words, word order and links in Russian."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample.russian import Russian, parse_adjective

CASES = [
    (grammar.front_door, "Учитель не запирает входную дверь .", "1-0 3-1 4-2 6-3 7-4 8-5"),
    (grammar.found_key, "Я знаю , что Анна нашла старый ключ .", "0-0 1-1 2-3 3-4 4-5 5-5 7-6 8-7 9-8"),
    (grammar.river_bank, "На берегу Сены есть лодка .", "1-3 3-4 4-0 6-1 9-2 10-5"),
    (grammar.red_apple, "Дал ли врач Марии красное яблоко ?", "2-2 3-0 5-4 6-5 8-3 9-6"),
    (grammar.reading_woman, "Женщина , которая читает книгу , будит его .", "1-0 2-2 3-3 5-4 6-6 7-7 8-6 9-8"),
    (
        grammar.bigger_house,
        "В 1995 году дом Петра был больше , чем наша машина .",
        "0-0 1-1 2-4 4-3 5-5 6-6 7-8 8-9 9-10 10-11",
    ),
    (
        grammar.rain,
        "Если пойдёт дождь , никто не уберёт три комнаты .",
        "0-0 2-1 2-2 3-3 4-4 4-5 5-6 6-6 7-6 8-7 9-8 10-9",
    ),
    (grammar.no_lemon, "Повар не купил лимон .", "1-0 3-1 4-2 6-3 7-4"),
    # determiners, numbers and verbs
    (grammar.why, "Почему учитель читает эту книгу ?", "not given"),
    (grammar.two_books, "Каждый учитель читает две книги .", "not given"),
    (grammar.pronouns, "Она прочитала их .", "not given"),
    (grammar.wish, "Мы не хотим прочитать мою книгу .", "not given"),
    (grammar.many_books, "Они прочитают многие книги .", "not given"),
    (grammar.but, "Я читал книгу , но он никогда не читает 30 книг .", "not given"),
    (grammar.two_teachers, "Два учителя должны прочитать старые книги .", "not given"),
]


@pytest.mark.parametrize(("build", "expected", "links"), CASES, ids=[build.__name__ for build, *_ in CASES])
def test_sentence_and_links(build, expected, links):
    said, linked = grammar.say(build, Russian)
    assert said == expected
    assert links in (linked, "not given")


def test_adjectives_by_ending_and_animacy():
    assert parse_adjective("хороший").form("m", "gen", True) == "хорошего"
    assert parse_adjective("большой").form("n", "dat", False) == "большому"
    assert parse_adjective("синий").form("f", "acc", False) == "синюю"
    assert [parse_adjective("старый").form("m", "acc", animate) for animate in (True, False)] == ["старого", "старый"]
    assert parse_adjective("большой/больше").comparative == "больше"
    assert parse_adjective("большой/больше").form("p", "acc", True) == "больших"
