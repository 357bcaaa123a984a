"""The tables: one row for each sense, in all languages, and the indices over them."""

import pytest

from xalign_fairseq.languages.sample.lexicon import LANGUAGES, load_lexicon

LEXICON = load_lexicon()
TABLES = ("nouns", "places", "adjectives", "verbs", "times", "adverbs", "names", "conjunctions", "numbers")


@pytest.mark.parametrize("table", TABLES)
def test_no_cell_of_a_language_is_empty(table):
    columns = {"en", *LANGUAGES}
    if table == "verbs":
        columns = columns - {"ru"} | {"ru_imperfective", "ru_perfective"}
    for entry in getattr(LEXICON, table):
        assert columns <= entry.cells.keys()
        assert all(entry[column].strip() == entry[column] != "" for column in columns), entry.cells


def test_a_homonym_has_a_row_for_each_sense():
    banks = [entry for entry in LEXICON.nouns + LEXICON.places if entry["en"].split()[0] == "bank"]
    assert {entry["de"].split()[0] for entry in banks} == {"Bank", "Ufer"}
    assert len(set(banks)) == len(banks) and banks[0] != banks[1]


@pytest.mark.parametrize(
    ("index", "tables", "column"),
    [
        ("by_class", ("nouns", "places"), "classes"),
        ("adjectives_of", ("adjectives",), "classes"),
        ("times_of", ("times",), "tenses"),
    ],
)
def test_an_index_has_each_entry_under_each_of_its_words(index, tables, column):
    found = {(key, entry) for key, entries in getattr(LEXICON, index).items() for entry in entries}
    rows = [entry for table in tables for entry in getattr(LEXICON, table)]
    assert found == {(key, entry) for entry in rows for key in entry[column].split()}
    assert len(getattr(LEXICON, index)) > 3


def test_kinds_are_those_of_adverbs_names_conjunctions_and_the_frames_of_verbs():
    kinds = LEXICON.by_kind
    for kind, table in (("city", "names"), ("frequency", "adverbs"), ("condition", "conjunctions")):
        assert kinds[kind] == tuple(entry for entry in getattr(LEXICON, table) if entry["kind"] == kind)
    assert kinds["weather"] == tuple(verb for verb in LEXICON.verbs if "weather" in verb["frame"].split())


def test_every_class_that_is_asked_for_has_nouns():
    asked = {word for verb in LEXICON.verbs for column in ("subject", "object") for word in verb[column].split()}
    asked |= {word for adjective in LEXICON.adjectives for word in adjective.classes}
    assert asked - {"-"} <= LEXICON.by_class.keys()
