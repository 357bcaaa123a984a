"""Meanings of the sample grammar made by hand, and the model of word order in plain loops."""

import itertools
import math
from itertools import count

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase
from xalign_fairseq.languages.sample.words import Entry, fixed_phrase, gold_links, table

_bits = count(0, 5)


def key():
    return 1 << next(_bits)


def entry(name, english, **cells):
    """The only row of a table with these cells whose English cell is, or begins with, this word."""
    rows = [
        e for e in table(name) if english in (e["en"], e["en"].split()[0]) and all(v in e[k] for k, v in cells.items())
    ]
    assert len(rows) == 1, (english, len(rows))
    return rows[0]


def noun(en, determiner="definite", table="nouns", adjective=None, cells=None, **options):
    quality = entry("adjectives", adjective) if adjective else None
    return Phrase("noun", key(), entry(table, en, **cells or {}), determiner=determiner, adjective=quality, **options)


def name(en):
    return Phrase("name", key(), entry("names", en))


def pronoun(kind):
    return Phrase(kind, key(), Entry("", ()))


def clause(subject, verb, tense="present", cells=None, year="", **options):
    made = Clause(key(), subject, entry("verbs", verb, **cells or {}), tense, **options)
    if year:
        said, bits = entry("times", "in/a YEAR/b"), key()
        made.when = {language: fixed_phrase(text.replace("YEAR", year), bits) for language, text in said.items()}
        made.time_first = True
    return made


def sentence(first, conjunction=None, second=None):
    return Message(first, key(), entry("conjunctions", conjunction) if conjunction else None, second)


SENTENCES = {
    "front door": sentence(clause(noun("teacher"), "lock", negated=True, object=noun("front_door"))),
    "found key": sentence(
        clause(pronoun("I"), "know", cells={"frame": "clause"}),
        "that/a",
        clause(name("Anna"), "find", "perfect", object=noun("key", adjective="old/-")),
    ),
    "river bank": sentence(
        clause(
            noun("boat", "indefinite"), "stay", "past", place=noun("bank", table="places", cells={"classes": "shore"})
        )
    ),
    "red apple": sentence(
        clause(noun("doctor"), "lose", "past", object=noun("apple", adjective="red/-"), question=True)
    ),
    "no lemon": sentence(clause(noun("cook"), "buy", "past", negated=True, object=noun("lemon", "indefinite"))),
    "three women": sentence(
        clause(
            noun("woman", "number", plural=True, number=entry("numbers", "three")),
            "read",
            "future",
            object=noun("book", "this"),
            year="1995",
        )
    ),
    "she went": sentence(
        clause(pronoun("she"), "go", "past", goes=True, place=name("Paris")),
        "because/a",
        clause(name("Peter"), "switch", "past", cells={"en": "particle=on"}, object=noun("lamp", "our")),
    ),
    "but": sentence(
        clause(pronoun("we"), "wait", cells={"en": "preposition=for"}, object=noun("friend", "my", plural=True)),
        "but/a",
        clause(pronoun("they"), "sleep", negated=True),
    ),
}


def text(tokens):
    said = " ".join(word for word, _ in tokens)
    return said[0].upper() + said[1:]


def links(src, tgt):
    return " ".join(f"{i}-{j}" for i, j in gold_links(src, tgt))


DET, ADJ, NMOD = ("DET", "det"), ("ADJ", "amod"), ("NOUN", "nmod")
ADVMOD, ADV_NMOD = ("ADV", "advmod"), ("ADV", "nmod")


def features(order, node):
    """(kind, symbol of the first, symbol of the second) for each feature of an order, by definition."""
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
    """The distribution over orders that keep equal dependents in order."""
    exponents = {}
    for order in itertools.permutations(range(1 + len(node.dependents))):
        places = {element: place for place, element in enumerate(order)}
        like = [k for k in range(1, len(node.dependents)) if node.dependents[k - 1] == node.dependents[k]]
        if all(places[k] < places[k + 1] for k in like):
            exponents[order] = sum(by_feature.get(feature, 0.0) for feature in features(order, node))
    total = math.fsum(math.exp(each) for each in exponents.values())
    return {order: math.exp(each) / total for order, each in exponents.items()}
