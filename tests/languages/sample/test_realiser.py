"""The forms that the cells spell out: complete in every language, and those of grammar books."""

import pytest

from xalign_fairseq.languages.sample.english import English
from xalign_fairseq.languages.sample.french import French
from xalign_fairseq.languages.sample.german import German
from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.realiser import ADJECTIVES, NOUNS, VERBS, by_person, merged, parse
from xalign_fairseq.languages.sample.russian import Russian

LEXICON = load_lexicon()
MARKS = {
    "nouns": {"gender", "link", "modifier", "animate"},
    "verbs": {"particle", "preposition", "case", "auxiliary", "subject"},
    "adjectives": set(),
}
LANGUAGES = {language.language: language() for language in (English, German, French, Russian)}


def test_a_cell_is_forms_then_marks():
    word = parse("porte portes gender=f link=d' modifier=entrée", NOUNS["fr"])
    assert (word["s"], word["p"]) == ("porte", "portes")
    assert (word.mark("gender"), word.mark("link"), word.mark("modifier")) == ("f", "d'", "entrée")
    assert (word.mark("animate"), word.mark("case", "acc")) == ("", "acc")
    assert parse("tea", NOUNS["en"]).forms == {"s": "tea"}


@pytest.mark.parametrize("table", ["nouns", "places", "verbs", "adjectives", "names"])
def test_every_cell_has_all_forms_of_its_kind(table):
    kind = {"places": "nouns", "names": "nouns"}.get(table, table)
    columns = {"nouns": NOUNS, "verbs": VERBS, "adjectives": ADJECTIVES}[kind]
    for entry in getattr(LEXICON, table):
        for column, cell in entry.cells.items():
            names = columns.get(column.partition("_")[0])
            if names and (table != "names" or column == "ru"):
                word = parse(cell.removesuffix(" <"), names)
                count = len([form for form in cell.removesuffix(" <").split() if "=" not in form])
                singular = kind == "nouns" and (table == "names" or " " not in entry["en"])
                assert count == (len(names) // 2 if singular else len(names)), cell
                assert word.marks.keys() <= MARKS[kind]
                assert kind != "nouns" or column == "en" or word.mark("gender") in tuple("mfn")
                assert word.mark("case", "acc") in ("acc", "dat", "ins", "loc")


@pytest.mark.parametrize(
    ("language", "word", "forms"),
    [
        ("en", "city", {"p": "cities"}),
        ("en", "copy", {"third": "copies", "past": "copied", "ing": "copying"}),
        ("de", "Student", {"s.dat": "Studenten"}),
        ("de", "Kind", {"s.gen": "Kindes", "p.nom": "Kinder", "p.dat": "Kindern"}),
        ("de", "wissen", {"present.1s": "weiß", "past.1p": "wussten", "participle": "gewusst"}),
        ("fr", "manger", {"present.1p": "mangeons", "imperfect.3s": "mangeait", "imperfect.1p": "mangions"}),
        ("fr", "mourir", {"future.3p": "mourront", "pf": "mortes"}),
        ("fr", "vieux", {"pf": "vieilles", "pm": "vieux", "before-vowel": "vieil"}),
        ("fr", "hôpital", {"p": "hôpitaux"}),
        ("ru", "отец", {"s.gen": "отца", "s.ins": "отцом", "p.acc": "отцов"}),
        ("ru", "кухня", {"s.acc": "кухню", "s.ins": "кухней", "p.gen": "кухонь"}),
        ("ru", "Мария", {"s.dat": "Марии", "s.acc": "Марию"}),
        ("ru", "сад", {"s.loc": "саду", "s.dat": "саду", "p.gen": "садов"}),
    ],
)
def test_forms_are_those_of_grammar_books(language, word, forms):
    known = LANGUAGES[language]
    [found] = [
        w for table in (known.nouns, known.verbs, known.adjectives) for w in table.values() if word in w.forms.values()
    ][:1]
    assert {name: found[name] for name in forms} == forms


def test_neighbours_are_merged_with_their_concepts():
    tokens = [("zu", 1), ("dem", 2), ("Haus", 4)]
    assert merged(tokens, {("zu", "dem"): "zum"}) == [("zum", 3), ("Haus", 4)]
    assert by_person("ai a avons ont") == {"1s": "ai", "3s": "a", "1p": "avons", "3p": "ont"}
