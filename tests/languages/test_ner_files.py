import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import WordsExample
from xalign_fairseq.evaluation.tagging import entities
from xalign_fairseq.languages import ner_files
from xalign_fairseq.languages.derivation import Inversion


def example(text):
    """``Ann/B-PER Lee/I-PER sleeps/O`` as an example."""
    words, tags = zip(*(token.rsplit("/", 1) for token in text.split()), strict=True)
    return WordsExample("1", "en", words, tags)


def order(*permutation):
    return lambda sentence, key: sentence.reordered(permutation)


@pytest.mark.parametrize(
    ("natural", "transform", "expected", "counts"),
    [
        (
            "R.H./B-PER Saunders/I-PER of/O St./B-LOC Lawrence/I-LOC River/I-LOC ./O it/O",
            Inversion(["."]),
            "River/B-LOC Lawrence/I-LOC St./I-LOC of/O Saunders/B-PER R.H./I-PER ./O it/O",
            (2, 0, 0),
        ),
        (
            "I/O saw/O St/B-LOC ./I-LOC Lawrence/I-LOC River/I-LOC",
            Inversion(["."]),
            "St/B-LOC saw/O I/O ./B-LOC River/I-LOC Lawrence/I-LOC",
            (1, 1, 2),
        ),
        ("a/B-X b/I-X c/I-X d/O e/O", order(2, 3, 0, 4, 1), "c/B-X d/O a/B-X e/O b/B-X", (1, 1, 3)),
        # two neighbours of one kind stay separate
        ("a/B-X b/I-X c/B-X d/I-X", order(3, 2, 1, 0), "d/B-X c/I-X b/B-X a/I-X", (2, 0, 0)),
        ("a/B-X b/I-X c/B-X d/I-X", order(2, 1, 0, 3), "c/B-X b/B-X a/I-X d/B-X", (2, 1, 2)),
        ("a/B-X o/O c/B-X", order(0, 2, 1), "a/B-X c/B-X o/O", (2, 0, 0)),
        ("a/B-X b/I-X c/I-X d/O", order(3, 1, 2, 0), "d/O b/B-X c/I-X a/I-X", (1, 0, 0)),
        # an I- without a preceding tag begins an entity
        ("a/I-X b/I-X c/I-Y d/O", order(0, 1, 2, 3), "a/B-X b/I-X c/B-Y d/O", (2, 0, 0)),
    ],
)
def test_tags_move_with_their_words(natural, transform, expected, counts):
    (found,), counted = ner_files.derive([example(natural)], transform)
    assert " ".join(f"{word}/{tag}" for word, tag in zip(found.words, found.tags, strict=True)) == expected
    assert counted == dict(zip(("entities", "torn", "pieces"), counts, strict=True))


def random_example(chance):
    """Words that occur once, with entities of one to four words, some of them adjacent."""
    tokens = []
    while len(tokens) < 15:
        kind = chance.choice("XY")
        size = chance.randint(1, 4)
        tags = [f"B-{kind}", *[f"I-{kind}"] * (size - 1)] if chance.random() < 0.6 else ["O"] * size
        tokens += [f"w{len(tokens) + k}/{tag}" for k, tag in enumerate(tags)]
    return example(" ".join(tokens))


def shuffled(sentence, key):
    """Exchange some neighbours, which tears some entities apart."""
    chance, places = random.Random(key), list(range(len(sentence.source)))
    for _ in range(6):
        k = chance.randrange(len(places) - 1)
        places[k : k + 2] = places[k + 1], places[k]
    return sentence.reordered(places)


def test_entities_are_the_runs_of_their_words():
    chance = random.Random(11)
    examples = [random_example(chance) for _ in range(60)]
    found, counts = ner_files.derive(examples, shuffled)
    torn = pieces = whole = 0
    for before, after in zip(examples, found, strict=True):
        expected = set()
        for kind, start, end in entities(before.tags):
            mine = sorted(after.words.index(word) for word in before.words[start:end])
            runs = [[mine[0]]]
            for place in mine[1:]:
                if place == runs[-1][-1] + 1:
                    runs[-1].append(place)
                else:
                    runs.append([place])
            expected |= {(kind, run[0], run[-1] + 1) for run in runs}
            torn, pieces, whole = torn + (len(runs) > 1), pieces + len(runs) * (len(runs) > 1), whole + 1
        assert set(entities(after.tags)) == expected
    assert counts == {"entities": whole, "torn": torn, "pieces": pieces}
    assert 0 < torn < whole


@pytest.mark.parametrize("tag", ["NOUN", "E-PER", "S-PER", "B-", "B", "o"])
def test_tags_that_are_not_bio_are_refused_with_file_and_sentence(tmp_path, tag):
    (tmp_path / "dev.tsv").write_text(f"Yes\tO\n\nAnn\tB-PER\nLee\t{tag}\n")
    with pytest.raises(XalignError, match="not BIO") as error:
        ner_files.read(tmp_path / "dev.tsv", "en")
    assert f"{tmp_path / 'dev.tsv'}, sentence 2, word Lee" in str(error.value) and f"found: {tag}" in str(error.value)


def test_a_file_without_tags_gets_none(tmp_path):
    (tmp_path / "test.tsv").write_text("Ann\nsleeps\n\nYes\n")
    natural = ner_files.read(tmp_path / "test.tsv", "en")
    found, counts = ner_files.derive(natural, Inversion(["."]))
    assert list(ner_files.lines(found)) == ["sleeps", "Ann", "", "Yes", ""]
    assert counts == {"entities": 0, "torn": 0, "pieces": 0}
