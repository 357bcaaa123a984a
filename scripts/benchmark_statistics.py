#!/usr/bin/env python3
"""AER of an encoder, of statistics, and of those that it guides, beside it and alone (xalign align --statistics).

usage: benchmark_statistics.py TEXT PAIR [PAIR ...] [--model NAME=PATH ...] [--limit N] [--seed N]
                               [--work FOLDER] [--out FOLDER]

TEXT is a folder of examples/from_scratch/text.py, from which the statistics are learned, the sentences of the
development and test sets among it. Every --model (default: e5-small as it comes) links them by grow, by itself and
with statistics that it guides, and these link them alone. --limit: so
many pairs beside those of the sets, drawn with --seed; 0: those of the sets alone. WORK keeps what is learned, that of
benchmark_from_scratch.py too, and links. Writes OUT/statistics.json, where the rows of other runs stay, the tables
OUT/statistics.md of the largest texts and OUT/statistics_sizes.md of all, OUT/statistics_seeds.md where models are
several seeds of one (so-1=PATH so-2=PATH), and the picture OUT/statistics.png: AER over pairs of text.
"""

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmark_aligner import processor
from benchmark_from_scratch import read_text
from statistics_report import ALONE, both, draw, guided, seeds_of, write_seeds, write_sizes, write_table

from xalign_fairseq.aligner.combined import SCORING, learn_beside
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.sentence_pairs import SentencePairs
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner, train_from_scratch
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write, file_sha256
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.links.aer import score, sentence_counts
from xalign_fairseq.links.bootstrap import bootstrap_intervals, paired_bootstrap
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.trainer.record import commit
from xalign_fairseq.transport.linking import Linking

HERE = Path(__file__).resolve().parent
NAME = "statistics"
PACKAGED = "e5-small"


def gold_text(folder: Path, pair: str) -> dict[str, SentencePairs]:
    """The pairs of each set, as they stand beside its gold links."""
    described = read_json(folder / pair / "sets.json")
    golds = {name: Path(each["gold"]) for name, each in described.items()}
    return {
        name: SentencePairs(*(gold.with_suffix(f".{side}") for side in pair.split("-"))) for name, gold in golds.items()
    }


def linked(aligner: Any, texts: Mapping[str, SentencePairs]) -> dict[str, Any]:
    """Links of each set, and pairs a CPU second."""
    start = time.process_time()
    links = {name: [set(each.links) for each in aligner.stream(text)] for name, text in texts.items()}
    return {"links": links, "speed": sum(map(len, texts.values())) / (time.process_time() - start)}


def measure(
    folder: Path, pair: str, models: Mapping[str, str], limit: int | None, seed: int, work: Path
) -> dict[str, Any]:
    """All that is measured of a pair."""
    src, tgt, sets = read_text(folder, pair, limit, seed, work)
    texts = gold_text(folder, pair)
    train_from_scratch(str(src), str(tgt), work / "aligner", lambda *_: None)
    found = {ALONE: linked(StatisticalAligner.from_folder(work / "aligner"), texts)}
    for name, path in models.items():
        found[name] = linked(Aligner.from_pretrained(path, linking=Linking(SCORING.method)), texts)
        beside = work / name
        _learn(path, src, tgt, beside)
        found[both(name)] = linked(load_aligner(path, statistics=beside), texts)
        found[guided(name)] = linked(StatisticalAligner.from_folder(beside), texts)
        print(f"{pair}: {name}", file=sys.stderr, flush=True)
    return {
        "pairs": len(SentencePairs(src, tgt)),
        "speed": {name: each["speed"] for name, each in found.items()},
        "sets": {each: compare({name: own["links"][each] for name, own in found.items()}, models, golds)
                 for each, (_, _, golds) in sets.items()},
    }  # fmt: skip


def _learn(path: str, src: Path, tgt: Path, folder: Path) -> None:
    """Statistics of the text with the guidance of a model."""
    encoder = Aligner.from_pretrained(path, linking=SCORING)
    identity = {"model": path, "src": file_sha256(src), "tgt": file_sha256(tgt)}

    def read(more: int) -> None:
        print(f"{folder}: {more} more pairs", file=sys.stderr, flush=True)

    learn_beside(
        encoder, SentencePairs(src, tgt), folder, identity, lambda _: nullcontext(read),
        lambda: nullcontext(lambda *_: None),
    )  # fmt: skip


def compare(found: Mapping[str, list[set[Link]]], models: Mapping[str, str], golds: Sequence[Gold]) -> dict[str, Any]:
    """AER of every system on a set, and of each encoder with statistics the difference to it without."""
    counts = {name: sentence_counts(links, golds) for name, links in found.items()}
    systems = {}
    for name, links in found.items():
        result = score(links, golds)
        systems[name] = {
            "aer": result.aer,
            "precision": result.precision,
            "recall": result.recall,
            "interval": bootstrap_intervals(counts[name])["aer"],
        }
    return {
        "systems": systems,
        "tests": {name: vars(paired_bootstrap(counts[name], counts[both(name)])) for name in models},
    }


def model(given: str) -> tuple[str, str]:
    """NAME=PATH."""
    name, equals, path = given.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"NAME=PATH is expected, not {given}")
    return name, path


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--model", type=model, action="append", metavar="NAME=PATH")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1, help="draws the pairs of --limit")
    parser.add_argument("--work", type=Path, default=Path("from_scratch.work"))
    parser.add_argument("--out", type=Path, default=HERE / "results")
    args = parser.parse_args(arguments)
    models = dict(args.model or [(PACKAGED, PACKAGED)])
    results = args.out / f"{NAME}.json"
    for pair in args.pairs:
        key = f"{pair} {args.limit} {args.seed}" if args.limit is not None else pair
        record = measure(args.text, pair, models, args.limit, args.seed, args.work / key.replace(" ", "-"))
        record |= {
            "models": list(models),
            "commit": commit(),
            "machine": processor("cpu"),
            "command": shlex.join([Path(sys.argv[0]).name, *map(str, arguments or sys.argv[1:])]),
        }
        records = {**(read_json(results) if results.is_file() else {}), key: record}
        write_json(results, records)
        tables = {NAME: write_table, f"{NAME}_sizes": write_sizes}
        if seeds_of(records):
            tables[f"{NAME}_seeds"] = write_seeds
        for table, write in tables.items():
            with atomic_write(args.out / f"{table}.md") as out:
                out.write(write(records))
        draw(records, args.out / f"{NAME}.png")


if __name__ == "__main__":
    sys.exit(exit_code(main))
