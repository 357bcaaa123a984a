from pathlib import Path

import pytest

from xalign_fairseq.data.labelled.labels import check_labels, label_of
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no real data at ../shared/data")
NLI = {"contradiction", "entailment", "neutral"}
NER = {"O", *(f"{mark}-{kind}" for mark in "BI" for kind in ("LOC", "ORG", "PER"))}
UD = {"de": (799, 977), "en": (2001, 2077), "es": (1400, 427), "fr": (1476, 416), "ro": (752, 729)}
UD |= {"ru": (579, 601), "vi": (1123, 800), "zh": (500, 500)}
MLQA = {"ar": 517, "de": 512, "en": 1148, "es": 500, "hi": 507, "vi": 511, "zh": 504}


def same(languages, count):
    return dict.fromkeys(languages.split(), count)


def read(folder, name, split, language):
    return BENCHMARKS[name].read(find(BENCHMARKS[name], DATA / folder, split, language), language)


@pytest.mark.parametrize(
    ("name", "split", "counts", "labels"),
    [
        ("xnli", "test", same("en de fr es hi ru ar zh vi", 5010), NLI),
        ("xnli", "dev", same("en de fr es hi ru ar zh vi", 2490), NLI),
        *(("pawsx", split, same("en de fr es ja ko zh", 2000), {"0", "1"}) for split in ("dev", "test")),
        ("ner", "dev", same("ar de en", 10000) | same("hi ur", 1000), NER),
        ("ner", "train", {"en": 20000, "hi": 5000}, NER),
        *(("parsing", split, {x: UD[x][at] for x in UD}, ()) for at, split in enumerate(("dev", "test"))),
        ("xquad", "test", same("ar de en es hi ro ru vi zh", 1190), ()),
        ("mlqa", "dev", MLQA, ()),
        ("tydiqa", "test", {"ar": 921, "en": 440, "ru": 812}, ()),
    ],
)
def test_labelled_files(name, split, counts, labels):
    for language, count in counts.items():
        examples = read("eval", name, split, language)
        assert len(examples) == count, language
        assert {label_of(each) is None for each in examples} == {name == "tydiqa"}  # XTREME removed its answers
        assert check_labels(labels, examples, f"{name} {language}") == [] or name == "parsing"


def test_bitext():
    folder = DATA / "bitext" / "tatoeba-laser-test"
    languages = sorted(path.suffix[1:] for path in folder.glob("en-*.*") if path.suffix != ".en")
    counts = {language: len(read(folder, "tatoeba", "test", language)) for language in languages}
    assert {language: each for language, each in counts.items() if each != 1000} == {"sl": 823, "sw": 390, "th": 548}
    assert len(counts) == 30
