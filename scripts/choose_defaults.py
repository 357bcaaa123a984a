#!/usr/bin/env python3
"""Choose a model's defaults of method, layer, encoding and threshold on development gold, by xalign layers.

usage: choose_defaults.py MODEL --gold FOLDER [--out FOLDER] [--table JSON]
       choose_defaults.py MODEL --test FOLDER [--out FOLDER]

The first compares all methods in both encodings, every layer and some means of layers in the middle, on the development
sets of FOLDER; writes OUT/defaults-MODEL.json with all that was compared, and prints the best of each method
and encoding as xalign_fairseq/aligner/neural/defaults.py has them. JSON is what xalign layers --json wrote by the
command that is otherwise run.

The second is for the end, when the table stands: AER of xalign align without any option on the test sets of FOLDER,
into OUT/defaults-MODEL-test.json.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xalign_fairseq.cli._aligning import METHODS
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.trainer.record import commit, machine

HERE = Path(__file__).resolve().parent
XL_WA = ("en-bg", "en-da", "en-es", "en-et", "en-hu", "en-it", "en-nl", "en-pt", "en-ru", "en-sl")
SETS = (
    *(f"xl-wa/dev/{pair}" for pair in XL_WA), "hansards-wpt03-trial/en-fr", "wpt05-hi-trial/en-hi",
    "golden-collection/en-es", "golden-collection/en-fr", "golden-collection/en-pt", "kftt-dev/ja-en",
)  # fmt: skip
LAYERS = (*map(str, range(13)), "5-6", "6-7", "7-8", "5-7", "6-8", "5-8")
TEST_SETS = ("de-en", "en-fr", "en-hi", "ro-en")
SEED = 1  # of the bootstrap


def files(stem: str) -> tuple[str, str, str]:
    """Source, target and gold of a set that is named by its languages.

    Example::

        files("dev/en-de")  # ("dev/en-de.en", "dev/en-de.de", "dev/en-de.gold")
    """
    src, tgt = stem.rsplit("/", 1)[-1].split("-")
    return f"{stem}.{src}", f"{stem}.{tgt}", f"{stem}.gold"


def command(model: str) -> list[str]:
    """What compares, in the folder of the gold."""
    sets = [word for stem in SETS for word in ("--set", *files(stem))]
    return ["xalign", "layers", "--model", model, *sets, "--method", *METHODS, "--layer", *LAYERS]


def run(words: Sequence[str], folder: Path, out: Path) -> None:
    """A command of this package, in a folder; its output goes into a file."""
    with open(out, "w", encoding="utf-8") as stream:
        command = [sys.executable, "-m", "xalign_fairseq", *words[1:]]
        subprocess.run(command, cwd=folder, check=True, stdout=stream)


def compact(model: str, table: Mapping[str, Any], command: Sequence[str]) -> dict[str, Any]:
    """The record of a choice: who, how, and of everything compared the AER of each set, best first."""
    rows = []
    for row in sorted(table["rows"], key=lambda row: row["aer"]):
        words = shlex.split(row["options"])
        said = dict(zip(words[::2], words[1::2], strict=True))
        options = {name[2:]: said[name] for name in said if name not in ("--method", "--layer", "--encoding")}
        rows.append(
            {
                "method": said["--method"],
                "options": {name: value if name == "filter" else float(value) for name, value in options.items()},
                "layers": row["layer"] if isinstance(row["layer"], list) else [row["layer"]],
                "encoding": row["encoding"],
                "aer": round(row["aer"], 5),
                "sets": [round(aer, 5) for aer in row["sets"].values()],
            }
        )
    return {
        "model": model,
        "command": shlex.join(command),
        "commit": commit(HERE / "choose_defaults.py") or "unknown",
        "machine": machine(),
        "seed": SEED,
        "align": table["align"],
        "runner_up": table["runner_up"],
        "sets": list(SETS),
        "pairs": list(table["sets"].values()),
        "rows": rows,
    }


def entries(record: Mapping[str, Any]) -> list[str]:
    """The best of each method and encoding, best first, as lines of the table of defaults."""
    best: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in record["rows"]:
        best.setdefault((row["method"], row["encoding"]), row)
    lines = []
    for row in best.values():
        options = f", {json.dumps(row['options'])}" if row["options"] else ""
        entry = f'FamilyEntry("{row["method"]}", {tuple(row["layers"])}, "{row["encoding"]}"{options}),'
        lines.append(f"{entry}  # {100 * row['aer']:.2f}")
    return lines


def write(path: Path, record: Mapping[str, Any]) -> None:
    """JSON with a line for each row."""
    head = {key: value for key, value in record.items() if key != "rows"}
    text = json.dumps(head, indent=1, ensure_ascii=False)
    if "rows" in record:
        rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in record["rows"])
        text = f'{text[:-2]},\n "rows": [\n{rows}\n ]\n}}'
    with atomic_write(path) as out:
        out.write(text + "\n")


def test(model: str, folder: Path) -> dict[str, Any]:
    """AER of each test set by ``xalign align`` without an option, and their mean."""
    found = {}
    with tempfile.TemporaryDirectory() as work:
        for stem in TEST_SETS:
            src, tgt, gold = files(stem)
            links = Path(work) / stem
            run(["xalign", "align", "--model", model, "--src", src, "--tgt", tgt, "--out", str(links)], folder)
            golds = read_gold(folder / gold)
            found[stem] = round(score(read_links(links), golds).aer, 5)
    return {
        "model": model,
        "command": f"xalign align --model {model} --src SRC --tgt TGT --out LINKS",
        "commit": commit(HERE / "choose_defaults.py") or "unknown",
        "machine": machine(),
        "seed": SEED,
        "aer": found,
        "mean": round(sum(found.values()) / len(found), 5),
    }


def choose(args: argparse.Namespace) -> int:
    """Compare or test, and write what was found."""
    name = Path(args.model).stem
    if args.test:
        record = test(args.model, args.test)
        write(args.out / f"defaults-{name}-test.json", record)
        print(json.dumps(record["aer"]), record["mean"])
        return 0
    words = command(args.model)
    if args.table is None:
        args.table = args.out / f"layers-{name}.json"
        run([*words, "--json"], args.gold, args.table)
    record = compact(name, json.loads(args.table.read_text(encoding="utf-8")), words)
    write(args.out / f"defaults-{name}.json", record)
    print("\n".join(entries(record)))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="as for xalign align --model")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--gold", type=Path, help="the folder with the development sets")
    where.add_argument("--test", type=Path, help="the folder with the test sets")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: %(default)s")
    parser.add_argument("--table", type=Path, help="what xalign layers wrote, in place of running it")
    args = parser.parse_args()
    return exit_code(lambda: choose(args))


if __name__ == "__main__":
    sys.exit(main())
