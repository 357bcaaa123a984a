"""Predict test files with a fine-tuned checkpoint, and score those that have labels.

The checkpoint is one that fairseq-train wrote with --task xalign_classification, xalign_tagging, xalign_parsing or
xalign_qa; it says what the task is. Files are found in --data by the names that XTREME or the original gave them.

Example:
  xalign predict --checkpoint checkpoint_best.pt --data data/udpos --languages en de fr --out predictions
"""

import argparse
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import progress_bar

if TYPE_CHECKING:
    from xalign_fairseq.transfer.predict import Evaluation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign predict``."""
    parser.add_argument("--checkpoint", required=True, metavar="PT", help="fine-tuned checkpoint")
    parser.add_argument("--data", required=True, metavar="DIR", help="folder with the benchmark's files")
    parser.add_argument("--languages", required=True, nargs="+", metavar="LANG", help="languages to test")
    parser.add_argument("--split", default="test", help="default: %(default)s")
    parser.add_argument("--out", metavar="DIR", help="write LANG.jsonl of each language here: id, prediction, gold")
    parser.add_argument("--json", metavar="FILE", help="write scores and signatures as JSON")
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: CUDA if there is one"
    )
    parser.add_argument("--bf16", action="store_true", help="compute in bfloat16")
    parser.add_argument("--batch-tokens", type=int, default=8192, metavar="N", help="default: %(default)s")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> None:
    """Find every file, then predict one after the other."""
    import torch

    from xalign_fairseq.launch.devices import choose_device
    from xalign_fairseq.transfer.benchmarks import find_all
    from xalign_fairseq.transfer.family import require_languages
    from xalign_fairseq.transfer.predict import Predictor, evaluate, write_predictions

    dtype = torch.bfloat16 if args.bf16 else torch.float32
    predictor = Predictor.load(args.checkpoint, choose_device(args.device), dtype)
    files = find_all([(predictor.benchmark, args.data, args.split, language) for language in args.languages])
    for language, path in zip(args.languages, files, strict=True):
        require_languages(predictor.encoder.config, predictor.benchmark.read(path, language))
    found = {}
    for language, path in zip(args.languages, files, strict=True):
        with progress_bar(None, args.quiet, unit=f" items of {language}") as progress:
            found[language] = evaluate(predictor, path, language, args.batch_tokens, progress)
        print_scores(language, found[language])
        if args.out:
            from pathlib import Path

            Path(args.out).mkdir(parents=True, exist_ok=True)
            write_predictions(Path(args.out) / f"{language}.jsonl", found[language])
    if args.json:
        write_json(args, predictor.benchmark.name, found)


def print_scores(language: str, evaluation: "Evaluation") -> None:
    """A line per metric, with its signature."""
    if not evaluation.scores:
        print(f"{language}: {evaluation.items} predictions; the file has no labels, so there is no score")
    for name, score in evaluation.scores.items():
        print(f"{language}  {name:<9} {100 * score:6.2f}  {evaluation.signatures[name]}")


def write_json(args: argparse.Namespace, benchmark: str, found: "dict[str, Evaluation]") -> None:
    """Scores as fractions."""
    import json

    from xalign_fairseq.files import atomic_write

    languages: dict[str, Any] = {
        language: {"items": each.items, "scores": each.scores, "signatures": each.signatures}
        for language, each in found.items()
    }
    content = {"checkpoint": args.checkpoint, "benchmark": benchmark, "languages": languages}
    with atomic_write(args.json) as out:
        out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
