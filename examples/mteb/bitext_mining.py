#!/usr/bin/env python3
"""Evaluate sentence vectors with MTEB's bitext mining: find each sentence's translation among all others.

usage: bitext_mining.py MODEL [--task NAME ...] [--language CODE ...] [--pair SRC TGT] [--out FILE]

MODEL is a SentenceTransformer folder, for example from xalign export-hf --sentence-transformers. MTEB downloads the
data of its tasks; --pair reads two parallel files of your own instead.
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
    """Two files as a task; their languages do not change the scores."""

    metadata = TaskMetadata(
        name="OwnPair",
        dataset={"path": "local", "revision": "local"},
        description="Two parallel files.",
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
