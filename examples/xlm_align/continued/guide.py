"""Make the data-bin for setting so-guided: a sample of the text, with links from a self-trained encoder and statistics.

usage: python guide.py TEXT RUN DATA_BIN

TEXT: of prepare.sh; 2,500 pairs of each language pair and their links go to TEXT/guided, where existing files are kept.
RUN: of train.py, for example RUNS/so-grow-1. DATA_BIN: the output, for train.py.
"""

import random
import subprocess
import sys
from pathlib import Path

import study
from train import LAST

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.corpus import require_files

DRAWN, LONGEST, SEED = 2500, 80, 1


def draw(text: Path, out: Path, sides: tuple[str, str]) -> None:
    """Draw pairs without empty or long sides and write them; few, because their alignment takes most of the time."""
    whole = [(text / f"train.{side}").read_text(encoding="utf-8").splitlines() for side in sides]
    fitting = [pair for pair in zip(*whole, strict=True) if all(0 < len(side.split()) < LONGEST for side in pair)]
    drawn = random.Random(SEED).sample(fitting, min(DRAWN, len(fitting)))
    for side, lines in zip(sides, zip(*drawn, strict=True), strict=True):
        with atomic_write(out / f"train.{side}") as stream:
            stream.writelines(f"{line}\n" for line in lines)


def main(text: Path, run: Path, data: Path) -> None:
    """Draw, link, prepare."""
    texts = [text / f"{src}-{tgt}/train.{side}" for src, tgt in study.PAIRS for side in (src, tgt)]
    require_files([run / LAST, *texts], remedy="prepare.sh makes TEXT, and train.py makes RUN")
    prepared = ["xalign", "prepare", "--out", data, "--tokenizer", "e5-small", "--trim-vocabulary"]
    for src, tgt in study.PAIRS:
        pair = f"{src}-{tgt}"
        out = text / "guided" / pair
        out.mkdir(parents=True, exist_ok=True)
        if not (out / f"train.{tgt}").is_file():
            draw(text / pair, out, (src, tgt))
        links = out / "train.links"
        if not links.is_file():
            sides = ["--src", out / f"train.{src}", "--tgt", out / f"train.{tgt}"]
            subprocess.run(
                ["xalign", "align", "--statistics", "--model", run / LAST, *sides, "--out", links], check=True
            )
        prepared += ["--pair", pair, "--trainpref", out / "train", "--links", f"train={links}"]
    if data.exists():
        print(f"{data} already exists")
    else:
        subprocess.run(prepared, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
