"""Sentences worked by hand: words, word order and links in French."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample.french import French, vowel_start

CASES = [
    (grammar.front_door, "Le professeur ne verrouille pas la porte d' entrée .", "0-0 1-1 3-2 3-4 4-3 5-5 6-8 7-6 8-9"),
    (grammar.found_key, "Je sais qu' Anna a trouvé la vieille clé .", "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9"),
    (
        grammar.river_bank,
        "Il y a un bateau sur la rive de la Seine .",
        "0-0 1-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11",
    ),
    (
        grammar.red_apple,
        "Est-ce que le médecin a donné la pomme rouge à Maria ?",
        "1-2 2-3 3-4 3-5 4-6 5-8 6-7 7-9 8-10 9-11",
    ),
    (grammar.reading_woman, "La femme qui lit le livre le réveille .", "0-0 1-1 2-2 3-3 4-4 5-5 6-7 7-6 8-7 9-8"),
    (
        grammar.bigger_house,
        "En 1995 la maison de Pierre était plus grande que notre voiture .",
        "0-0 1-1 2-5 3-4 4-3 5-6 6-7 6-8 7-9 8-10 9-11 10-12",
    ),
    (
        grammar.rain,
        "S' il pleut , personne ne rangera trois chambres .",
        "0-0 1-1 2-2 3-3 4-4 4-5 5-6 6-6 7-6 8-7 9-8 10-9",
    ),
    (grammar.no_lemon, "Le cuisinier n' a pas acheté de citron .", "0-0 1-1 3-2 3-4 4-3 4-5 5-6 6-7 7-8"),
    # determiners, numbers and verbs
    (grammar.why, "Pourquoi est-ce que le professeur lit ce livre ?", "not given"),
    (grammar.two_books, "Chaque professeur lit deux livres .", "not given"),
    (grammar.pronouns, "Elle les a lus .", "not given"),
    (grammar.wish, "Nous ne voulons pas lire mon livre .", "not given"),
    (grammar.many_books, "Ils liront beaucoup de livres .", "not given"),
    (grammar.but, "Je lisais un livre , mais il ne lit jamais 30 livres .", "not given"),
    (grammar.two_teachers, "Deux professeurs doivent lire de vieux livres .", "not given"),
]


@pytest.mark.parametrize(("build", "expected", "links"), CASES, ids=[build.__name__ for build, *_ in CASES])
def test_sentence_and_links(build, expected, links):
    said, linked = grammar.say(build, French)
    assert said == expected
    assert links in (linked, "not given")


def test_words_with_a_mute_h_elide():
    assert vowel_start("hôpital") and vowel_start("école")
    assert not vowel_start("héros") and not vowel_start("haches") and not vowel_start("porte")
