"""Predict and score test files with a fine-tuned checkpoint.

The checkpoint comes from fairseq-train with --task xalign_classification, xalign_tagging, xalign_parsing or xalign_qa,
and records its task. Files in --data have the names that XTREME or the original data set gave them.

Example:
  xalign predict --model checkpoint_best.pt --data data/udpos --languages en de fr --out predictions
"""

import argparse
from pathlib import Path
from typing import Any

from xalign_fairseq.cli._arguments import add_count, add_device, add_json, add_model, add_out, print_result
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.output import require_replaceable
from xalign_fairseq.core.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, "fine-tuned checkpoint", metavar="PT")
    parser.add_argument("--data", required=True, metavar="DIR", help="folder with the benchmark's files")
    parser.add_argument("--languages", required=True, nargs="+", metavar="LANG", help="languages to test")
    about = "write LANG.jsonl of each language here: id, prediction, gold"
    add_out(parser, about, metavar="DIR", required=False)
    add_json(parser)
    add_device(parser)
    parser.add_argument("--bf16", action="store_true", help="multiply in bfloat16")
    add_count(parser, "--batch-tokens", "tokens per batch", default=8192)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.core.devices import choose_device, keep_freed_memory
    from xalign_fairseq.transfer.predict import PRECISIONS, Predictor, evaluate_files, write_predictions

    device = choose_device(args.device)
    keep_freed_memory(device)
    predictor = Predictor.load(args.model, device, PRECISIONS["bf16" if args.bf16 else "fp32"])
    predictor.batch_tokens = args.batch_tokens
    languages: dict[str, Any] = {}
    with progress(unit=" items", quiet=args.quiet) as bar:
        evaluations = evaluate_files(predictor, args.data, args.languages, bar.update)
        if args.out:
            for language in args.languages:
                require_replaceable(Path(args.out) / f"{language}.jsonl", "json")
            Path(args.out).mkdir(parents=True, exist_ok=True)
        for language, found in evaluations:
            if not (args.json or found.scores):
                print(f"{language}: {counted(found.items, 'prediction')}; the file has no labels, so there is no score")
            for name, score in {} if args.json else found.scores.items():
                print(f"{language}  {name:<9} {100 * score:6.2f}  {found.signatures[name]}")
            if args.out:
                write_predictions(Path(args.out) / f"{language}.jsonl", found)
            languages[language] = {"items": found.items, "scores": found.scores, "signatures": found.signatures}
    if args.json:
        content = {"checkpoint": args.model, "benchmark": predictor.benchmark.name, "languages": languages}
        print_result(True, content, ())
