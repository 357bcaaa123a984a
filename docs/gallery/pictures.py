"""Shared by the scripts of the gallery: where pictures go, and the mark of a picture's sources."""

import argparse
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def made_of(script: Path, inputs: Sequence[str]) -> str:
    """One number for the contents of a script and of the files that it reads, named from the repository's root."""
    whole = hashlib.sha256()
    for path in (script, *(ROOT / name for name in inputs)):
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return f"<!-- made of {whole.hexdigest()} -->"


def make(script: Path, draw: Callable[[Path], None], inputs: Sequence[str], folder: Path = HERE) -> Path:
    """Draw the picture that a script is named after, ``make_NAME.py`` of ``NAME.svg``, and mark it."""
    path = folder / f"{script.stem.removeprefix('make_')}.svg"
    draw(path)
    path.write_text(f"{path.read_text(encoding='utf-8').rstrip()}\n{made_of(script, inputs)}\n", encoding="utf-8")
    return path


def main(script: str, draw: Callable[[Path], None], inputs: Sequence[str]) -> None:
    """The command line of a script."""
    parser = argparse.ArgumentParser(description="Draw one picture of the gallery.")
    parser.add_argument("--out", type=Path, default=HERE, metavar="FOLDER", help="default: next to the script")
    print(f"wrote {make(Path(script).resolve(), draw, inputs, parser.parse_args().out)}")
