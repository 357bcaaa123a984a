#!/usr/bin/env python3
"""Download a paper's texts and models, and lay the texts out for the recipes.

usage: download.py OUT [PAIR=CORPUS[+CORPUS] ...] [--mono LANG ...] [--wikipedia LANG ...] [--file NAME ...]
                   [--pairs N] [--words] [--jobs N] [--dry]

Prints the total size first, as far as it is known. Archives are kept in OUT/downloads. Failed downloads are listed at
the end, with exit code 1; run again to retry them and to continue incomplete ones. Writes OUT/PAIR/train.LANG and
valid.LANG, with several corpora one after the other, and OUT/mono/LANG.txt, first CC-100, then Wikipedia. Unpacks tar
archives in their folder. Existing files are kept; text that exists from other corpora or options is an error.
"""

import argparse
import bz2
import io
import json
import lzma
import random
import re
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, nullcontext
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from xalign_fairseq.core.errors import XalignError, exit_code

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

from common import wikipedia
from common.corpora import Source, bitext, cc100, files, monolingual, total
from common.corpora import wikipedia as dump
from common.fetch import fetch_all

CORPORA = "corpora.txt"  # next to a pair's text, what it was made from; for monolingual text LANG.corpora
UNSPACED = re.compile(r"([\u3001-\u303f\u3040-\u30ff\u3400-\u9fff])")  # kana, Han and their punctuation: each a word
ALL = "all"  # the 94 languages of XLM-Align, by 87 codes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("bitext", nargs="*", metavar="PAIR=CORPUS[+CORPUS]", help="such as en-fr=MultiUN+WikiMatrix")
    parser.add_argument("--mono", nargs="*", default=[], metavar="LANG", help="CC-100's text; all: XLM-Align's 94")
    parser.add_argument("--wikipedia", nargs="*", default=[], metavar="LANG", help="Wikipedia's text; all: the same")
    parser.add_argument("--file", nargs="*", default=[], metavar="NAME", help="other files of sources.tsv")
    parser.add_argument("--pairs", type=int, metavar="N", help="training pairs to draw for each PAIR (default: all)")
    parser.add_argument("--valid", type=int, default=1000, metavar="N", help="held-out pairs (default: %(default)s)")
    parser.add_argument("--words", action="store_true", help="tokenise (Moses; Han characters become words)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parallel downloads")
    parser.add_argument("--dry", action="store_true", help="list the downloads and fetch nothing")
    args = parser.parse_args()
    downloads = args.out / "downloads"
    pairs = {
        pair: [bitext(corpus, *languages(pair)) for corpus in corpora.split("+")]
        for pair, _, corpora in (given.partition("=") for given in args.bitext)
    }
    crawled, articles = (list(monolingual()) if given == [ALL] else given for given in (args.mono, args.wikipedia))
    mono = {
        language: [
            *(cc100(language) if language in crawled else []),
            *([dump(language)] if language in articles else []),
        ]
        for language in dict.fromkeys([*crawled, *articles])
    }
    others = [source for name in args.file for source in files(name)]
    sources = list(dict.fromkeys([*others, *[source for each in (*pairs.values(), *mono.values()) for source in each]]))
    if args.dry:
        print("\n".join(f"{source.path(downloads)} <- {source}" for source in sources))
        print(total(sources), file=sys.stderr)
        return 0
    if args.words and not find_spec("sacremoses"):  # fail before hours of downloading
        raise XalignError(
            "a package is missing",
            parameter="words",
            expected="sacremoses",
            remedy='pip install ".[recipes]" in the folder of this repository',
        )
    for pair, corpora in pairs.items():
        require_same(args.out / pair, of_pair(corpora, args))
    for language, parts in mono.items():
        require_same(args.out / f"mono/{language}.txt", names(parts))
    missing = set(fetch_all(sources, downloads, args.jobs))
    for source in others:
        if source not in missing:
            unpack(source.path(downloads))
    for pair, corpora in pairs.items():
        if not (args.out / pair).exists() and not missing.intersection(corpora):
            write_pair(args.out, pair, corpora, args)
    whole = {language: parts for language, parts in mono.items() if parts and not missing.intersection(parts)}
    given = [args.out] * len(whole), whole, whole.values()
    with ProcessPoolExecutor(args.jobs) if args.jobs > 1 else nullcontext() as pool:
        for language in pool.map(write_mono, *given) if pool else map(write_mono, *given):
            print(f"{language}: monolingual text", file=sys.stderr)
    return int(bool(missing))


