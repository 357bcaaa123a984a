"""Filters of training text: what they drop, the order of their counts, and duplicates."""

import struct

import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare import filters
from xalign_fairseq.data.prepare.filters import Filters, SeenHashes, in_language, line_hashes, require_model
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer


def test_each_filter_by_its_own_limit():
    sizes = [np.array([1, 2, 4, 4, 4]), np.array([2, 2, 2, 1, 5])]
    found = dict(Filters(2, 4, 2).failing(sizes, {}, None))
    assert {reason: mask.tolist() for reason, mask in found.items()} == {
        "too short": [True, False, False, True, False],
        "too long": [False, False, False, False, True],
        "length ratio": [False, False, False, True, False],
    }
    assert dict(Filters(max_length_ratio=2).failing(sizes[:1], {}, None)) == {}
    assert Filters(deduplicate=True, max_length=3).given == {"max_length": 3, "deduplicate": True}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_length": 5, "max_length": 4}, "no length passes"),
        ({"min_length": 0}, "min_length"),
        ({"max_length_ratio": 0.5}, "max_length_ratio"),
        ({"max_length_ratio": float("nan")}, "max_length_ratio"),
    ],
)
def test_limits_that_make_no_sense(given, message):
    with pytest.raises(XalignError, match=message):
        Filters(**given).check()
    Filters(4, 4, 1.0).check()


@pytest.mark.parametrize("spread", [1, 7, 1 << 40])
def test_the_table_equals_a_set(spread):
    """Even if all hashes need the same cells, and the table is full."""
    hashes = np.random.default_rng(1).integers(0, 300, 500).astype(np.uint64) * np.uint64(spread)
    table, seen = SeenHashes(500), set()
    for block in np.split(hashes, 10):
        expected = []
        for each in np.maximum(block, 1).tolist():
            expected.append(each in seen)
            seen.add(each)
        assert table.add(block).tolist() == expected
    full = SeenHashes(40)
    assert not full.add(np.arange(1, 41, dtype=np.uint64) * np.uint64(51)).any()  # all need the first cell
    assert full.add(np.arange(1, 41, dtype=np.uint64) * np.uint64(51)).all()


def test_hashes_are_of_both_sides_and_the_same_everywhere():
    assert len(set(line_hashes([["a", "a", "", "ab"], ["b", "c", "ab", ""]]).tolist())) == 4
    assert line_hashes([["a"], ["b"]]).tolist() == [6888081726617775527]
    assert line_hashes([["a"]]).dtype == np.uint64


@pytest.mark.parametrize("workers", [1, 2])
def test_a_prepared_text_lacks_filtered_pairs(tmp_path, spm, monkeypatch, workers):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 3)
    rows = [
        ("ab cd", "λ β", "0-0"), ("", "λ", ""), ("a", "λ β γ δ ε ζ η θ ι", ""), ("ab cd", "λ β", "1-1"),
        ("a b c d e f g h i k", "λ β γ δ ε ζ η", ""), ("ab cd", "λ γ", "1p0"), ("", "λ", ""), ("ab cd", "λ β", ""),
    ]  # fmt: skip
    for k, name in enumerate(("en", "el", "gold")):
        (tmp_path / f"t.{name}").write_text("".join(f"{row[k]}\n" for row in rows))
    paths = [str(tmp_path / f"t.{name}") for name in ("en", "el", "gold")]
    pairs = [PairSource(split, "en", "el", *paths) for split in ("train", "valid")]
    tokenizer = SentencePieceTokenizer(spm)
    given = Filters(max_length=len(tokenizer.encode(rows[4][0])) - 1, max_length_ratio=2, deduplicate=True)
    mono = [MonoSource("train", "en", (paths[0], paths[0]))]
    made = prepare(PrepareOptions(tmp_path / "d", pairs, mono, spm=spm, filters=given, workers=workers))
    train, valid = made["pairs"]
    assert train["dropped"] == {
        "empty source": 2,
        "empty target": 0,
        "both sides empty": 0,
        "too long": 1,
        "length ratio": 1,
        "duplicate": 2,
    }
    assert train["pairs"] == 2 and train["lines"] == 8 and train["links"]["sure"] == 1
    assert set(valid["dropped"]) == {"empty source", "empty target", "both sides empty"} and valid["pairs"] == 6
    assert made["options"]["filters"] == given.given
    data = DataBin(tmp_path / "d")
    for reader, texts in zip(data.pair("train", "en", "el"), (("ab cd", "ab cd"), ("λ β", "λ γ")), strict=True):
        assert [item.tolist() for item in reader] == [[*tokenizer.encode(text), 2] for text in texts]
    links = data.links("train", "en", "el")
    assert links is not None and [links[k][2].tolist() for k in range(2)] == [[[0, 0, 1]], [[1, 0, 0]]]
    assert train["tokens"]["en"] == 2 * len(tokenizer.encode("ab cd"))
    assert made["mono"][0]["sentences"] == 2  # "ab cd" and "a", each once in two files
    assert made["mono"][0]["dropped"] == {"empty": 4, "too long": 2, "duplicate": 8}


