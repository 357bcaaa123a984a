#!/usr/bin/env python3
"""Score sentence vectors by MTEB's bitext mining: for each sentence, find its translation among all others.

usage: bitext_mining.py MODEL [--task NAME ...] [--language CODE ...] [--pair SRC TGT] [--out FILE]

MODEL is a folder that SentenceTransformer loads, as of xalign export-hf --sentence-transformers. The tasks are MTEB's,
which downloads their data; with --pair two files of your own, line by line translations of each other.
"""

import argparse
import json
from pathlib import Path

import mteb
from datasets import Dataset, DatasetDict
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.abstasks.text.bitext_mining import AbsTaskBitextMining
from sentence_transformers import SentenceTransformer

from xalign_fairseq.core.text.lines import read_lines


class OwnPair(AbsTaskBitextMining):
    """Two files as a task; their languages do not matter to the scores."""

    metadata = TaskMetadata(
        name="OwnPair",
        dataset={"path": "local", "revision": "local"},
        description="Two files, line by line translations of each other.",
        type="BitextMining",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="f1",
    )

    def __init__(self, src: Path, tgt: Path):
        super().__init__()
        sides = {"sentence1": list(read_lines(src)), "sentence2": list(read_lines(tgt))}
        self.dataset = DatasetDict({"test": Dataset.from_dict(sides)})
        self.data_loaded = True


def main(given: list[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--task", nargs="+", default=["Tatoeba"], help="MTEB's names (default: Tatoeba)")
    parser.add_argument("--language", nargs="+", help="three-letter codes, such as deu (default: all)")
    parser.add_argument("--pair", nargs=2, type=Path, metavar=("SRC", "TGT"), help="two files instead")
    parser.add_argument("--out", type=Path, help="JSON of all scores")
    args = parser.parse_args(given)
    tasks = [OwnPair(*args.pair)] if args.pair else mteb.get_tasks(tasks=args.task, languages=args.language)
    results = mteb.evaluate(SentenceTransformer(args.model), tasks, cache=None)
    for result in results.task_results:
        print(f"{result.task_name}: F1 {100 * result.get_score():.1f}")
    if args.out:
        scores = {result.task_name: result.scores for result in results.task_results}
        args.out.write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
