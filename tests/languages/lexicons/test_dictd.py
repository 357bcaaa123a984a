"""dictd's two files: by hand, by round trip, damaged, and a real dictionary written so."""

import gzip
import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.lexicons.formats import files_of, format_of, read_entries

# Headword line, senses, and what stands between them in FreeDict's dictd files.
DEFINITIONS = [
    ("00databaseshort", "English-German FreeDict Dictionary\n", []),
    ("00-database-info", "house\nHaus\n", []),
    ("abc", "ABC /eibiːsiː/\nAbc, Alphabet\n", [("ABC", "Abc"), ("ABC", "Alphabet")]),
    ("lead", "lead /liːd/ <v, pl>\n1. führen, leiten\n  2.  [mil.]  anführen; vorangehen <v>\n",
     [("lead", to) for to in ("führen", "leiten", "anführen", "vorangehen")]),
    ("virtue", 'virtue <n>\nTugend <fem>\n      "out of virtue"  - aus Tugend\n see: {virtues}\n         Note: ethics\n'
     "   Synonym: {goodness}\n\n See also: {vice}\n", [("virtue", "Tugend")]),
    ("lay", "lay /leɪ/\nI.  <V> 1.  [dywan]  legen\n 2.  lay hold of (lay V: :hold :of)\n - ergreifen\n",
     [("lay", "legen")]),
    ("house and/or home", "house and/or home\nHaus ~ und_Hof\n?\n", [("house and/or home", "Haus und Hof")]),
    ("the (old) way", "the (old (very)) way\nArt, , Weise،\n", [("the way", "Art"), ("the way", "Weise")]),
    ("bare", "bare\n", [("bare", "")]),
    ("V.", "V. /viː/\nV.\n", [("V.", "")]),
]  # fmt: skip


def number(value):
    """dictd's base 64: the digits of a number, none of them needless."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return (number(value // 64) if value >= 64 else "") + digits[value % 64]


def write_dictd(folder, definitions, compress=True, name="made-up"):
    content, lines = b"", []
    for headword, text in definitions:
        raw = text.encode()
        lines.append(f"{headword}\t{number(len(content))}\t{number(len(raw))}\n")
        content += raw
    (folder / f"{name}.index").write_text("".join(lines), encoding="utf-8")
    suffix = ".dict.dz" if compress else ".dict"
    (folder / f"{name}{suffix}").write_bytes(gzip.compress(content) if compress else content)
    return folder / f"{name}{suffix}"


def entries(path, kind="auto"):
    return list(read_entries(path, kind))


@pytest.mark.parametrize("compress", [True, False])
def test_dictd(tmp_path, compress):
    path = write_dictd(tmp_path, [(headword, text) for headword, text, _ in DEFINITIONS], compress)
    expected = [pair for *_, pairs in DEFINITIONS for pair in pairs]
    index = tmp_path / "made-up.index"
    for each in (path, index):
        assert format_of(each) == "dictd" and files_of(each) == [index, path]
        assert entries(each) == expected


def test_two_headwords_of_one_definition_are_one_entry(tmp_path):
    path = write_dictd(tmp_path, [("colour", "colour\nFarbe\n"), ("tone", "tone\nTon\n")])
    index = tmp_path / "made-up.index"
    index.write_text(index.read_text() + index.read_text().replace("colour", "color"))
    assert entries(path) == [("colour", "Farbe"), ("tone", "Ton")]


def test_every_offset_is_followed(tmp_path):
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwäöü", k=rng.randint(1, 12))) for _ in range(600)]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    path = write_dictd(tmp_path, [(a, f"{a} /x/\n{b}\n") for a, b in pairs])
    assert entries(path) == pairs


@pytest.mark.parametrize(
    ("start", "size", "end"),
    [
        *((number(value), "BAA", value + 4096) for value in (0, 1, 63, 64, 4095, 4096, 16777216, 123456789012)),
        ("A", "LNq", 11 * 64**2 + 13 * 64 + 42),
    ],
)
def test_numbers_of_the_index(tmp_path, start, size, end):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    (tmp_path / "made-up.index").write_text(f"house\t{start}\t{size}\n")
    with pytest.raises(XalignError, match=rf"bytes \d+ to {end}\n"):
        entries(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [("house", "not of a dictd index"), ("house\tA", "not of a dictd index"), ("house\tA\t-", "not of a dictd index"),
     ("house\tA\t", "not of a dictd index"), ("house\tA\tBA", "bytes 0 to 64")],
)  # fmt: skip
def test_a_damaged_index(tmp_path, line, words):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    index = tmp_path / "made-up.index"
    index.write_text(f"{index.read_text()}{line}\n")
    with pytest.raises(XalignError, match=words) as caught:
        entries(path)
    assert "line 2" in str(caught.value)


@pytest.mark.parametrize(
    ("damage", "found"),
    [(lambda content: content[:-9], "damaged"), (lambda _: gzip.compress(b"tone\n\xffon\n"), "not UTF-8")],
)
def test_damaged_text(tmp_path, damage, found):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(XalignError, match=found):
        entries(path)


def test_a_missing_half(tmp_path):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    path.unlink()
    with pytest.raises(XalignError, match=r"no made-up\.dict or made-up\.dict\.dz"):
        entries(tmp_path / "made-up.index")
    path.touch()
    (tmp_path / "made-up.index").unlink()
    with pytest.raises(XalignError, match=r"no made-up\.index"):
        entries(path)


def test_real_entries(tmp_path, real):
    text = [
        (headword, f"{headword} /x/\n" + "".join(f"{i}. {to}\n" for i, to in enumerate(translations, 1)))
        for headword, translations in real.items()
    ]
    assert entries(write_dictd(tmp_path, text)) == [(headword, to) for headword in real for to in real[headword]]
