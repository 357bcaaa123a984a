#!/usr/bin/env python3
"""Fine-tune and test finished runs of 2_train.sh, score their embeddings, and write RESULTS/runs/.

usage: evaluate.py DATA RUN [RUN ...] --results RESULTS [--tasks pos ner] [--study studies/small.yaml] [--cpu]

DATA: OUT of 1_data.sh. RUN: a folder of 2_train.sh, whose name gives the setting. Each task has two models: one
trained in English (zero-shot) and one in the derived language (supervised). Tasks without files of the derived
language are skipped with a message. The runs equal those of xalign transfer, but fork this process, which avoids
starting fairseq: that takes three times as long as fine-tuning such encoders.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from fairseq import options
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.distributed.utils import call_main
from fairseq_cli.train import main as train

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

import study
from common.training import training_record

import xalign_fairseq
from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import read as read_lexicon
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.evaluation.lexicon_alignment import lexicon_scores
from xalign_fairseq.transfer.plan import build, open_checkpoint
from xalign_fairseq.transfer.predict import Predictor, evaluate
from xalign_fairseq.transfer.run_spec import RunSpec, train_options
from xalign_fairseq.transfer.study import load_study, select

LAST = "checkpoint_last.pt"
SUPERVISED = "-supervised"


def in_fork(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a forked process, which shares all imports, and return the result."""
    with ProcessPoolExecutor(1, get_context("fork")) as process:
        return process.submit(function, *arguments).result()


def specs_of(args: argparse.Namespace, run: Path, setting: study.Setting) -> list[RunSpec]:
    """Both models of each task that has files of the derived language."""
    transfer = load_study(args.study, args.data / "derived" / setting.folder)
    asked = [task for task in transfer.tasks if task.name.removesuffix(SUPERVISED) in args.tasks]
    tests = {task.name: task.folder / task.files["test"]["xx"] for task in asked}
    there = [name for name, path in tests.items() if path.is_file()]
    for name, path in tests.items():
        if name not in there:
            print(f"{run.name}: {name} is skipped: no {path}", file=sys.stderr, flush=True)
    if not there:
        raise XalignError("no task has files of the derived language", where=args.data / "derived" / setting.folder)
    return build(select(transfer, there), [open_checkpoint(run.name, run / LAST)], cpu=args.cpu)


def fine_tune(spec: RunSpec, folder: Path) -> dict[str, np.ndarray]:
    """Train, and count on every test file: ``TASK/LANGUAGE/METRIC`` -> (items, K). Logs to FOLDER/NAME.log."""
    folder.mkdir(exist_ok=True)
    log = os.open(folder / f"{spec.task}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    with tempfile.TemporaryDirectory(dir=folder) as save:
        try:
            # fairseq would use all visible GPUs and multiply the batch size.
            given = [*train_options(spec, Path(save)), "--distributed-world-size", "1"]
            arguments = options.parse_args_and_arch(options.get_training_parser(), given)
            call_main(convert_namespace_to_omegaconf(arguments), train)
        except SystemExit as end:
            raise XalignError("fairseq-train failed", where=folder / f"{spec.task}.log", found=f"exit {end}") from None
        device = choose_device("cpu" if spec.place["cpu"] else "auto")
        predictor = Predictor.load(Path(save, "checkpoint_best.pt"), device=device)
    evaluations = {
        language: evaluate(predictor, path, language) for language, path in spec.place["files"]["test"].items()
    }
    return {
        f"{spec.task}/{language}/{metric}": counts
        for language, evaluation in evaluations.items()
        for metric, counts in evaluation.counts.items()
    }


def score_embeddings(run: Path, data_bin: Path) -> dict[str, Any]:
    """Alignment score of each part of the data-bin's lexicon, and the encoder's size."""
    encoder, _ = checkpoint.load_encoder(checkpoint.read(run / LAST), run / LAST)
    embeddings = encoder.sentence_encoder.embed_tokens.weight.detach()
    scores = lexicon_scores(embeddings, read_lexicon(DataBin(data_bin), "en", "xx"))
    config = encoder.config
    return {
        "encoder": f"{config.encoder_layers} x {config.encoder_embed_dim}",
        "pieces": len(embeddings),
        "alignment": {
            each.part: {key: round(value, 5) for key, value in asdict(each).items() if key != "part"} for each in scores
        },
    }


def measure(args: argparse.Namespace, run: Path) -> None:
    """Take all measures of a run and write them."""
    setting, seed = study.split_name(run.name)
    record = training_record(run) | in_fork(score_embeddings, run, args.data / "data" / setting.data)
    counts: dict[str, np.ndarray] = {}
    for spec in in_fork(specs_of, args, run, setting):
        for key, table in in_fork(fine_tune, spec, run / "transfer").items():
            counts[key] = counts[key] + table if key in counts else table  # sum over the seeds of fine-tuning
    shutil.rmtree(run / "transfer")
    result = study.Run(setting, seed, record, counts)
    record["scores"] = {
        task: {name: round(score, 4) for name, score in result.scores(task).items()}
        for task in study.TASKS
        if result.has(task)
    }
    study.write(study.place(args.results, run.name), record, counts)
    gaps = ", ".join(f"{task} Δ {100 * scores['Δ']:.1f}" for task, scores in record["scores"].items())
    print(f"{run.name}: {gaps}, alignment {100 * result.alignment():.1f}", flush=True)


def measure_all(args: argparse.Namespace) -> None:
    for run in args.runs:
        measure(args, run)


def main(argv: Sequence[str] | None = None) -> int:
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--tasks", nargs="+", default=["pos", "ner"], choices=tuple(study.TASKS))
    parser.add_argument("--study", type=Path, default=here / "studies/small.yaml")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--cpu", action="store_true", help="use no GPU")
    args = parser.parse_args(argv)
    xalign_fairseq.register()
    return exit_code(lambda: measure_all(args))


if __name__ == "__main__":
    sys.exit(main())
