"""Sentences of the sample grammar worked by hand: words, word order and links in each language."""

from itertools import count

import pytest

from xalign_fairseq.sample.english import English
from xalign_fairseq.sample.french import French
from xalign_fairseq.sample.german import German
from xalign_fairseq.sample.lexicon import load_lexicon
from xalign_fairseq.sample.meaning import Adverbial, Clause, Location, Message, Phrase
from xalign_fairseq.sample.russian import Russian
from xalign_fairseq.sample.tokens import finish, fixed_phrase, gold_links

LEXICON = load_lexicon()
LANGUAGES = {"de": German(), "fr": French(), "ru": Russian()}
_bits = count()


def key(bits=1):
    first = next(_bits)
    for _ in range(bits - 1):
        next(_bits)
    return 1 << first


def entry(table, en, **cells):
    """The one row of a table with this English word and these cells."""
    rows = [e for e in getattr(LEXICON, table) if e["en"] == en and all(v in e[k] for k, v in cells.items())]
    assert len(rows) == 1, (en, len(rows))
    return rows[0]


def noun(en, determiner="definite", table="nouns", adjective=None, **options):
    cells = options.pop("cells", {})
    phrase = Phrase("noun", entry(table, en, **cells), determiner=determiner, **options)
    phrase.head_key, phrase.modifier_key, phrase.determiner_key, phrase.owner_key = key(), key(), key(), key()
    if adjective:
        phrase.adjectives = [(entry("adjectives", adjective), key())]
    return phrase


def name(en):
    return Phrase("name", entry("names", en), head_key=key())


def pronoun(kind):
    return Phrase(kind, head_key=key())


def clause(subject, verb=None, tense="present", kind="verb", **options):
    cells = options.pop("cells", {})
    made = Clause(kind, subject, entry("verbs", verb, **cells) if verb else None, tense, **options)
    for field in ("verb", "particle", "tense", "negation", "word", "recipient", "degree", "standard"):
        setattr(made, f"{field}_key", key())
    return made


def sentence(first, join="", conjunction=None, second=None, second_first=False):
    row = entry("conjunctions", conjunction) if conjunction else None
    return Message(first, join, row, second, second_first, key(), key(), key(2))


def front_door():
    return sentence(clause(noun("teacher"), "lock", negation="not", object=noun("front_door")))


def found_key():
    found = clause(name("Anna"), "find found found", "perfect", object=noun("key", adjective="old/-"))
    return sentence(clause(pronoun("I"), "know knew known", cells={"frame": "clause"}), "that", second=found)


def river_bank():
    bank = noun("bank", table="places", cells={"classes": "shore"})
    bank.owner, bank.of = noun("Seine", table="places"), True
    return sentence(clause(noun("boat", "indefinite"), kind="existential", place=Location(bank, False, key())))


def red_apple():
    apple = noun("apple", adjective="red/-")
    given = clause(noun("doctor"), "give gave given", "past", object=apple, recipient=name("Maria"))
    given.question = "yes-no"
    return sentence(given)


def reading_woman():
    woman = noun("woman women")
    woman.relative = clause(woman, "read read read", object=noun("book"), gap="subject")
    return sentence(clause(woman, "wake woke woken +up", object=pronoun("he")))


def bigger_house():
    house = noun("house", "owner", table="places")
    house.owner = name("Peter")
    size = clause(house, tense="past", kind="copula", adjective=entry("adjectives", "big/bigger"))
    size.standard, size.time_first = noun("car", "our"), True
    size.time = Adverbial(entry("times", "in/a YEAR/b"), key(3), year=1995)
    return sentence(size)


def rain():
    rooms = noun("room", "number", table="places", plural=True, number=entry("numbers", "three"))
    tidy = clause(pronoun("nobody"), "tidy +up", "future", object=rooms)
    rains = clause(pronoun("it"), "rain", conditional=True)
    return sentence(tidy, "subordinate", "if/a", rains, second_first=True)


def no_lemon():
    return sentence(
        clause(noun("cook"), "buy bought bought", "past", negation="not", object=noun("lemon", "indefinite"))
    )


