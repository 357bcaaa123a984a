"""German inflection, against forms from grammar books."""

import pytest

from xalign_fairseq.languages.sample import german_morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon


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


def test_german_cells_with_all_their_parts():
    wait = german_morphology.parse_verb("warten wartet wartete gewartet ~auf:acc")
    assert (wait.case, wait.preposition, wait.sein, wait.particle) == ("acc", "auf", False, "")
    leave = german_morphology.parse_verb("ab|fahren fährt fuhr gefahren *")
    assert (leave.particle, leave.infinitive, leave.sein, leave.past["3p"]) == ("ab", "fahren", True, "fuhren")
    assert german_morphology.parse_verb("helfen hilft half geholfen +dat").case == "dat"
    assert german_morphology.parse_verb("wissen weiß wusste gewusst 1sg=weiß").present["1s"] == "weiß"
    dark = german_morphology.parse_adjective("dunkel/dunkler=dunkl")
    assert (dark.base, dark.stem, dark.comparative) == ("dunkel", "dunkl", "dunkler")
    small = german_morphology.parse_adjective("klein")
    assert (small.stem, small.comparative) == ("klein", "kleiner")


@pytest.mark.parametrize(
    ("word", "genitive"),
    [
        ("Tag", "Tages"),
        ("Haus", "Hauses"),
        ("Lehrer", "Lehrers"),
        ("Ergebnis", "Ergebnisses"),
        ("Ei", "Eis"),
        ("Auto", "Autos"),
    ],
)
def test_german_genitives(word, genitive):
    assert german_morphology.genitive(word) == genitive


def test_german_determiners_end_as_their_noun_asks():
    assert [german_morphology.determiner_ending(case, "m") for case in german_morphology.CASES] == [
        "er",
        "en",
        "em",
        "es",
    ]
    assert [german_morphology.indefinite_ending(case, "n") for case in german_morphology.CASES] == ["", "", "em", "es"]
    assert [german_morphology.indefinite_ending("acc", gender) for gender in "mfnp"] == ["en", "e", "", "e"]


def test_every_cell_of_the_lexicon_can_be_read():
    lexicon = load_lexicon()
    for entry in lexicon.nouns + lexicon.places:
        noun = german_morphology.parse_noun(entry["de"])
        assert noun.gender in "mfn" and set(noun.singular) == set(noun.plural) == set(german_morphology.CASES)
    for entry in lexicon.adjectives:
        assert german_morphology.parse_adjective(entry["de"]).comparative.endswith("r")
    for entry in lexicon.verbs:
        verb = german_morphology.parse_verb(entry["de"])
        assert set(verb.present) == set(verb.past) == {"1s", "3s", "1p", "3p"}
        assert verb.case in ("acc", "dat")
