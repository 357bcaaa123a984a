#!/usr/bin/env python3
"""Lay out the downloads of 0_download.sh for xalign transfer.

usage: lay_out.py DATA NAME ...

NAME: a name in ../common/sources.tsv. Unpacks archives of DATA/downloads into DATA, those of WikiANN into
DATA/panx_dataset/LANG, and copies single files. For treebanks, writes DATA/udpos/SPLIT-LANG.tsv with the words and tags
of a language, all treebanks one after the other as in XTREME, but with labels. Existing files are kept and missing
archives are skipped.
"""

import argparse
import io
import re
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

from common.corpora import files

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.data.labelled.conllu import read_pos

SPLITS = ("train", "dev", "test")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    for source in dict.fromkeys(source for name in args.names for source in files(name)):
        path = source.path(args.data / "downloads")
        if not path.exists():
            continue
        if path.name == "panx_dataset.zip":
            entities(path, args.data / "panx_dataset")
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                unpack(args.data, archive.namelist(), archive.open)
        elif path.name.endswith((".tgz", ".tar.gz")):
            untar(path, args.data)
            if path.name.startswith("ud-treebanks"):
                tags(args.data / path.name.removesuffix(".tgz"), args.data / "udpos")
        else:
            write(args.data / source.name, path)


def write(target: Path, path: Path) -> None:
    """Copy a file unless it exists."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target, "wb") as out, open(path, "rb") as given:
            shutil.copyfileobj(given, out)


def unpack(data: Path, names: Iterable[str], opened: Callable[[str], io.BufferedIOBase]) -> None:
    """Write the missing files of an archive, without macOS's own files."""
    for name in names:
        target = (data / name).resolve()
        inside = target.is_relative_to(data.resolve())
        if name.endswith("/") or "__MACOSX" in name or target.exists() or not inside:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened(name) as member, atomic_write(target, "wb") as out:
            shutil.copyfileobj(member, out)


def untar(path: Path, data: Path) -> None:
    """The same for a tar archive."""
    with tarfile.open(path) as archive:
        members = {member.name: member for member in archive.getmembers() if member.isfile()}
        unpack(data, members, lambda name: archive.extractfile(members[name]))  # type: ignore[arg-type, return-value]


def entities(path: Path, folder: Path) -> None:
    """WikiANN: its archive holds one archive per language, with files train, dev and test."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            language = Path(name).name.removesuffix(".tar.gz")
            if not name.endswith(".tar.gz") or all((folder / language / split).exists() for split in SPLITS):
                continue
            with archive.open(name) as packed, tarfile.open(fileobj=packed, mode="r:gz") as parts:
                for member in parts:
                    split = Path(member.name).name
                    if split in SPLITS:
                        (folder / language).mkdir(parents=True, exist_ok=True)
                        with parts.extractfile(member) as text, atomic_write(folder / language / split, "wb") as out:  # type: ignore[union-attr]
                            shutil.copyfileobj(text, out)


def tags(release: Path, folder: Path) -> None:
    """Words and universal tags per language and split of a release, treebanks in order of their names."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(release.rglob("*.conllu")):
        parts = re.fullmatch(r"([a-z]+)_[^-]+-ud-(train|dev|test)\.conllu", path.name)
        if parts:
            found.setdefault((parts[1], parts[2]), []).append(path)
    folder.mkdir(parents=True, exist_ok=True)
    for (language, split), paths in found.items():
        target = folder / f"{split}-{language}.tsv"
        if target.exists():
            continue
        with atomic_write(target) as out:
            for path in paths:
                out.write(treebank(path, language))


def treebank(path: Path, language: str) -> str:
    """The words and tags of a treebank; nothing if it was published without its words or has errors."""
    try:
        sentences = list(read_pos(path, language))
    except XalignError as error:
        print(f"left out: {path}\n  {error}", file=sys.stderr)
        return ""
    whole = [each for each in sentences if each.tags is not None and set(each.words) != {"_"}]
    if len(whole) < len(sentences):
        print(f"{path}: {len(sentences) - len(whole)} sentences without words or tags are skipped", file=sys.stderr)
    return "".join(
        "".join(f"{word}\t{tag}\n" for word, tag in zip(each.words, each.tags or (), strict=True)) + "\n"
        for each in whole
    )


if __name__ == "__main__":
    sys.exit(exit_code(main))