CASES = [
    (  # do-support, negation one to two, a separated particle, a compound, no articles in Russian
        front_door,
        "The teacher does not lock the front door .",
        {
            "de": (
                "Der Lehrer schließt die Haustür nicht ab .",
                "0-0 1-1 3-5 4-2 4-6 5-3 6-4 7-4 8-7",
            ),
            "fr": (
                "Le professeur ne verrouille pas la porte d' entrée .",
                "0-0 1-1 3-2 3-4 4-3 5-5 6-8 7-6 8-9",
            ),
            "ru": ("Учитель не запирает входную дверь .", "1-0 3-1 4-2 6-3 7-4 8-5"),
        },
    ),
    (  # a verb-final clause with its auxiliary last; a comma without partner; two verbs for "know"
        found_key,
        "I know that Anna has found the old key .",
        {
            "de": (
                "Ich weiß , dass Anna den alten Schlüssel gefunden hat .",
                "0-0 1-1 2-3 3-4 4-9 5-8 6-5 7-6 8-7 9-10",
            ),
            "fr": ("Je sais qu' Anna a trouvé la vieille clé .", "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9"),
            "ru": ("Я знаю , что Анна нашла старый ключ .", "0-0 1-1 2-3 3-4 4-5 5-5 7-6 8-7 9-8"),
        },
    ),
    (  # a homonym, a contraction, a genitive for "of", an expletive
        river_bank,
        "There is a boat on the bank of the Seine .",
        {
            "de": ("Es gibt ein Boot am Ufer der Seine .", "0-0 1-1 2-2 3-3 4-4 5-4 6-5 8-6 9-7 10-8"),
            "fr": (
                "Il y a un bateau sur la rive de la Seine .",
                "0-0 1-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11",
            ),
            "ru": ("На берегу Сены есть лодка .", "1-3 3-4 4-0 6-1 9-2 10-5"),
        },
    ),
    (  # a question: verb first, est-ce que, a particle; an adjective after its noun; a dative for "to"
        red_apple,
        "Did the doctor give the red apple to Maria ?",
        {
            "de": ("Gab der Arzt Maria den roten Apfel ?", "1-1 2-2 3-0 4-4 5-5 6-6 8-3 9-7"),
            "fr": (
                "Est-ce que le médecin a donné la pomme rouge à Maria ?",
                "1-2 2-3 3-4 3-5 4-6 5-8 6-7 7-9 8-10 9-11",
            ),
            "ru": ("Дал ли врач Марии красное яблоко ?", "2-2 3-0 5-4 6-5 8-3 9-6"),
        },
    ),
    (  # a relative clause between commas, a pronoun before its verb, particles in both languages
        reading_woman,
        "The woman who reads the book wakes him up .",
        {
            "de": (
                "Die Frau , die das Buch liest , weckt ihn auf .",
                "0-0 1-1 2-3 3-6 4-4 5-5 6-8 7-9 8-10 9-11",
            ),
            "fr": ("La femme qui lit le livre le réveille .", "0-0 1-1 2-2 3-3 4-4 5-5 6-7 7-6 8-7 9-8"),
            "ru": ("Женщина , которая читает книгу , будит его .", "1-0 2-2 3-3 5-4 6-6 7-7 8-6 9-8"),
        },
    ),
    (  # a number, a possessor before or after, inversion, a comparative in one word or two
        bigger_house,
        "In 1995 Peter 's house was bigger than our car .",
        {
            "de": (
                "Im Jahr 1995 war Peters Haus größer als unser Auto .",
                "0-0 1-2 2-4 3-4 4-5 5-3 6-6 7-7 8-8 9-9 10-10",
            ),
            "fr": (
                "En 1995 la maison de Pierre était plus grande que notre voiture .",
                "0-0 1-1 2-5 3-4 4-3 5-6 6-7 6-8 7-9 8-10 9-11 10-12",
            ),
            "ru": (
                "В 1995 году дом Петра был больше , чем наша машина .",
                "0-0 1-1 2-4 4-3 5-5 6-6 7-8 8-9 9-10 10-11",
            ),
        },
    ),
    (  # an expletive subject, "nobody" with its own negation, a future in one word or two
        rain,
        "If it rains , nobody will tidy up three rooms .",
        {
            "de": (
                "Wenn es regnet , wird niemand drei Zimmer aufräumen .",
                "0-0 1-1 2-2 3-3 4-5 5-4 6-8 7-8 8-6 9-7 10-9",
            ),
            "fr": (
                "S' il pleut , personne ne rangera trois chambres .",
                "0-0 1-1 2-2 3-3 4-4 4-5 5-6 6-6 7-6 8-7 9-8 10-9",
            ),
            "ru": (
                "Если пойдёт дождь , никто не уберёт три комнаты .",
                "0-0 2-1 2-2 3-3 4-4 4-5 5-6 6-6 7-6 8-7 9-8 10-9",
            ),
        },
    ),
    (  # a negation that fuses with the article
        no_lemon,
        "The cook did not buy a lemon .",
        {
            "de": ("Der Koch kaufte keine Zitrone .", "0-0 1-1 3-3 4-2 5-3 6-4 7-5"),
            "fr": ("Le cuisinier n' a pas acheté de citron .", "0-0 1-1 3-2 3-4 4-3 4-5 5-6 6-7 7-8"),
            "ru": ("Повар не купил лимон .", "1-0 3-1 4-2 6-3 7-4"),
        },
    ),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("build", "english", "expected"), CASES, ids=[case[0].__name__ for case in CASES])
def test_sentence_and_links(build, english, expected, language):
    meaning = build()
    src, tgt = English().say(meaning), LANGUAGES[language].say(meaning)
    assert " ".join(word for word, _ in src) == english
    text, links = expected[language]
    assert " ".join(word for word, _ in tgt) == text
    assert " ".join(f"{i}-{j}" for i, j in gold_links(src, tgt)) == links


def test_fixed_phrase_reads_concepts_from_letters():
    assert fixed_phrase("in/a der Nacht/bc", 4) == [("in", 4), ("der", 0), ("Nacht", 24)]


def test_commas_in_a_row_are_one_and_none_stands_before_the_end():
    tokens = [("der", 1), (",", 2), (",", 4), ("weil", 0), (",", 8), (".", 16)]
    assert finish(tokens) == [("Der", 1), (",", 6), ("weil", 0), (".", 16)]


def test_a_question_word_is_no_partner_of_the_recipients_to():
    meaning = red_apple()
    meaning.first.question = "where"
    src = English().say(meaning)
    at = [word for word, _ in src].index("to")
    partners = {}
    for language in LANGUAGES:
        tgt = LANGUAGES[language].say(meaning)
        partners[language] = [tgt[j][0] for i, j in gold_links(src, tgt) if i == at]
    assert partners == {"de": [], "fr": ["à"], "ru": []}
