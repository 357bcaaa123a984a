"""Every file of the real data next to the project is read, with as many examples as its README says."""

from pathlib import Path

import pytest

from xalign_fairseq.data.labelled.labels import check_labels
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find

NLI = {"contradiction", "entailment", "neutral"}
NER = {"O", *(f"{mark}-{kind}" for mark in "BI" for kind in ("LOC", "ORG", "PER"))}
UD = {"de": (799, 977), "en": (2001, 2077), "es": (1400, 427), "fr": (1476, 416), "ro": (752, 729)}
UD |= {"ru": (579, 601), "vi": (1123, 800), "zh": (500, 500)}
MLQA = {"ar": 517, "de": 512, "en": 1148, "es": 500, "hi": 507, "vi": 511, "zh": 504}


@pytest.fixture(scope="module")
def data():
    folder = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no real data at ../shared/data")
    return folder


def read(folder, name, split, language):
    benchmark = BENCHMARKS[name]
    return benchmark.read(find(benchmark, folder, split, language), language)


def count(folder, name, split, languages, labels=()):
    counts = {}
    for language in languages.split():
        examples = read(folder, name, split, language)
        assert check_labels(labels, examples, f"{name} {language}") == []
        counts[language] = len(examples)
    return counts


def test_pairs(data):
    languages = "en de fr es hi ru ar zh vi"
    assert set(count(data / "eval", "xnli", "test", languages, NLI).values()) == {5010}
    languages = "en de fr es ru ar zh vi hi"
    assert set(count(data / "eval", "xnli", "dev", languages, NLI).values()) == {2490}
    for split in ("dev", "test"):
        assert set(count(data / "eval", "pawsx", split, "en de fr es ja ko zh", {"0", "1"}).values()) == {2000}


def test_labels_beside_are_balanced(data):
    labels = [each.label for each in read(data / "eval", "xnli", "test", "de")]
    assert [labels.count(label) for label in sorted(NLI)] == [1670] * 3


def test_named_entities(data):
    few = count(data / "eval", "ner", "dev", "hi ur", NER)
    assert count(data / "eval", "ner", "dev", "ar de en", NER) == dict.fromkeys(["ar", "de", "en"], 10000)
    assert count(data / "eval", "ner", "dev", "es fr ro ru vi zh", NER).keys() == {"es", "fr", "ro", "ru", "vi", "zh"}
    assert few == {"hi": 1000, "ur": 1000}
    assert count(data / "eval", "ner", "train", "en hi", NER) == {"en": 20000, "hi": 5000}


@pytest.mark.parametrize("language", UD)
def test_treebanks(data, language):
    for split, sentences in zip(("dev", "test"), UD[language], strict=True):
        trees = read(data / "eval", "parsing", split, language)
        assert len(trees) == sentences and all(each.tree for each in trees)
        check_labels([], trees, language)
    assert [each.tags for each in read(data / "eval", "pos", "test", language)] == [each.upos for each in trees]


def test_parallel_treebanks(data):
    texts = {}
    for language in ["ar", "cs", "de", "en", "es", "fr", "hi", "ru", "zh"]:
        trees = read(data / "eval" / "ud-pud", "parsing", "test", language)
        texts[language] = [each.id for each in trees]
        assert all(each.tree for each in trees)
    assert {len(ids) for ids in texts.values()} == {1000}
    assert len({tuple(ids) for ids in texts.values()}) == 1  # the same sentences in the same order


def test_questions(data):
    languages = "ar de en es hi ro ru vi zh"
    assert set(count(data / "eval", "xquad", "test", languages).values()) == {1190}
    assert count(data / "eval", "mlqa", "dev", "ar de en es hi vi zh") == MLQA
    assert count(data / "eval", "tydiqa", "test", "ar en ru") == {"ar": 921, "en": 440, "ru": 812}
    assert all(each.answers for each in read(data / "eval", "xquad", "test", "hi"))
    assert not any(each.answers for each in read(data / "eval", "tydiqa", "dev", "en"))  # XTREME removed them


def test_bitext(data):
    folder = data / "bitext" / "tatoeba-laser-test"
    languages = sorted(path.suffix[1:] for path in folder.glob("en-*.*") if path.suffix != ".en")
    counts = {language: len(read(folder, "tatoeba", "test", language)) for language in languages}
    assert {language: each for language, each in counts.items() if each != 1000} == {"sl": 823, "sw": 390, "th": 548}
    assert len(counts) == 30
