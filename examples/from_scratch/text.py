#!/usr/bin/env python3
"""Write the word-alignment benchmark's text for aligners that learn from the text they align.

usage: text.py OUT PAIR [PAIR ...]          PAIR: de-en en-fr ro-en en-hi

Writes OUT/PAIR/all.LANG: the training bitext, then the sentences of the pair's development and test sets. Writes
OUT/PAIR/sets.json: the first and last line of each set and the path of its gold links. The bitext is tokenised and
lower-cased like the gold sets (sacremoses). BENCHMARK (default ../shared/data) is the folder with assemble.py,
bitext/ and gold/.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARK = Path(os.environ.get("BENCHMARK", HERE.parents[2] / "shared/data"))
TOKENIZE = HERE.parent / "common" / "tokenize_bitext.py"
TEST = ("simalign-testsets", "test")
SETS = {
    "de-en": (TEST,),
    "ro-en": (TEST,),
    "en-fr": (("hansards-wpt03-trial", "hansards"), ("golden-collection", "golden"), TEST),
    "en-hi": (("wpt05-hi-trial", "trial"), TEST),
}


def tokenized(path: Path, lang: str, *options: str) -> list[str]:
    """The tokenised lines of a file; Romanian without diacritics, like its gold set."""
    marks = ["--strip-marks"] if lang == "ro" else []
    with open(path, "rb") as text:
        command = [sys.executable, str(TOKENIZE), lang, *options, *marks]
        done = subprocess.run(command, stdin=text, capture_output=True, check=True)
    return done.stdout.decode().split("\n")[:-1]


def main(out: Path, pair: str) -> None:
    """Write one pair's files."""
    folder = out / pair
    subprocess.run([sys.executable, str(BENCHMARK / "assemble.py"), pair, str(folder)], check=True)
    sets: dict[str, dict[str, object]] = {}
    for lang in pair.split("-"):
        lines = tokenized(folder / f"train.{lang}", lang)
        for gold, name in SETS[pair]:
            begin = len(lines)
            lines += tokenized(BENCHMARK / "gold" / gold / f"{pair}.{lang}", lang, "--tokenized")
            where = BENCHMARK / "gold" / gold / f"{pair}.gold"
            sets[name] = {"begin": begin, "end": len(lines), "gold": str(where.resolve())}
        (folder / f"all.{lang}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (folder / f"train.{lang}").unlink()
    (folder / "sets.json").write_text(json.dumps(sets, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3 or set(sys.argv[2:]) - SETS.keys():
        sys.exit(__doc__)
    for each in sys.argv[2:]:
        main(Path(sys.argv[1]), each)
