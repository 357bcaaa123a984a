#!/usr/bin/env python3
"""AER of aligners that learn from the bitext they align: xalign --from-scratch, eflomal and fast_align if installed.

usage: benchmark_from_scratch.py TEXT PAIR [PAIR ...] [--limit N] [--seed N] [--work FOLDER] [--out FOLDER] [--cost N]

TEXT is a folder of examples/from_scratch/text.py. All aligners see the same text, including that of the development and
test sets; grow-diag-final-and joins the tools' directions. --limit: use this number of pairs besides
those of the sets, drawn with --seed. WORK keeps learned models, the tools' links and their cost, so that an
interrupted run resumes. Writes OUT/from_scratch.json, keeping the rows of other runs, and the tables
OUT/from_scratch.md for the largest texts and OUT/from_scratch_sizes.md for all. --cost N scores nothing: complete
commands, which learn from and link all pairs, take turns N times; OUT/from_scratch_cost.json and .md have
their CPU seconds.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from from_scratch_report import OURS, PEER, write_sizes, write_table
from harness import RESULTS, about, in_turn, write_text
from harness import table as make_table
from harness import write as write_results

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run_record import run_record
from xalign_fairseq.aligner.statistical.folder import aligner_folder, learn_models
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.aligner.tools import TOOLS, Tool
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.links.aer import score, sentence_counts
from xalign_fairseq.links.bootstrap import bootstrap_intervals, paired_bootstrap
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.growing import grown_links, links_above
from xalign_fairseq.links.pharaoh import Gold, Link, format_links, parse_line
from xalign_fairseq.links.symmetrize import symmetrize

NAME = "from_scratch"
PROGRAM = Path(sys.executable).with_name("xalign")
BINS = 10
CANDIDATE = 0.05  # pairs of words below this score are not candidates of links
Sets = Mapping[str, tuple[int, int, list[Gold]]]


def read_text(folder: Path, pair: str, limit: int | None, seed: int, work: Path) -> tuple[Path, Path, Sets]:
    """The two files to learn from; for each set its first line, the line after its last, and its gold links."""
    described = read_json(folder / pair / "sets.json")
    first = min(each["begin"] for each in described.values())
    paths = [folder / pair / f"all.{lang}" for lang in pair.split("-")]
    moved = 0
    if limit is not None and limit < first:
        kept = sorted(random.Random(seed).sample(range(first), limit))
        work.mkdir(parents=True, exist_ok=True)
        for number, path in enumerate(paths):
            lines = list(read_lines(path))
            paths[number] = work / path.name
            with atomic_write(paths[number]) as out:
                out.writelines(f"{line}\n" for line in [*(lines[at] for at in kept), *lines[first:]])
        moved = first - limit
    sets = {
        name: (each["begin"] - moved, each["end"] - moved, read_gold(each["gold"])) for name, each in described.items()
    }
    return paths[0], paths[1], sets


def ours(src: Path, tgt: Path, sets: Sets, work: Path) -> tuple[dict[str, list[set[Link]]], dict[str, Any]]:
    """Links of each set, with CPU time and calibration errors."""
    spent, start = Costs(work / "cpu.json"), time.process_time()

    def progress(units: str, done: int, of: int) -> None:
        nonlocal start
        if done == of:
            spent.add(f"{OURS} {units}", time.process_time() - start)
            start = time.process_time()
            print(f"learned by {units}", file=sys.stderr, flush=True)

    pairs = list(SentencePairs(src, tgt))
    with aligner_folder(work / "aligner", run_record((str(src), str(tgt)), None, AlignerOptions())):
        trained = learn_models(pairs, work / "aligner", progress)
    links, facts = {}, {}
    for name, (begin, end, golds) in sets.items():
        scores = mean_scores(trained.models, pairs[begin:end])
        links[name] = [set(grown_links(each, trained.choice.threshold, trained.choice.growth)) for each in scores]
        values, hits = candidates(scores, golds)
        facts[name] = {
            "calibration_error": [
                calibration_error(values, hits),
                calibration_error(trained.choice.calibration.probability(values), hits),
            ]
        }
    spent.add(f"{OURS} links", time.process_time() - start)
    return links, {"cpu_minutes": spent.minutes(OURS), "sets": facts}


def candidates(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (L,) of pairs of words, and whether they are gold links."""
    found = [
        (value, link in gold.possible)
        for each, gold in zip(scores, golds, strict=True)
        for link, value in links_above(each, CANDIDATE).items()
    ]
    return np.array([value for value, _ in found]), np.array([hit for _, hit in found], bool)


