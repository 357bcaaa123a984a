import random
from collections import Counter

import numpy as np
import pytest
from support.text import sentencepiece_model

from xalign_fairseq.aligner.dictionary import DictionaryRun, write_dictionary
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.data.tokenizers.offsets import pieces_with_offsets
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece
from xalign_fairseq.links.pharaoh import parse_line


@pytest.fixture
def linked(tmp_path):
    """Random text of few words, NULL among them, and its links."""
    rng = random.Random(1)
    sides = [[rng.choices(["a", "b", "c", "NULL", "é"], k=rng.randrange(6)) for _ in range(60)] for _ in range(2)]
    links = [
        sorted({(i, j) for i in range(len(src)) for j in range(len(tgt)) if rng.random() < 0.2})
        for src, tgt in zip(*sides, strict=True)
    ]
    for name, side in zip(("src", "tgt"), sides, strict=True):
        (tmp_path / name).write_text("".join(f"{' '.join(words)}\n" for words in side))
    (tmp_path / "links").write_text("".join(" ".join(f"{i}-{j}" for i, j in each) + "\n" for each in links))
    return tmp_path, list(zip(*sides, links, strict=True))


def run_of(folder, **options):
    paths = {name: str(folder / path) for name, path in options.items() if name not in ("spm", "min_count")}
    others = {name: value for name, value in options.items() if name in ("spm", "min_count")}
    return DictionaryRun(*(str(folder / name) for name in ("src", "tgt", "links")), **paths, **others)


def extract_lex(pairs):
    """The lines of lex.s2t and lex.t2s by Moses' extract-lex-main.cpp."""
    s2t, t2s = Counter(), Counter()

    def process(target, source):
        s2t[source, target] += 1
        t2s[target, source] += 1

    for src, tgt, links in pairs:
        src_aligned, tgt_aligned = [False] * len(src), [False] * len(tgt)
        for i, j in links:
            src_aligned[i] = tgt_aligned[j] = True
            process(tgt[j], src[i])
        for i, aligned in enumerate(src_aligned):
            if not aligned:
                process("NULL", src[i])
        for j, aligned in enumerate(tgt_aligned):
            if not aligned:
                process(tgt[j], "NULL")

    def lines(counts):
        totals = Counter()
        for (word, _), count in counts.items():
            totals[word] += count
        return {
            f"{other} {word} {np.float32(count) / np.float32(totals[word]):.7f}"
            for (word, other), count in counts.items()
        }

    return lines(s2t), lines(t2s)


def test_lexical_probabilities_equal_extract_lex(linked):
    folder, pairs = linked
    write_dictionary(run_of(folder, lex="new/lex", shortlist="shortlist"))
    found = [(folder / f"new/lex.{end}").read_text().splitlines() for end in ("s2t", "t2s")]
    expected = extract_lex(pairs)
    assert [len(lines) for lines in found] == [len(lines) for lines in expected]
    assert tuple(map(set, found)) == expected
    shortlist = set((folder / "shortlist").read_text().splitlines())
    assert shortlist == {line for line in expected[0] if "NULL" not in line.split()}


def test_a_shortlist_has_the_hundred_most_probable_targets(tmp_path):
    (tmp_path / "src").write_text("a\n" * 240)
    (tmp_path / "tgt").write_text("".join(f"w{i:03}\n" for i in [*range(120), *range(119, -1, -1)]))
    (tmp_path / "links").write_text("0-0\n" * 239 + "\n")
    write_dictionary(run_of(tmp_path, shortlist="shortlist"))
    assert (tmp_path / "shortlist").read_text().splitlines() == [f"w{i:03} a 0.0083333" for i in range(1, 101)]


