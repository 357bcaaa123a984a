#!/usr/bin/env python3
"""Lay out the downloads of 0_download.sh for 1_data.sh.

usage: lay_out.py DOWNLOADS BENCHMARK

WikiText-103's paragraphs become one sentence per line: a sentence ends after . ! or ? before a capital, a digit or a
quote. Headings are dropped. WikiANN's English words lose their prefix "en:", XNLI keeps its English pairs, and XNLI-MT
gives MultiNLI's training set unchanged. Existing files are kept.
"""

import argparse
import csv
import gzip
import io
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import atomic_write

SENTENCES = re.compile(r"(?<= [.!?]) (?=[A-Z0-9\"])")
TREEBANKS = ("en_ewt-ud-train", "en_ewt-ud-dev", "en_ewt-ud-test", "fr_gsd-ud-dev", "fr_gsd-ud-test")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("downloads", type=Path)
    parser.add_argument("benchmark", type=Path)
    args = parser.parse_args()
    downloads, labelled = args.downloads, args.benchmark / "eval"
    texts = downloads / "wikitext-103-raw-v1.zip"
    write(args.benchmark / "bitext/wikitext-103/train.en", sentences(member(texts, "wiki.train.raw")))
    for name in TREEBANKS:
        packed = labelled / f"ud/{name}.conllu.gz"
        if not packed.exists():
            packed.parent.mkdir(parents=True, exist_ok=True)
            tree = (downloads / f"{name}.conllu").read_bytes()
            with atomic_write(packed, "wb") as out:
                out.write(gzip.compress(tree, mtime=0))
    for split in ("train", "dev", "test"):
        write(labelled / f"panx/{split}-en.tsv", entities(downloads / "panx_dataset.zip", split))
    write(labelled / "xnli/train-en.tsv", member(downloads / "XNLI-MT-1.0.zip", "multinli.train.en.tsv"))
    pairs = {split: list(english_pairs(downloads / "XNLI-1.0.zip", split)) for split in ("dev", "test")}
    write(labelled / "xnli/dev-en.tsv", ("\t".join(pair) for pair in pairs["dev"]))
    write(labelled / "xnli/test-en.tsv", ("\t".join(pair[:2]) for pair in pairs["test"]))
    write(labelled / "xnli/test.labels", (pair[2] for pair in pairs["test"]))


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file unless it exists."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as out:
        out.writelines(line + "\n" for line in lines)


def member(archive: Path, name: str) -> Iterator[str]:
    """The lines of the only file in an archive whose path ends with ``name``."""
    with zipfile.ZipFile(archive) as opened:
        found = [each for each in opened.namelist() if each.endswith(name) and not each.startswith("__MACOSX")]
        if len(found) != 1:
            raise XalignError("an archive has changed", where=archive, found=found or "nothing", expected=name)
        with opened.open(found[0]) as file:
            yield from (line.rstrip("\r\n") for line in io.TextIOWrapper(file, encoding="utf-8", newline="\n"))


def sentences(paragraphs: Iterable[str]) -> Iterator[str]:
    """The sentences of WikiText's tokenised paragraphs; skips headings: `` = Heading = ``."""
    for paragraph in map(str.strip, paragraphs):
        if paragraph and not (paragraph.startswith("= ") and paragraph.endswith(" =")):
            yield from SENTENCES.split(paragraph)


def entities(archive: Path, split: str) -> Iterator[str]:
    """English words and tags of WikiANN from its archive of archives; empty lines separate sentences."""
    with zipfile.ZipFile(archive) as opened:
        [name] = [each for each in opened.namelist() if each.endswith("/en.tar.gz") or each == "en.tar.gz"]
        with opened.open(name) as packed, tarfile.open(fileobj=packed, mode="r:gz") as language:
            [part] = [each for each in language.getmembers() if Path(each.name).name == split]
            file = language.extractfile(part)
            assert file is not None
            for line in io.TextIOWrapper(file, encoding="utf-8", newline="\n"):
                yield line.rstrip("\r\n").removeprefix("en:")


def english_pairs(archive: Path, split: str) -> Iterator[tuple[str, str, str]]:
    """Premise, hypothesis and label of XNLI's English pairs."""
    for row in csv.DictReader(member(archive, f"xnli.{split}.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["language"] == "en":
            yield row["sentence1"].strip(), row["sentence2"].strip(), row["gold_label"]


if __name__ == "__main__":
    sys.exit(exit_code(main))
