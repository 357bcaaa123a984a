#!/usr/bin/env python3
"""Cost and gain of each step of xalign train-aligner --best: CPU seconds, and AER of the sets of a text.

usage: benchmark_best.py TEXT PAIR [PAIR ...] [--models MODEL ...] [--before DIR] [--limit N] [--seed N] [--work DIR]
                         [--out DIR]

TEXT is a folder of examples/from_scratch/text.py. The steps learn from the sentences of the development and test sets,
without their gold, and from --limit other pairs, drawn with --seed. --models: what the steps begin with, such as one
that was trained with each of several seeds. --before: links PAIR.links of the test sets by another aligner, which the
first model is tested against. WORK keeps the folders and the scores: a run that is interrupted continues, and each set
is scored once. Writes OUT/best.json and the table OUT/best.md.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from benchmark_from_scratch import Sets, parser_of, read_text
from harness import about, table, write, write_text

from xalign_fairseq.aligner.best import DONE, BestAligner, BestParts, read_best
from xalign_fairseq.aligner.load import open_parts
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training.best import BestRun, train_best
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair
from xalign_fairseq.encoder.pretrained.low_rank import NAME
from xalign_fairseq.links.aer import AlignmentCounts, score, sentence_counts
from xalign_fairseq.links.bootstrap import mean_aer_interval, paired_bootstrap_of_sets
from xalign_fairseq.links.pharaoh import Gold, format_links, read_links

OPTIONS = AlignerOptions(device="cpu", dtype="float32")
LINKS = "test.links"
STEPS = {"start": "the encoder and its link scorer", "links": "and statistics", "encoder": "and self-training"}


def main() -> None:
    """Learn from each text with each model, and score its sets after each step."""
    parser = parser_of(__doc__, 6000, "best-work")
    parser.add_argument("--models", nargs="+", default=[NAME])
    parser.add_argument("--before", type=Path)
    args = parser.parse_args()
    found: list[dict[str, dict]] = []
    golds: dict[str, list[Gold]] = {}
    for number, model in enumerate(args.models, 1):
        found.append({})
        for pair in args.pairs:
            work = args.work / str(number) / pair
            src, tgt, sets = read_text(args.text, pair, args.limit, args.seed, work)
            folder, languages = work / "best", tuple(pair.split("-"))
            if not (folder / DONE).is_file():
                start = BestRun(str(src), str(tgt), folder, languages, model=model, device="cpu", quiet=True)
                train_best(start)
            if not (work / "scored.json").is_file():  # once
                write_json(work / "scored.json", measure(folder, list(SentencePairs(src, tgt)), sets))
            found[-1][pair], golds[pair] = read_json(work / "scored.json"), sets["test"][2]
            print(model, pair, found[-1][pair], file=sys.stderr, flush=True)
    counts = {pair: counts_of(args.work / "1" / pair / LINKS, golds[pair]) for pair in args.pairs}
    results = {"interval": mean_aer_interval([*counts.values()])}
    if args.before:
        before = {pair: counts_of(args.before / f"{pair}.links", golds[pair]) for pair in args.pairs}
        results |= {"difference": tests(before, counts)}
    names = [Path(model).parent.name if Path(model).exists() else model for model in args.models]
    command = ["benchmark_best.py", "TEXT", *args.pairs, "--limit", args.limit, "--seed", args.seed, "--models", *names]
    label = "trained on gold of other languages"
    whole = {**about(command, seed=args.seed), "label": label, **results, "measured": found}
    write(args.out, "best", whole, table(("", *args.pairs, "mean"), rows_of(found)))


def measure(folder: Path, lines: Sequence[WordPair], sets: Sets) -> dict[str, Any]:
    """The AER of each set after each step, and what the steps cost; the test set's links go next to the folder."""
    parts = read_best(folder)
    assert parts is not None
    scored: dict[str, dict[str, float]] = {}
    for name, after in steps_of(parts).items():
        with open_parts(after, OPTIONS) as aligner:
            for of_set, (begin, end, golds) in sets.items():
                links = [set(each.links) for each in aligner.stream(lines[begin:end])]
                scored.setdefault(of_set, {})[name] = 100 * score(links, golds).aer
                if of_set == "test":  # of the last step in the end
                    write_text(folder.parent / LINKS, "".join(f"{format_links(each)}\n" for each in links))
    steps = read_json(folder / DONE, BestAligner)["steps"]
    seconds = {name: step["cpu_seconds"] for name, step in steps.items()}
    return {"pairs": len(lines), "cpu_seconds": seconds, "aer": scored}


def steps_of(parts: BestParts) -> dict[str, BestParts]:
    """What aligns after each step."""
    start = BestParts(parts.encoder, parts.method)
    found = {"start": start, "links": start._replace(statistics=parts.statistics)}
    return {**found, "encoder": parts} if parts.trained else found


def counts_of(path: Path, golds: Sequence[Gold]) -> list[AlignmentCounts]:
    """The counts of a file of links."""
    return sentence_counts(read_links(path), golds)


def tests(before: Mapping[str, list[AlignmentCounts]], after: Mapping[str, list[AlignmentCounts]]) -> dict[str, Any]:
    """Paired tests of each set, and of all, in percent."""
    groups = {**{pair: [pair] for pair in after}, "mean": [*after]}
    found = {
        name: asdict(paired_bootstrap_of_sets(*([each[pair] for pair in pairs] for each in (before, after))))
        for name, pairs in groups.items()
    }
    return {
        name: {key: value if key == "p_value" else 100 * value for key, value in each.items()}
        for name, each in found.items()
    }


def rows_of(found: Sequence[Mapping[str, dict]]) -> list[list[str]]:
    """AER of the test sets after each step, a mean over the models, and the CPU seconds of each step."""
    rows = []
    for name in [name for name in STEPS if name in next(iter(found[0].values()))["aer"]["test"]]:
        values = [[each["aer"]["test"][name] for each in model.values()] for model in found]
        means = [fmean(model) for model in values]
        spread = f" ± {stdev(means):.1f}" if len(means) > 1 else ""
        cells = [f"{fmean(each):.1f}" for each in zip(*values, strict=True)]
        rows.append([f"{STEPS[name]}: AER", *cells, f"{fmean(means):.1f}{spread}"])
    for name in STEPS:
        seconds = [[each["cpu_seconds"].get(name) for each in model.values()] for model in found]
        if all(None not in model for model in seconds):
            cells = [f"{fmean(each):.0f}" for each in zip(*seconds, strict=True)]
            rows.append([f"{STEPS[name]}: CPU seconds", *cells, f"{fmean(map(fmean, seconds)):.0f}"])
    return rows


if __name__ == "__main__":
    sys.exit(exit_code(main))