def test_a_dictionary_has_shares_of_links(linked):
    folder, pairs = linked
    assert "rows in" in write_dictionary(run_of(folder, out="out", min_count=3))
    links = Counter((src[i], tgt[j]) for src, tgt, found in pairs for i, j in found)
    rows = [line.split("\t") for line in (folder / "out").read_text().splitlines()]
    assert {(src, tgt): int(count) for src, tgt, count, *_ in rows} == {k: n for k, n in links.items() if n >= 3}
    for src, tgt, count, to_tgt, to_src, _ in rows:
        assert float(to_tgt) == pytest.approx(int(count) / sum(n for (s, _), n in links.items() if s == src), rel=1e-5)
        assert float(to_src) == pytest.approx(int(count) / sum(n for (_, t), n in links.items() if t == tgt), rel=1e-5)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model with byte fallback, and one without."""
    folder = tmp_path_factory.mktemp("models")
    lines = ["the red house is big", "das rote Haus ist groß", "a small cat sleeps"] * 50
    for name, fallback in (("bytes", True), ("unk", False)):
        model = sentencepiece_model(lines, vocab_size=300 if fallback else 40, byte_fallback=fallback)
        (folder / name).write_bytes(model)
    return [str(folder / name) for name in ("bytes", "unk")]


def test_word_links_become_links_of_sentencepiece_units(models, tmp_path):
    src = ["the  red ﬁne ½house 😀", "", "日本 house", " a  b "]
    tgt = ["das rote\u00a0Haus", "x", "ist groß", "e\u0301a b"]
    links = ["0-0 1-1 3-2 4-2", "", "1-0", "0-0 1-1"]
    for name, lines in (("src", src), ("tgt", tgt), ("links", links)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    write_dictionary(run_of(tmp_path, guided="guided", out="out", spm=tuple(models)))
    guided = (tmp_path / "guided").read_text().splitlines()
    counted = Counter()
    for *sides, line, found in zip(src, tgt, links, guided, strict=True):
        units = [
            load_sentencepiece(model).encode(side, out_type=str) for model, side in zip(models, sides, strict=True)
        ]
        words = []
        for model, side in zip(models, sides, strict=True):  # the word of each unit, by its first character
            _, begin, _ = pieces_with_offsets(load_sentencepiece(model), side)
            spans = split_at_spaces(side).spans
            words.append([next((k for k, (a, b) in enumerate(spans) if a <= at < b), None) for at in begin])
        links = parse_line(line).possible
        expected = {(u, v) for u, i in enumerate(words[0]) for v, j in enumerate(words[1]) if (i, j) in links}
        assert parse_line(found).sure == expected
        counted.update((units[0][u], units[1][v]) for u, v in expected)
    assert counted == {
        tuple(row[:2]): int(row[2]) for row in map(str.split, (tmp_path / "out").read_text().splitlines())
    }


def test_units_of_white_space_are_counted_but_have_no_links(tmp_path):
    lines = ["ab\u3000cd", "ab cd", "cd\u3000ab"] * 50
    options = {"normalization_rule_name": "identity", "character_coverage": 1.0}
    (tmp_path / "model").write_bytes(sentencepiece_model(lines, vocab_size=40, **options))
    for name, line in (("src", "ab\u3000cd"), ("tgt", "cd ab"), ("links", "0-1 1-0")):
        (tmp_path / name).write_text(f"{line}\n")
    write_dictionary(run_of(tmp_path, guided="guided", lex="lex", spm=(str(tmp_path / "model"),)))
    units = [load_sentencepiece(tmp_path / "model").encode(text, out_type=str) for text in ("ab\u3000cd", "cd ab")]
    assert units == [["\u2581ab", "\u3000", "cd"], ["\u2581cd", "\u2581ab"]]
    assert (tmp_path / "guided").read_text() == "0-1 2-0\n"
    assert all(len(line.split()) == 3 for line in (tmp_path / "lex.s2t").read_text().splitlines())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"no output is given[\s\S]*next: add one"),
        ({"guided": "guided"}, "need a sentencepiece model"),
        ({"out": "src"}, "also an input"),
        ({"out": "a", "shortlist": "a"}, "same name"),
        ({"out": "a", "min_count": 0}, "invalid value|1 or more"),
        ({"lex": "a", "min_count": 2}, r"only the dictionary[\s\S]*next: add out"),
        ({"out": "a", "spm": ("a", "b", "c")}, "one or two files"),
        ({"out": "a", "spm": ("missing",)}, "does not exist"),
    ],
)
def test_invalid_runs_are_refused(linked, options, message):
    with pytest.raises(XalignError, match=message):
        write_dictionary(run_of(linked[0], **options))
    assert not (linked[0] / "a").exists()
