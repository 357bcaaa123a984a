"""French inflection, against forms from grammar books."""

from xalign_fairseq.languages.sample import french_morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon


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


def test_french_cells_with_all_their_parts():
    door = french_morphology.parse_noun("porte_d'+entrée f")
    assert (door.singular, door.plural, door.link, door.modifier) == ("porte", "portes", "d'", "entrée")
    assert french_morphology.parse_noun("œil m yeux").plural == "yeux"
    arrive = french_morphology.parse_verb("arriver *")
    assert (arrive.etre, arrive.participle, arrive.future["1s"]) == (True, "arrivé", "arriverai")
    talk = french_morphology.parse_verb("parler ~de")
    assert (talk.preposition, talk.etre, talk.present["3p"]) == ("de", False, "parlent")
    begin = french_morphology.parse_verb("commencer")
    assert (begin.present["1p"], begin.imperfect["1s"], begin.imperfect["1p"]) == (
        "commençons",
        "commençais",
        "commencions",
    )
    white = french_morphology.parse_adjective("blanc blanche")
    assert (white.form("m", True), white.form("f", False), white.first) == ("blancs", "blanche", False)
    assert french_morphology.parse_adjective("rouge").feminine == "rouge"


def test_every_cell_of_the_lexicon_can_be_read():
    lexicon = load_lexicon()
    for entry in lexicon.nouns + lexicon.places:
        assert french_morphology.parse_noun(entry["fr"]).gender in "mf"
    for entry in lexicon.adjectives:
        assert french_morphology.parse_adjective(entry["fr"]).form("f", True).endswith("es")
    for entry in lexicon.verbs:
        verb = french_morphology.parse_verb(entry["fr"])
        assert set(verb.present) == set(verb.imperfect) == set(verb.future) == set(french_morphology.PERSONS)
        assert verb.future["1p"].endswith("rons") and verb.imperfect["3s"].endswith("ait")