def write_mono(out: Path, language: str, parts: Sequence[Source]) -> str:
    """Write a language's monolingual text from all its archives, unless it exists."""
    text = out / f"mono/{language}.txt"
    if not text.exists():
        text.parent.mkdir(parents=True, exist_ok=True)
        part = text.with_suffix(".part")
        with open(part, "wb") as plain:
            for source in parts:
                path = source.path(out / "downloads")
                if path.suffix == ".bz2":
                    with bz2.open(path, "rt", encoding="utf-8") as dumped:
                        plain.writelines(line.encode() + b"\n" for line in wikipedia.paragraphs(dumped))
                else:
                    with lzma.open(path) as compressed:
                        shutil.copyfileobj(compressed, plain, 1 << 20)
        text.with_suffix(".corpora").write_text(names(parts), encoding="utf-8")
        part.rename(text)
    return language


def names(corpora: Sequence[Source]) -> str:
    """One line for each archive of a text."""
    return "".join(f"{source.name}\n" for source in corpora)


def of_pair(corpora: Sequence[Source], args: argparse.Namespace) -> str:
    """The record of a pair's text: its archives, and the options that change it."""
    options = (f"{name}={getattr(args, name)}" for name in ("pairs", "valid", "words", "seed"))
    return f"{names(corpora)}{' '.join(options)}\n"


def require_same(text: Path, made: str) -> None:
    """Keep existing text, but refuse text of another origin; text without a record may be the user's own."""
    note = text / CORPORA if text.is_dir() else text.with_suffix(".corpora")
    there = note.read_text(encoding="utf-8") if text.exists() and note.is_file() else made
    if there != made:
        raise XalignError(
            "the text exists from other corpora or options",
            where=text,
            found=there.splitlines(),
            expected=made.splitlines(),
            remedy="give another folder, or remove it",
        )


def languages(pair: str) -> tuple[str, str]:
    """Both sides of SRC-TGT; the names of texts and archives have no other dash."""
    src, _, tgt = pair.partition("-")
    if not (src and tgt) or "-" in tgt:
        raise XalignError("a pair is not two languages", where=pair, expected="such as en-fr")
    return src, tgt


def unpack(path: Path) -> Path:
    """Unpack a tar archive into a folder of its name and return the folder; other files stay as they are."""
    folder = path.with_name(path.name.removesuffix(".tar.gz"))
    if path.name.endswith(".tar.gz") and not folder.exists():
        work = path.with_name("." + folder.name)
        shutil.rmtree(work, ignore_errors=True)
        with tarfile.open(path) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
            archive.extractall(work)
        inner = work / folder.name  # most hold one folder of the same name
        (inner if inner.is_dir() else work).rename(folder)
        shutil.rmtree(work, ignore_errors=True)
    return folder


def read_pairs(archives: list[Path], src: str, tgt: str) -> Iterator[tuple[str, str]]:
    """The pairs of the archives, without pairs that have an empty side; strips spaces at the ends."""
    for path in archives:
        if path.name.startswith("translation2019zh"):
            yield from json_pairs(path, src, tgt)
            continue
        with ExitStack() as stack:
            opened = open_zip if path.suffix == ".zip" else open_unpacked
            sides = [opened(path, language, stack) for language in (src, tgt)]
            for row, (left, right) in enumerate(zip_longest(*sides), 1):
                if left is None or right is None:
                    raise XalignError("the two sides differ in length", where=f"{path}, line {row}")
                if left.strip() and right.strip():
                    yield " ".join(left.split()), " ".join(right.split())


