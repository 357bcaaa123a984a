"""Assemble the training text of other pairs than the benchmark's four, cleaned as it cleans theirs.

usage: python other_text.py BENCHMARK PAIR OUT

BENCHMARK: the folder with assemble.py, whose sources are bitext/ beside it. PAIR: en-ar, en-cs, en-es, en-ja, en-ru,
en-vi or en-zh. Writes OUT/train.en and OUT/train.LANG; a sentence of any gold set of these languages is left out.
"""

import importlib.util
import sys
from pathlib import Path

# Collections by how they name the file of one side.
TATOEBA, HELP, GUIDE = "tatoeba-manythings/{pair}.{side}", "libreoffice-help-7.4/{pair}.{side}", \
    "debian-installation-guide/{pair}.{side}"  # fmt: skip
BIBLE, FLICKR, NEWS = "bible/bible.{side}", "multi30k/train.{side}", "ntrex128/ntrex.{side}"
SOURCES = {
    "en-ar": [TATOEBA, NEWS],
    "en-cs": [FLICKR, BIBLE, GUIDE, NEWS],
    "en-es": [TATOEBA, BIBLE, HELP, GUIDE, NEWS],
    "en-ja": [TATOEBA, GUIDE, NEWS],
    "en-ru": ["mlqe-pe/ru-en.train.{side}", BIBLE, HELP, GUIDE, NEWS],
    "en-vi": [TATOEBA, BIBLE, HELP, GUIDE, NEWS],
    "en-zh": [TATOEBA, "mlqe-pe/en-zh.train.{side}", BIBLE, HELP, GUIDE, NEWS],
}


def files(pair: str) -> list[tuple[str, str]]:
    """Both sides' files of a pair, below bitext/."""
    src, tgt = pair.split("-")
    return [(each.format(pair=pair, side=src), each.format(pair=pair, side=tgt)) for each in SOURCES[pair]]


def main(benchmark: Path, pair: str, out: Path) -> None:
    """Let the benchmark's own script do it, which does not know this pair."""
    spec = importlib.util.spec_from_file_location("assemble", benchmark / "assemble.py")
    assert spec is not None and spec.loader is not None
    assemble = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(assemble)
    assemble.SOURCES[pair] = files(pair)
    assemble.main(pair, out)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in SOURCES:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
