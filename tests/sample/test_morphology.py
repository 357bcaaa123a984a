"""Inflection in the sample grammar, against forms from grammar books."""

import pytest

from xalign_fairseq.sample import english, french_morphology, german_morphology, russian_morphology
from xalign_fairseq.sample.lexicon import load_lexicon


@pytest.mark.parametrize(
    ("cell", "third", "past", "ing"),
    [
        ("copy", "copies", "copied", "copying"),
        ("stay", "stays", "stayed", "staying"),
        ("watch", "watches", "watched", "watching"),
        ("close", "closes", "closed", "closing"),
        ("go went gone", "goes", "went", "going"),
        ("see saw seen seeing", "sees", "saw", "seeing"),
    ],
)
def test_english_verbs(cell, third, past, ing):
    forms = english.verb_forms(cell)
    assert (forms["third"], forms["past"], forms["ing"]) == (third, past, ing)


def test_german_adjectives_follow_the_article():
    ending = german_morphology.adjective_ending
    assert [ending(case, "m", "weak") for case in german_morphology.CASES] == ["e", "en", "en", "en"]
    assert [ending(case, "m", "mixed") for case in german_morphology.CASES] == ["er", "en", "en", "en"]
    assert [ending(case, "n", "strong") for case in german_morphology.CASES] == ["es", "es", "em", "en"]
    assert [ending("acc", gender, "mixed") for gender in "fnp"] == ["e", "es", "en"]


def test_german_nouns_and_verbs():
    student = german_morphology.parse_noun("Student mw Studenten")
    assert (student.singular["nom"], student.singular["dat"]) == ("Student", "Studenten")
    child = german_morphology.parse_noun("Kind n Kinder")
    assert (child.singular["gen"], child.plural["nom"], child.plural["dat"]) == ("Kindes", "Kinder", "Kindern")
    smile = german_morphology.parse_verb("lächeln lächelt lächelte gelächelt")
    assert (smile.present["1s"], smile.present["3p"], smile.past["1p"]) == ("lächle", "lächeln", "lächelten")
    assert german_morphology.parse_verb("reparieren").participle == "repariert"
    play = german_morphology.parse_verb("spielen")
    assert (play.present["1s"], play.past["3s"], play.participle) == ("spiele", "spielte", "gespielt")


def test_french_forms():
    eat = french_morphology.parse_verb("manger")
    assert (eat.present["1p"], eat.imperfect["3s"], eat.imperfect["1p"]) == ("mangeons", "mangeait", "mangions")
    put = french_morphology.parse_verb("mettre mets met mettons mettent mis mettr")
    assert (put.agreeing("f", True), put.agreeing("m", True), put.future["3p"]) == ("mises", "mis", "mettront")
    old = french_morphology.parse_adjective("vieux vieille vieil <")
    assert (old.form("f", True), old.form("m", True), old.before_vowel, old.first) == (
        "vieilles",
        "vieux",
        "vieil",
        True,
    )
    assert [french_morphology.plural(w) for w in ("bleu", "neveu", "hôpital", "bras")] == [
        "bleus",
        "neveux",
        "hôpitaux",
        "bras",
    ]
    assert french_morphology.vowel_start("hôpital")
    assert not french_morphology.vowel_start("héros") and not french_morphology.vowel_start("haches")


def test_russian_nouns():
    parse = russian_morphology.parse_noun
    city = parse("город np=города")
    assert [city.plural[case] for case in ("nom", "gen", "ins")] == ["города", "городов", "городами"]
    kitchen = parse("кухня gp=кухонь")
    assert [kitchen.singular[case] for case in russian_morphology.CASES] == [
        "кухня",
        "кухни",
        "кухне",
        "кухню",
        "кухней",
        "кухне",
    ]
    father = parse("отец a o stem=отц")
    assert [father.singular[case] for case in russian_morphology.CASES] == [
        "отец",
        "отца",
        "отцу",
        "отца",
        "отцом",
        "отце",
    ]
    assert father.plural["acc"] == "отцов"
    name = parse("Мария a")
    assert (name.singular["dat"], name.singular["acc"]) == ("Марии", "Марию")
    street = parse("улица")
    assert (street.singular["ins"], street.plural["gen"], street.plural["nom"]) == ("улицей", "улиц", "улицы")


def test_russian_adjectives_and_verbs():
    parse = russian_morphology.parse_adjective
    assert parse("хороший").form("m", "gen", True) == "хорошего"
    assert parse("большой").form("n", "dat", False) == "большому"
    assert parse("синий").form("f", "acc", False) == "синюю"
    assert parse("старый").form("m", "acc", True) == "старого" and parse("старый").form("m", "acc", False) == "старый"
    stay = russian_morphology.parse_verb("оставаться остаюсь остаётся остаются")
    assert (stay.present["1s"], stay.present["1p"], stay.past["f"]) == ("остаюсь", "остаёмся", "оставалась")
    learn = russian_morphology.parse_verb("учить")
    assert list(learn.present.values()) == ["учу", "учит", "учим", "учат"]


def test_every_cell_of_the_lexicon_can_be_read():
    lexicon = load_lexicon()
    for entry in lexicon.nouns + lexicon.places:
        assert german_morphology.parse_noun(entry["de"]).gender in "mfn"
        assert french_morphology.parse_noun(entry["fr"]).gender in "mf"
        noun = russian_morphology.parse_noun(entry["ru"])
        assert noun.gender in "mfn" and set(noun.plural) == set(russian_morphology.CASES)
    for entry in lexicon.adjectives:
        assert set(russian_morphology.parse_adjective(entry["ru"]).forms) == set("mfnp")
    for entry in lexicon.verbs:
        assert set(german_morphology.parse_verb(entry["de"]).present) == set(french_morphology.PERSONS)
        assert set(french_morphology.parse_verb(entry["fr"]).future) == set(french_morphology.PERSONS)
        for aspect in ("ru_imperfective", "ru_perfective"):
            assert set(russian_morphology.parse_verb(entry[aspect]).past) == set("mfnp")
