"""Pack real bitext into a kit, cut to its room: a data-bin, a text for the aligner, and gold links.

usage: pack_data.py BENCHMARK TEXT KIT [--tokenizer MODEL]
       pack_data.py BENCHMARK --gold          print the names of the texts that have gold links

TEXT has the training text of each pair as TEXT/PAIR/train.LANG. Writes KIT/data.tar.xz, a third of its unpacked size,
with data-bin (development sets as validation text and test sets as test text, with links), gold (development and test
sets as in BENCHMARK) and text (some pairs unchanged).
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import kit as kits

from xalign_fairseq.core.text.lines import read_lines

GOLD = ("hansards-wpt03-trial", "wpt05-hi-trial", "golden-collection", "simalign-testsets")
VALID = {"en-fr": "hansards-wpt03-trial", "en-hi": "wpt05-hi-trial"}  # de-en and ro-en have no development set
TEST = "simalign-testsets"
ALIGNED = ("de-en", 2000)  # the text for timing aligners
SLACK = 500_000  # bytes of a kit to leave free
SAMPLES = (500, 2000)  # pairs per language pair, to estimate larger sizes
AIM = 0.95  # part of the room
ENOUGH = 0.1  # part of the text: for a smaller gain it is not packed again
EACH = 4  # every fourth line of the bitext is also monolingual text
VOCABULARY = 16_000  # if there is no tokenizer
Bitext = Mapping[str, Mapping[str, Sequence[str]]]  # pair -> language -> lines


def shares(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    """Equal shares of a budget; what smaller needs do not use goes to the others."""
    found, left = {}, budget
    for number, name in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        found[name] = min(sizes[name], left // (len(sizes) - number))
        left -= found[name]
    return {name: found[name] for name in sizes}


def spread(lines: Sequence[str], count: int) -> list[str]:
    """This number of lines, evenly spaced."""
    return [lines[len(lines) * number // count] for number in range(min(count, len(lines)))]


def read(text: Path) -> Bitext:
    """The training lines by pair and language."""
    return {
        folder.name: {lang: list(read_lines(folder / f"train.{lang}")) for lang in folder.name.split("-")}
        for folder in sorted(text.iterdir())
    }


def gold_texts(benchmark: Path) -> list[Path]:
    """The texts of development and test sets."""
    paths = (path for name in GOLD for path in sorted((benchmark / "gold" / name).iterdir()))
    return [path for path in paths if path.suffix not in (".gold", ".ids")]


def prepare(bitext: Bitext, gold: Path, destination: Path, tokenizer: str | None) -> None:
    """Write the data-bin of some bitext, with its development and test sets."""
    options = ["--tokenizer", tokenizer] if tokenizer else ["--vocab-size", str(VOCABULARY)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for pair, sides in bitext.items():
            options += ["--pair", pair, "--trainpref", str(folder / pair)]
            for lang, lines in sides.items():
                _write(folder / f"{pair}.{lang}", lines)
                _write(folder / f"mono-{pair}.{lang}", lines[::EACH])
                options += ["--mono", f"{lang}={folder}/mono-{pair}.{lang}"]
            for split, where in (("valid", VALID.get(pair)), ("test", TEST)):
                if where:
                    here = gold / where / pair
                    options += [f"--{split}pref", str(here), "--links", f"{split}={here}.gold"]
        xalign = [sys.executable, "-m", "xalign_fairseq", "prepare", "--out", str(destination), "--workers", "2"]
        subprocess.run([*xalign, *options], check=True, stdout=subprocess.DEVNULL)


def write(bitext: Bitext, benchmark: Path, path: Path, tokenizer: str | None) -> int:
    """Write the archive of some bitext and return its size in bytes."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        for folder in GOLD:
            shutil.copytree(benchmark / "gold" / folder, data / "gold" / folder, copy_function=shutil.copyfile)
        pair, count = ALIGNED
        (data / "text").mkdir()
        for lang, lines in bitext[pair].items():
            _write(data / "text" / f"{pair}.{lang}", spread(lines, count))
        prepare(bitext, data / "gold", data / "data-bin", tokenizer)
        with tarfile.open(path, "w:xz") as archive:
            for part in sorted(data.iterdir()):
                archive.add(part, part.name)
    return path.stat().st_size


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def pack(benchmark: Path, text: Path, kit: Path, tokenizer: str | None) -> None:
    """Write KIT/data.tar.xz as large as the kit allows."""
    path, bitext = kit / kits.DATA, read(text)
    path.unlink(missing_ok=True)
    room = kits.LARGEST - SLACK - kits.size(kit)
    sizes = {pair: _bytes({pair: sides}) for pair, sides in bitext.items()}
    some = dict.fromkeys(bitext, SAMPLES[0])
    before = (_bytes(_cut(bitext, some)), write(_cut(bitext, some), benchmark, path, tokenizer))
    counts = dict.fromkeys(bitext, SAMPLES[1])
    while True:
        part = _cut(bitext, counts)
        now = (_bytes(part), write(part, benchmark, path, tokenizer))
        each = (now[1] - before[1]) / ((now[0] - before[0]) or 1) or 1  # archive bytes per byte of text
        more = int((AIM * room - now[1]) / each)
        if now[1] <= room and (now[0] == sum(sizes.values()) or more < ENOUGH * now[0]):
            break
        before, given = now, shares(sizes, now[0] + more)
        counts = {pair: _lines(sides) * given[pair] // sizes[pair] for pair, sides in bitext.items()}
    for pair, sides in bitext.items():
        print(f"{pair}: {counts[pair]} of {_lines(sides)} pairs")


def _cut(bitext: Bitext, counts: Mapping[str, int]) -> Bitext:
    return {
        pair: {lang: spread(lines, counts[pair]) for lang, lines in sides.items()} for pair, sides in bitext.items()
    }


def _bytes(bitext: Bitext) -> int:
    return sum(len(line.encode()) for sides in bitext.values() for side in sides.values() for line in side)


def _lines(sides: Mapping[str, Sequence[str]]) -> int:
    return len(next(iter(sides.values())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", type=Path, help="folder with gold")
    parser.add_argument("text", type=Path, nargs="?", help="folder with a folder for each pair")
    parser.add_argument("kit", type=Path, nargs="?")
    parser.add_argument("--tokenizer", help="a model whose vocabulary the data-bin uses (default: a new one)")
    parser.add_argument("--gold", action="store_true", help="only print names")
    args = parser.parse_args()
    if args.gold:
        print(*gold_texts(args.benchmark), sep="\n")
    elif args.text and args.kit:
        pack(args.benchmark, args.text, args.kit, args.tokenizer)
    else:
        parser.error("TEXT and KIT are needed")


if __name__ == "__main__":
    main()