def test_each_side_is_to_be_in_its_language(monkeypatch):
    monkeypatch.setattr(filters, "in_language", lambda model, language, lines: np.array([x == language for x in lines]))
    texts = {"en": ["en", "en", "el"], "el": ["el", "en", "el"]}
    [(reason, mask)] = Filters(language_model="lid").failing([np.ones(3), np.ones(3)], texts, None)
    assert reason == "other language" and mask.tolist() == [False, True, True]


WORDS = {"ab": (9.0, 0.0), "λ": (0.0, 9.0)}  # evidence for en and for el


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("fasttext", reason="pip install fasttext-predict")
    path = tmp_path / "lid.bin"
    labels = {"__label__en": (1.0, 0.0), "__label__el": (0.0, 1.0)}
    # dim ws epoch minCount neg wordNgrams softmax supervised ...
    parts = [struct.pack("<ii12id", 793712314, 12, *[2, 5, 5, 1, 5, 1, 3, 3, 0, 0, 0, 100], 1e-4)]
    parts.append(struct.pack("<iiiqq", len(WORDS) + len(labels), len(WORDS), len(labels), 10, -1))
    for kind, names in enumerate((WORDS, labels)):
        parts += [name.encode() + b"\0" + struct.pack("<qb", 5, kind) for name in names]
    for rows in (WORDS.values(), labels.values()):
        parts.append(struct.pack("<?qq", False, len(rows), 2) + b"".join(struct.pack("<2f", *row) for row in rows))
    path.write_bytes(b"".join(parts))
    return str(path)


def test_the_most_probable_language_counts(model):
    lines = ["ab cd", "λ ab λ", "λ", "cd", ""]
    assert in_language(model, "en", lines).tolist() == [True, False, False, False, False]
    assert in_language(model, "el_GR", lines).tolist() == [False, True, True, False, False]
    assert in_language(model, "en", []).tolist() == []


def test_a_bad_language_model_is_refused_before_any_work(model, tmp_path):
    require_model(model)
    with pytest.raises(XalignError, match="there is no language identification model"):
        require_model(tmp_path / "none.bin")
    (tmp_path / "text.bin").write_text("no model at all")
    with pytest.raises(XalignError, match="not a fastText model"):
        prepare(PrepareOptions(tmp_path / "d", mono=[MonoSource("train", "en", (str(tmp_path / "text.bin"),))],
                               filters=Filters(language_model=str(tmp_path / "text.bin"))))  # fmt: skip
    assert not (tmp_path / "d").exists()


def test_a_shard_without_a_line_is_an_error(tmp_path, bitext, spm):
    source = PairSource("train", "en", "el", str(bitext / "train.en"), str(bitext / "train.el"))
    with pytest.raises(XalignError, match=r"(?s)a shard has no line.*shard.*1,200 lines in 2 shards"):
        prepare(PrepareOptions(tmp_path / "d", [source], spm=spm, shard=(0, 2)))
    made = prepare(PrepareOptions(tmp_path / "d", [source], spm=spm, shard=(1, 2)))
    assert made["options"]["shard"] == "1/2" and made["pairs"][0]["pairs"] == 1200
