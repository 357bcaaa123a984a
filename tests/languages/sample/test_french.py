import pytest
from support import grammar

from xalign_fairseq.languages.sample import english, french

EXPECTED = {
    "front door": ("Le professeur ne verrouille pas la porte d' entrée .", "0-0 1-1 3-2 3-4 4-3 5-5 6-8 7-6 8-9"),
    "found key": ("Je sais qu' Anna a trouvé la vieille clé .", "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9"),
    "river bank": ("Un bateau est resté sur la rive .", "0-0 1-1 2-2 2-3 3-4 4-5 5-6 6-7"),
    "red apple": ("Est-ce que le médecin a perdu la pomme rouge ?", "1-2 2-3 3-4 3-5 4-6 5-8 6-7 7-9"),
    "no lemon": ("Le cuisinier n' a pas acheté de citron .", "0-0 1-1 3-2 3-4 4-3 4-5 5-6 6-7 7-8"),
    "three women": ("En 1995 trois femmes liront ce livre .", "0-0 1-1 2-2 3-3 4-4 5-4 6-5 7-6 8-7"),
    "she went": (
        "Elle est allée à Paris parce que Pierre a allumé notre lampe .",
        "0-0 1-1 1-2 2-3 3-4 4-5 4-6 5-7 6-8 6-9 7-9 8-10 9-11 10-12",
    ),
    "but": (
        "Nous attendons mes amis , mais ils ne dorment pas .",
        "0-0 1-1 2-1 3-2 4-3 5-4 6-5 7-6 9-7 9-9 10-8 11-10",
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sentence_and_links(name):
    message = grammar.SENTENCES[name]
    said = french.say(message)
    assert (grammar.text(said), grammar.links(english.say(message), said)) == EXPECTED[name]


def test_words_with_a_mute_h_elide():
    assert french.vowel_start("hôpital") and french.vowel_start("école")
    assert not any(map(french.vowel_start, ("héros", "haches", "porte")))


def test_participles_with_etre_agree():
    women = grammar.noun("woman", "indefinite", plural=True)
    said = french.say(grammar.sentence(grammar.clause(women, "go", "perfect", goes=True, place=grammar.name("Paris"))))
    assert grammar.text(said) == "Des femmes sont allées à Paris ."
