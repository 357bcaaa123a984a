import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare import manifest
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer


def test_each_filter_by_its_own_limit():
    sizes = [np.array([1, 2, 4, 4, 4]), np.array([2, 2, 2, 1, 5])]
    found = dict(Filters(2, 4, 2).failing(sizes))
    assert {reason: mask.tolist() for reason, mask in found.items()} == {
        "too short": [True, False, False, True, False],
        "too long": [False, False, False, False, True],
        "length ratio": [False, False, False, True, False],
    }
    assert dict(Filters(max_length_ratio=2).failing(sizes[:1])) == {}
    assert Filters(max_length=3).given == {"max_length": 3}


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
    given = Filters(max_length=len(tokenizer.encode(rows[4][0])) - 1, max_length_ratio=2)
    mono = [MonoSource("train", "en", (paths[0], paths[0]))]
    made = prepare(PrepareOptions(tmp_path / "d", pairs, mono, spm=spm, filters=given, workers=workers))
    train, valid = made["pairs"]
    assert train["dropped"] == {
        "empty source": 2,
        "empty target": 0,
        "both sides empty": 0,
        "too long": 1,
        "length ratio": 1,
    }
    assert train["pairs"] == 4 and train["lines"] == 8 and train["links"]["sure"] == 2
    assert set(valid["dropped"]) == {"empty source", "empty target", "both sides empty"} and valid["pairs"] == 6
    assert made["options"]["filters"] == given.given
    data = DataBin(tmp_path / "d")
    for reader, texts in zip(
        data.pair("train", "en", "el"), (["ab cd"] * 4, ("λ β", "λ β", "λ γ", "λ β")), strict=True
    ):
        assert [item.tolist() for item in reader] == [[*tokenizer.encode(text), 2] for text in texts]
    links = data.links("train", "en", "el")
    assert links is not None and [links[k][2].tolist() for k in range(4)] == [[[0, 0, 1]], [[1, 1, 1]], [[1, 0, 0]], []]
    assert train["tokens"]["en"] == 4 * len(tokenizer.encode("ab cd"))
    assert made["mono"][0]["sentences"] == 10  # "ab cd" and "a" in two files
    assert made["mono"][0]["dropped"] == {"empty": 4, "too long": 2}


def test_a_text_with_fewer_blocks_than_shards_is_in_some_of_them(tmp_path, bitext, spm, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 400)
    (tmp_path / "tiny").write_text("ab cd\n")
    pairs = [PairSource("train", "en", "el", *(str(bitext / f"train.{language}") for language in ("en", "el")))]
    mono = [MonoSource("train", "qu", (str(tmp_path / "tiny"),)), MonoSource("train", "en", (pairs[0].src_path,))]
    for k in range(3):
        options = PrepareOptions(tmp_path / "d", pairs, mono, spm=spm, shard=(k, 3), overwrite=True)
        made = prepare(options)
        assert made == manifest.complete(options) and made["options"]["shard"] == f"{k}/3"
        assert (made["pairs"][0]["pairs"], made["mono"][0]["sentences"]) == (400, k // 2)
        assert (("train", "qu") in DataBin(tmp_path / "d").monos) is (k == 2)
    for number, most, few in ((2, 1, mono[:1]), (4, 3, mono)):
        with pytest.raises(XalignError, match=rf"no line[\s\S]*found: {number} shards\n  expected: at most {most}"):
            prepare(PrepareOptions(tmp_path / "e", pairs, few, spm=spm, shard=(number - 1, number)))