def calibration_error(probabilities: np.ndarray, hits: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width (Guo et al., 2017)."""
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, probabilities - hits, BINS)
    return float(np.abs(gaps).sum() / max(1, len(hits)))


class Costs:
    """CPU seconds by task, kept in a file, so that a resumed run knows those of the first."""

    def __init__(self, path: Path):
        self._path = path
        self._seconds: dict[str, float] = read_json(path) if path.is_file() else {}

    def add(self, what: str, seconds: float) -> None:
        """Record a task; the latest time counts."""
        self._seconds[what] = seconds
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, self._seconds)

    def minutes(self, system: str) -> float:
        """The CPU seconds of all tasks of a system."""
        return sum(seconds for what, seconds in self._seconds.items() if what.split()[0] == system) / 60


def tools(name: str, src: Path, tgt: Path, work: Path) -> tuple[list[set[Link]], float]:
    """A tool's symmetrised links of all pairs, and its CPU minutes."""
    stored, spent = work / f"{name}.links", Costs(work / f"{name}.json")
    if stored.is_file():
        return [set(parse_line(line).sure) for line in read_lines(stored)], spent.minutes(name)
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    pairs = SentencePairs(src, tgt)
    before = children_seconds()
    TOOLS[name].run(pairs, folder)
    seconds = children_seconds() - before
    links = [symmetrize(*found) for _, found in TOOLS[name].links(pairs, folder)]
    spent.add(name, seconds)
    with atomic_write(stored) as out:
        out.writelines(f"{format_links(each)}\n" for each in links)
    return links, spent.minutes(name)


def cost(src: Path, tgt: Path, rounds: int) -> dict[str, list[float]]:
    """CPU seconds of commands that learn from and link all pairs, in turn; without joining a tool's directions."""
    text = SentencePairs(src, tgt)
    command = [PROGRAM, "align", "--quiet", "--from-scratch", "--src", src, "--tgt", tgt, "--out"]

    def own() -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*command, f"{folder}/links"], check=True)

    def other(tool: Tool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tool.run(text, Path(folder))

    found = {name: partial(other, tool) for name, tool in TOOLS.items() if tool.find()}
    return in_turn({OURS: own, **found}, rounds, clock=children_seconds, warm_up=0)


def children_seconds() -> float:
    """CPU seconds of finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_cost(out: Path, command: Sequence[str], records: Mapping[str, Mapping[str, Any]]) -> None:
    """The table of medians and its origin."""
    names = list(dict.fromkeys(name for record in records.values() for name in record["seconds"]))
    rows = []
    for record in records.values():
        medians = [f"{median(record['seconds'][name]):.1f}" if name in record["seconds"] else "" for name in names]
        rows.append([record["pair"], f"{record['pairs']:,}", *medians])
    made = about(command, packages=("eflomal",))
    text = make_table(("pair", "pairs", *names), rows) + (
        f"\n\nCPU seconds (user and system) of whole commands that learn from and link all pairs, one thread, start-up "
        f"included; medians of {len(next(iter(record['seconds'].values())))} rounds in turn. The tools' directions are "
        f"not joined. {made['machine']}, commit {made['commit']}\n"
    )
    write_results(out, f"{NAME}_cost", {**made, "texts": records}, text)


def measure(folder: Path, pair: str, limit: int | None, seed: int, work: Path) -> dict[str, Any]:
    """All measurements of a pair."""
    src, tgt, sets = read_text(folder, pair, limit, seed, work)
    own, facts = ours(src, tgt, sets, work)
    found = {OURS: own}
    minutes = {OURS: facts["cpu_minutes"]}
    for name in TOOLS:
        if TOOLS[name].find():
            links, minutes[name] = tools(name, src, tgt, work)
            found[name] = {each: links[begin:end] for each, (begin, end, _) in sets.items()}
    rows: dict[str, Any] = {}
    for each, (_, _, golds) in sets.items():
        counts = {name: sentence_counts(links[each], golds) for name, links in found.items()}
        rows[each] = {"systems": {}, **facts["sets"][each]}
        for name, here in counts.items():
            result = score(found[name][each], golds)
            rows[each]["systems"][name] = {
                "aer": result.aer,
                "precision": result.precision,
                "recall": result.recall,
                "interval": bootstrap_intervals(here)["aer"],
            }
        if PEER in counts:
            rows[each]["test"] = vars(paired_bootstrap(counts[PEER], counts[OURS]))
    return {"pairs": sum(1 for _ in read_lines(src)), "cpu_minutes": minutes, "sets": rows}


def write(records: Mapping[str, Any], out: Path) -> None:
    """The tables."""
    write_text(out / f"{NAME}.md", write_table(records))
    write_text(out / f"{NAME}_sizes.md", write_sizes(records))


def parser_of(doc: str | None, limit: int | None, work: str) -> argparse.ArgumentParser:
    """The options of the benchmarks that learn from texts and score the sets in them, with their defaults."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("pairs", nargs="+", metavar="PAIR")
    parser.add_argument("--limit", type=int, default=limit)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw for --limit")
    parser.add_argument("--work", type=Path, default=Path(work))
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each pair of the command line and write the results."""
    parser = parser_of(__doc__, None, "from_scratch.work")
    parser.add_argument("--cost", type=int, metavar="N", help="measure CPU time in N rounds; score nothing")
    args = parser.parse_args(arguments)
    if args.cost:
        os.environ["OMP_NUM_THREADS"] = "1"
        texts = {}
        for pair in args.pairs:
            work = args.work / f"{pair}-{args.limit}-{args.seed}"
            src, tgt, _ = read_text(args.text, pair, args.limit, args.seed, work)
            pairs = len(SentencePairs(src, tgt))
            texts[pair] = {"pair": pair, "pairs": pairs, "seconds": cost(src, tgt, args.cost)}
        write_cost(args.out, [Path(sys.argv[0]).name, *map(str, arguments or sys.argv[1:])], texts)
        return
    results = args.out / f"{NAME}.json"
    for pair in args.pairs:
        key = f"{pair} {args.limit} {args.seed}" if args.limit is not None else pair
        record = measure(args.text, pair, args.limit, args.seed, args.work / key.replace(" ", "-"))
        record |= about([Path(sys.argv[0]).name, *map(str, arguments or sys.argv[1:])])
        records = {**(read_json(results) if results.is_file() else {}), key: record}
        write_json(results, records)
        write(records, args.out)


if __name__ == "__main__":
    main()