def json_pairs(path: Path, src: str, tgt: str) -> Iterator[tuple[str, str]]:
    """The training pairs of translation2019zh: lines of JSON with the keys ``english`` and ``chinese``."""
    keys = {"en": "english", "zh": "chinese"}
    if {src, tgt} != set(keys):
        raise XalignError("the corpus has no such pair", where=path, found=f"{src}-{tgt}", expected="zh-en or en-zh")
    with zipfile.ZipFile(path) as archive:
        name = only([each for each in archive.namelist() if each.endswith("train.json")], path, "train.json")
        with archive.open(name) as stream:
            for line in stream:
                row = json.loads(line)
                left, right = (" ".join(row[keys[language]].split()) for language in (src, tgt))
                if left and right:
                    yield left, right


def open_zip(path: Path, language: str, stack: ExitStack) -> TextIO:
    """One side of a zip in Moses' format."""
    archive = stack.enter_context(zipfile.ZipFile(path))
    name = only([name for name in archive.namelist() if name.endswith(f".{language}")], path, language)
    return io.TextIOWrapper(stack.enter_context(archive.open(name)), encoding="utf-8", newline="\n")


def open_unpacked(path: Path, language: str, stack: ExitStack) -> TextIO:
    """One side of OPUS-100's training text, unpacked next to its archive, because a tar can't be read at two places."""
    name = only([str(each) for each in unpack(path).rglob(f"*-train.{language}")], path, language)
    return stack.enter_context(open(name, encoding="utf-8", newline="\n"))


def only(names: Sequence[str], path: Path, language: str) -> str:
    """The only text of a language in an archive."""
    if len(names) != 1:
        raise XalignError(
            "an archive must have one text of a language",
            where=path,
            found=names or "none",
            expected=f"one file .{language}",
        )
    return names[0]


def write_pair(out: Path, pair: str, corpora: Sequence[Source], args: argparse.Namespace) -> None:
    """Draw training and held-out pairs, keep their order, and write them."""
    src, tgt = languages(pair)
    archives = [source.path(out / "downloads") for source in corpora]
    total = sum(1 for _ in read_pairs(archives, src, tgt))
    if total <= args.valid:
        raise XalignError("fewer pairs than are held out", where=pair, found=total, expected=f"more than {args.valid}")
    most = total if args.pairs is None else min(total, args.pairs + args.valid)
    drawn = random.Random(args.seed).sample(range(total), most)
    held_out, chosen = set(drawn[: args.valid]), set(drawn)
    tokenize = {language: tokenizer(language) if args.words else str for language in (src, tgt)}
    work = out / f".{pair}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with ExitStack() as stack:
        files = {
            (split, language): stack.enter_context(open(work / f"{split}.{language}", "w", encoding="utf-8"))
            for split in ("train", "valid")
            for language in (src, tgt)
        }
        for row, sentences in enumerate(read_pairs(archives, src, tgt)):
            if row in chosen:
                split = "valid" if row in held_out else "train"
                for language, sentence in zip((src, tgt), sentences, strict=True):
                    files[split, language].write(tokenize[language](sentence) + "\n")
    (work / CORPORA).write_text(of_pair(corpora, args), encoding="utf-8")
    work.rename(out / pair)
    print(f"{pair}: {most - args.valid} of {total} pairs for training, {args.valid} held out", file=sys.stderr)


def tokenizer(language: str):
    """Moses tokenisation, cased; kana and Han characters are words, because Moses does not separate them."""
    from sacremoses import MosesTokenizer

    words = MosesTokenizer(language).tokenize

    def tokenize(sentence: str) -> str:
        text = words(UNSPACED.sub(r" \1 ", sentence), return_str=True, escape=False, aggressive_dash_splits=True)
        return " ".join(text.replace(" @-@ ", " - ").split())

    return tokenize


if __name__ == "__main__":
    sys.exit(exit_code(main))
