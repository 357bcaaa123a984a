import pytest

from xalign_fairseq.languages.sample.words import FORMS, LANGUAGES, fixed_phrase, gold_links, merged, table, word

TABLES = ("nouns", "places", "adjectives", "verbs", "times", "names", "conjunctions", "numbers")


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_has_all_forms_of_its_kind(name):
    columns = {"en", *LANGUAGES}
    for entry in table(name):
        assert columns <= entry.keys() and all(entry[column].strip() == entry[column] != "" for column in columns)
        for column, names in FORMS.get(name, {}).items():
            if column in entry:
                count = len([form for form in entry[column].removesuffix(" <").split() if "=" not in form])
                singular = names[0].startswith("s") and " " not in entry["en"]
                assert count == (len(names) // 2 if singular and name != "adjectives" else len(names)), entry[column]


@pytest.mark.parametrize(
    ("name", "column", "first", "forms"),
    [
        ("nouns", "de", "Kind", {"s.gen": "Kindes", "p.nom": "Kinder", "p.dat": "Kindern", "gender": "n"}),
        ("verbs", "de", "wissen", {"present.1s": "weiß", "past.1p": "wussten", "participle": "gewusst"}),
        ("verbs", "fr", "mourir", {"future.3p": "mourront", "pf": "mortes", "auxiliary": "être"}),
        ("adjectives", "fr", "vieux", {"pf": "vieilles", "before-vowel": "vieil"}),
    ],
)
def test_forms_are_those_of_grammar_books(name, column, first, forms):
    found = next(word(entry, column) for entry in table(name) if entry[column].split()[0] == first)
    assert {form: found[form] for form in forms} == forms


def test_concepts_are_letters_of_a_phrase_and_stay_when_neighbours_merge():
    assert fixed_phrase("in/a der Nacht/bc", 4) == [("in", 4), ("der", 0), ("Nacht", 24)]
    assert merged([("zu", 1), ("dem", 2), ("Haus", 4)], {("zu", "dem"): "zum"}) == [("zum", 3), ("Haus", 4)]


def test_tokens_with_a_concept_in_common_are_linked():
    assert gold_links([("x", 0), ("y", 4), ("z", 1)], [("x", 1), ("y", 0), ("z", 2 | 1)]) == [(2, 0), (2, 2)]
