#!/usr/bin/env python3
"""Cost and gain of each step of xalign train-aligner --best: CPU seconds, and AER of the sets of a text.

usage: benchmark_best.py TEXT PAIR [PAIR ...] [--limit N] [--seed N] [--work DIR] [--out DIR]

TEXT is a folder of examples/from_scratch/text.py. The steps learn from the sentences of the development and test sets,
without their gold, and from --limit other pairs, drawn with --seed. WORK keeps the folders and the scores: a run
that is interrupted continues, and each set is scored once. Writes OUT/best.json and the table OUT/best.md.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark_from_scratch import Sets, parser_of, read_text
from harness import about, table, write

from xalign_fairseq.aligner.best import DONE, BestAligner, BestParts, read_best
from xalign_fairseq.aligner.load import open_parts
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training.best import BestRun, train_best
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair
from xalign_fairseq.links.aer import score

OPTIONS = AlignerOptions(device="cpu", dtype="float32")


def main() -> None:
    """Learn from each text, and score its sets after each step."""
    args = parser_of(__doc__, 6000, "best-work").parse_args()
    found: dict[str, dict] = {}
    for pair in args.pairs:
        work = args.work / pair
        src, tgt, sets = read_text(args.text, pair, args.limit, args.seed, work)
        folder = work / "best"
        if not (folder / DONE).is_file():
            lang, other = pair.split("-")
            train_best(BestRun(str(src), str(tgt), folder, (lang, other), seed=args.seed, device="cpu", quiet=True))
        if not (work / "scored.json").is_file():  # once
            write_json(work / "scored.json", measure(folder, list(SentencePairs(src, tgt)), sets))
        found[pair] = read_json(work / "scored.json")
        print(pair, found[pair], file=sys.stderr, flush=True)
    command = ["benchmark_best.py", "TEXT", *args.pairs, "--limit", args.limit, "--seed", args.seed]
    label = "trained on gold of other languages"
    results = {**about(command, seed=args.seed), "label": label, "measured": found}
    write(args.out, "best", results, table(("", *args.pairs, "mean"), rows_of(found)))


def measure(folder: Path, lines: Sequence[WordPair], sets: Sets) -> dict[str, Any]:
    """The AER of each set after each step, and what the steps cost."""
    parts = read_best(folder)
    assert parts is not None
    scored: dict[str, dict[str, float]] = {}
    for name, after in steps_of(parts).items():
        with open_parts(after, OPTIONS) as aligner:
            for of_set, (begin, end, golds) in sets.items():
                links = [set(each.links) for each in aligner.stream(lines[begin:end])]
                scored.setdefault(of_set, {})[name] = 100 * score(links, golds).aer
    steps = read_json(folder / DONE, BestAligner)["steps"]
    seconds = {name: step["cpu_seconds"] for name, step in steps.items()}
    return {"pairs": len(lines), "cpu_seconds": seconds, "aer": scored}


def steps_of(parts: BestParts) -> dict[str, BestParts]:
    """What aligns after each step."""
    start = BestParts(parts.encoder, parts.method)
    return {"start": start, "links": start._replace(statistics=parts.statistics), "encoder": parts}


def rows_of(found: dict[str, dict]) -> list[list[str]]:
    """AER of the test sets after each step, and the CPU seconds of each step."""
    names = {"start": "e5-small and its link scorer", "links": "and statistics", "encoder": "and self-training"}
    rows = []
    for name, shown in names.items():
        values = [each["aer"]["test"][name] for each in found.values()]
        rows.append([f"{shown}: AER", *(f"{each:.1f}" for each in [*values, sum(values) / len(values)])])
    for name in ("links", "encoder"):
        values = [each["cpu_seconds"].get(name) for each in found.values()]
        known = [each for each in values if each is not None]
        mean = sum(known) / len(known) if known else None
        cells = ("" if each is None else f"{each:.0f}" for each in [*values, mean])
        rows.append([f"{names[name]}: CPU seconds", *cells])
    return rows


if __name__ == "__main__":
    sys.exit(exit_code(main))
