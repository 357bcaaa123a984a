from collections import defaultdict
from pathlib import Path

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.sample import german
from xalign_fairseq.languages.sample.bitext import write_sample
from xalign_fairseq.languages.sample.words import LANGUAGES
from xalign_fairseq.links.gold import read_gold

SIZES = {"train": 3000, "valid": 100, "test": 80}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    out = tmp_path_factory.mktemp("sample") / "sample"
    write_sample(out, pairs=SIZES["train"], seed=5, valid=SIZES["valid"], test=SIZES["test"])
    return out


def lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n") and "\r" not in text
    return text.removesuffix("\n").split("\n")


@pytest.fixture(scope="module")
def bitext(written):
    """{language: [(English words, other words, {(i, j)})]} of the training splits."""
    rows = {}
    for language in LANGUAGES:
        folder = written / f"en-{language}"
        gold = read_gold(folder / "train.gold")
        sides = (lines(folder / "train.en"), lines(folder / f"train.{language}"))
        rows[language] = [(a.split(), b.split(), set(g.sure)) for a, b, g in zip(*sides, gold, strict=True)]
    return rows


def test_files_and_sizes(written):
    for language in LANGUAGES:
        for split, size in SIZES.items():
            for suffix in ("en", language, "gold"):
                assert len(lines(written / f"en-{language}" / f"{split}.{suffix}")) == size
    for language in ("en", *LANGUAGES):
        assert len(lines(written / "mono" / f"train.{language}")) == SIZES["train"] // 2
        assert len(lines(written / "mono" / f"valid.{language}")) == SIZES["valid"]


def test_same_seed_same_bytes_in_other_processes(command, tmp_path):
    def content(name):
        return {p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*.*")}

    command("xalign", "sample", "--out", tmp_path / "a", "--pairs", 200, "--seed", 3, PYTHONHASHSEED="2")
    for name, seed in (("b", 3), ("c", 4)):
        write_sample(tmp_path / name, pairs=200, seed=seed)
    first, other = content("a"), content("c")
    assert first == content("b")
    assert all(first[path] != other[path] for path in first)


def test_english_sentences_are_distinct_within_a_split_and_between_splits(written):
    splits = defaultdict(set)
    for path in written.rglob("*.en"):
        split = "mono" if path.parent.name == "mono" else path.stem
        splits[split].update(lines(path))
        assert split != "train" or len(set(lines(path))) == len(lines(path))
    assert set(splits) == {"train", "valid", "test", "mono"}
    assert sum(map(len, splits.values())) == len(set().union(*splits.values()))


def test_no_translation_is_in_two_splits(tmp_path, monkeypatch):
    whole = german.say  # with only the first words, many English sentences have the same translation
    monkeypatch.setattr(german, "say", lambda sentence: whole(sentence)[:2])
    write_sample(tmp_path / "out", pairs=200, seed=2, valid=20, test=20)
    paths = [tmp_path / "out" / "en-de" / f"{split}.de" for split in SIZES]
    parts = [set(lines(path)) for path in paths]
    parts.append({line for split in ("train", "valid") for line in lines(tmp_path / "out" / "mono" / f"{split}.de")})
    assert len(parts[0]) < 200
    assert sum(map(len, parts)) == len(set().union(*parts))


def test_links_lie_within_sentences_of_varied_length(bitext):
    for rows in bitext.values():
        for src, tgt, links in rows:
            assert all(0 <= i < len(src) and 0 <= j < len(tgt) for i, j in links)
            assert (len(src) - 1, len(tgt) - 1) in links  # the final marks
        lengths = [len(src) for src, _, _ in rows]
        assert max(lengths) <= 24 and min(lengths) <= 5
        assert sum(5 <= n <= 20 for n in lengths) > 0.9 * len(lengths)


def test_every_sense_of_the_homonyms_occurs(bitext):
    senses = {
        "de": {
            "bank": {"Bank", "Ufer"},
            "spring": {"Feder", "Quelle", "Frühling"},
            "bats": {"Fledermäuse", "Schläger"},
        },
        "fr": {"bank": {"banque", "rive"}, "spring": {"ressort", "source", "printemps"}},
    }
    for language, expected in senses.items():
        found = defaultdict(set)
        for src, tgt, links in bitext[language]:
            for i, j in links:
                found[src[i]].add(tgt[j])
        for word, translations in expected.items():
            assert translations <= found[word], (language, word, found[word])


@pytest.mark.parametrize("option", ["pairs", "valid", "test"])
def test_sizes_below_one_are_errors_and_an_existing_folder_is_kept(tmp_path, option):
    sizes = {"pairs": 5, "valid": 5, "test": 5}
    with pytest.raises(XalignError, match=f"where: {option}\n"):
        write_sample(tmp_path / "new", seed=1, **sizes | {option: 0})
    (tmp_path / "mine.txt").write_text("mine")
    for overwrite, said in ((False, "exists"), (True, "of other origin")):
        with pytest.raises(XalignError, match=said):
            write_sample(tmp_path, seed=1, **sizes, overwrite=overwrite)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
