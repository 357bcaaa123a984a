import hashlib
import json
from types import SimpleNamespace

import pytest

from xalign_fairseq.core.text.corpus import TextFile
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.prepare import manifest
from xalign_fairseq.data.prepare.binarize import MonoText, PairText
from xalign_fairseq.data.prepare.sources import PrepareOptions
from xalign_fairseq.data.tokenizers.dictionary import Dictionary

TOKENIZER = SimpleNamespace(model=b"spm", dictionary=Dictionary(["a", "b"]), missing_pieces=1)
SIDES = TextFile("t.en", 9, (0, 9)), TextFile("t.de", 9, (0, 9))
PAIR = PairText("train", "en", "de", *SIDES)
COUNTS = {
    "lines": 9, "pairs": 6, "empty source": 1, "empty target": 2, "both sides empty": 0,
    "tokens en": 30, "unknown en": 1, "tokens de": 0, "unknown de": 0, "unknown in en Thai": 1,
}  # fmt: skip
MONO = MonoText("valid", "en", (SIDES[0], TextFile("more.en", 1, (0, 1))))
MONO_COUNTS = {"lines": 10, "sentences": 8, "empty": 2, "tokens en": 3, "unknown en": 2,
               "unknown in en Han": 1, "unknown in en Thai": 1, "unknown in en symbols": 3}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    """A function that writes the manifest of a folder with two files and reads it back."""
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "a.idx").write_bytes(b"index")

    def run(*texts, **options):
        made = manifest.write(tmp_path, texts, TOKENIZER, PrepareOptions(tmp_path, **options))
        assert json.loads((tmp_path / "manifest.json").read_text()) == made
        return made

    return run


def test_a_pair_without_links_and_with_some(write):
    plain, linked = PAIR, PairText("test", "en", "de", *SIDES, TextFile("t.gold", 9, (0, 9)))
    made = write((plain, COUNTS), (linked, COUNTS | {"sure links": 4, "possible links": 3}))
    assert made["splits"] == ["test", "train"]
    assert made["pairs"][0] == {
        "split": "train", "src": "en", "tgt": "de", "files": ["t.en", "t.de"], "lines": 9, "pairs": 6,
        "dropped": {"empty source": 1, "empty target": 2, "both sides empty": 0},
        "tokens": {"en": 30, "de": 0}, "unknown": {"en": 1, "de": 0},
        "unknown_scripts": {"en": {"Thai": 1}, "de": {}},
        "unknown_rate": {"en": 0.033333, "de": 0.0},  # 1 / 30, and no token at all
    }  # fmt: skip
    assert made["pairs"][1]["links"] == {"file": "t.gold", "sure": 4, "possible": 3}
    assert made["mono"] == []


@pytest.mark.parametrize(
    ("options", "trained", "size"),
    [
        ({}, True, 8000),
        ({"vocab_size": 50}, True, 50),
        ({"spm": "m.model"}, False, None),
        ({"tokenizer": "x.pt"}, False, None),
    ],
)
def test_options_and_tokenizer(write, options, trained, size):
    made = write((MONO, MONO_COUNTS), **options)
    names = {"spm": options.get("spm"), "dict": None, "tokenizer": options.get("tokenizer")}
    assert made["options"] == {**names, "vocab_size": size, "seed": 1}
    digest = TOKENIZER.dictionary.digest
    expected = {"model": "sentencepiece.model", "trained": trained, "symbols": 6, "digest": digest, "missing_pieces": 1}
    assert made["tokenizer"] == expected
    assert (made["format"], made["xalign_fairseq"]) == (1, __version__)


def test_every_file_but_the_manifest_is_hashed(write, tmp_path):
    (tmp_path / "folder").mkdir()
    write((MONO, MONO_COUNTS))
    made = write((MONO, MONO_COUNTS))  # there is an older manifest
    contents = {"a.idx": b"index", "b.bin": b"\0\1"}
    expected = {name: {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()} for name, raw in contents.items()}
    assert made["files"] == expected and list(made["files"]) == sorted(contents)
