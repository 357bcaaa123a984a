"""Russian inflection, against forms from grammar books."""

from xalign_fairseq.languages.sample import russian_morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon


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


def test_russian_cells_with_all_their_parts():
    door = russian_morphology.parse_noun("входной+дверь f")
    assert (door.modifier, door.singular["acc"], door.singular["ins"]) == ("входной", "дверь", "дверью")
    garden = russian_morphology.parse_noun("сад loc=саду")
    assert (garden.singular["loc"], garden.singular["dat"], garden.plural["gen"]) == ("саду", "саду", "садов")
    teacher = russian_morphology.parse_noun("учитель m a np=учителя")
    assert (teacher.singular["acc"], teacher.plural["nom"], teacher.plural["dat"]) == ("учителя", "учителя", "учителям")
    taxi = russian_morphology.parse_noun("такси n indecl")
    assert set(taxi.singular.values()) == {"такси"}
    assist = russian_morphology.parse_verb("помочь помогу поможет помогут past=помог,помогла +dat")
    assert (assist.case, assist.past["m"], assist.past["p"]) == ("dat", "помог", "помогли")
    rain = russian_morphology.parse_verb("идти иду идёт идут past=шёл,шла =дождь")
    assert (rain.subject, rain.past["n"], rain.present["1p"]) == ("дождь", "шло", "идём")
    wait = russian_morphology.parse_verb("смотреть смотрю смотрит смотрят ~на:acc")
    assert (wait.preposition, wait.case) == ("на", "acc")
    big = russian_morphology.parse_adjective("большой/больше")
    assert (big.comparative, big.form("m", "nom", False), big.form("p", "acc", True)) == (
        "больше",
        "большой",
        "больших",
    )


def test_every_cell_of_the_lexicon_can_be_read():
    lexicon = load_lexicon()
    for entry in lexicon.nouns + lexicon.places + lexicon.names:
        noun = russian_morphology.parse_noun(entry["ru"])
        assert noun.gender in "mfn"
        assert set(noun.singular) == set(noun.plural) == set(russian_morphology.CASES)
    for entry in lexicon.adjectives:
        assert set(russian_morphology.parse_adjective(entry["ru"]).forms) == set("mfnp")
    for entry in lexicon.verbs:
        for aspect in ("ru_imperfective", "ru_perfective"):
            verb = russian_morphology.parse_verb(entry[aspect])
            assert set(verb.past) == set("mfnp") and set(verb.present) == {"1s", "3s", "1p", "3p"}
