"""Meanings of the sample grammar put together by hand, and the model of word order by plain loops."""

import itertools
import math
from itertools import count

from xalign_fairseq.languages.sample.english import English
from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Adverbial, Clause, Location, Message, Phrase, gold_links

LEXICON = load_lexicon()
_bits = count()


def key(bits=1):
    first = next(_bits)
    for _ in range(bits - 1):
        next(_bits)
    return 1 << first


def entry(table, en, **cells):
    """The one row of a table whose English cell is this or begins with this word, and that has these cells."""
    rows = [e for e in getattr(LEXICON, table) if en in (e["en"], e["en"].split()[0])]
    rows = [e for e in rows if all(v in e[k] for k, v in cells.items())]
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
    found = clause(name("Anna"), "find", "perfect", object=noun("key", adjective="old/-"))
    return sentence(clause(pronoun("I"), "know", cells={"frame": "clause"}), "that", second=found)


def river_bank():
    bank = noun("bank", table="places", cells={"classes": "shore"})
    bank.owner, bank.of = noun("Seine", table="places"), True
    return sentence(clause(noun("boat", "indefinite"), kind="existential", place=Location(bank, False, key())))


def red_apple():
    apple = noun("apple", adjective="red/-")
    given = clause(noun("doctor"), "give", "past", cells={"fr": "donner"}, object=apple, recipient=name("Maria"))
    given.question = "yes-no"
    return sentence(given)


def reading_woman():
    woman = noun("woman")
    woman.relative = clause(woman, "read", object=noun("book"), gap="subject")
    return sentence(clause(woman, "wake", object=pronoun("he")))


def bigger_house():
    house = noun("house", "owner", table="places")
    house.owner = name("Peter")
    size = clause(house, tense="past", kind="copula", adjective=entry("adjectives", "big/bigger"))
    size.standard, size.time_first = noun("car", "our"), True
    size.time = Adverbial(entry("times", "in/a YEAR/b"), key(3), year=1995)
    return sentence(size)


def rain():
    rooms = noun("room", "number", table="places", plural=True, number=entry("numbers", "three"))
    tidy = clause(pronoun("nobody"), "tidy", "future", object=rooms)
    rains = clause(pronoun("it"), "rain", conditional=True)
    return sentence(tidy, "subordinate", "if/a", rains, second_first=True)


def no_lemon():
    return sentence(clause(noun("cook"), "buy", "past", negation="not", object=noun("lemon", "indefinite")))


def reading(subject, object, tense="present", **options):
    return clause(subject, "read", tense, object=object, **options)


def why():
    return sentence(reading(noun("teacher"), noun("book", "this"), question="why"))


def two_books():
    books = noun("book", "number", plural=True, number=entry("numbers", "two"))
    return sentence(reading(noun("teacher", "every"), books, "progressive"))


def pronouns():
    return sentence(reading(pronoun("she"), pronoun("they"), "perfect"))


def wish():
    return sentence(reading(pronoun("we"), noun("book", "my"), modal="want", negation="not"))


def many_books():
    return sentence(reading(pronoun("they"), noun("book", "many", plural=True), "future"))


def but():
    thirty = reading(pronoun("he"), noun("book", "number", plural=True, number=30), negation="never")
    return sentence(
        reading(pronoun("I"), noun("book", "indefinite"), "past_progressive"), "coordinate", "but/a", thirty
    )


def two_teachers():
    teachers = noun("teacher", "number", plural=True, number=entry("numbers", "two"))
    return sentence(reading(teachers, noun("book", "bare", plural=True, adjective="old/-"), modal="must"))


def text(tokens):
    return " ".join(word for word, _ in tokens)


def links(src, tgt):
    return " ".join(f"{i}-{j}" for i, j in gold_links(src, tgt))


DET, ADJ, NMOD = ("DET", "det"), ("ADJ", "amod"), ("NOUN", "nmod")
ADVMOD, ADV_NMOD = ("ADV", "advmod"), ("ADV", "nmod")


def features(order, node):
    """(kind, what is seen of the first, of the second) for each feature of an order, by the definition."""
    sequence = [("@" + node.tag, "@") if k == 0 else node.dependents[k - 1] for k in order]
    head = order.index(0)
    framed = [("#", "#"), *sequence, ("#", "#")]
    pairs = [(1, a, b) for a, b in itertools.pairwise(framed)]
    for i, j in itertools.combinations(range(len(sequence)), 2):
        pairs.append((0, sequence[i], sequence[j]))
        if head not in (i, j):
            pairs.append((2 if j < head else 4 if i > head else 3, sequence[i], sequence[j]))
    return [(kind, see(a), see(b)) for kind, a, b in pairs for see in (tag, relation, both)]


def tag(symbol):
    return "tag", symbol[0]


def relation(symbol):
    return "relation", symbol[1]


def both(symbol):
    return symbol


def by_loops(node, by_feature):
    """The distribution over orders that keep like dependents in their order."""
    exponents = {}
    for order in itertools.permutations(range(1 + len(node.dependents))):
        places = {element: place for place, element in enumerate(order)}
        like = [k for k in range(1, len(node.dependents)) if node.dependents[k - 1] == node.dependents[k]]
        if all(places[k] < places[k + 1] for k in like):
            exponents[order] = sum(by_feature.get(feature, 0.0) for feature in features(order, node))
    total = math.fsum(math.exp(each) for each in exponents.values())
    return {order: math.exp(each) / total for order, each in exponents.items()}


def say(build, language):
    """A meaning in a language, and its links with the English sentence."""
    meaning = build()
    src, tgt = English().say(meaning), language().say(meaning)
    return text(tgt), links(src, tgt)
