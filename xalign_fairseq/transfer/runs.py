"""One run: fine-tune a checkpoint on a task with a seed, then predict and score its test files.

``python -m xalign_fairseq.transfer.runs RUN/spec.json`` makes the run that the file describes, or continues it.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from xalign_fairseq.core.array_files import write_arrays
from xalign_fairseq.core.devices import cores, keep_freed_memory, training_device
from xalign_fairseq.core.errors import XalignError, command_line_text
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.core.signals import interrupted_code, signals_as_interrupts
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.trainer.launch import LOG, FairseqTraining, run_training
from xalign_fairseq.trainer.train_record import commit, machine
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.predict import (
    PRECISIONS,
    Evaluation,
    Predictor,
    evaluate,
    evaluate_retrieval,
    load_retrieval,
    write_predictions,
)
from xalign_fairseq.transfer.results import FORMAT, RunResult
from xalign_fairseq.transfer.run_spec import MODEL, RunSpec, shown_command, train_options
from xalign_fairseq.transfer.scheduler import Job


def job(spec: RunSpec, out: Path, keep_models: bool) -> Job:
    """Write ``spec.json``; the command that makes the run."""
    folder = spec.folder(out)
    if not (folder / "result.json").is_file():  # another command may have finished it
        write_json(folder / "spec.json", spec.as_data())
    command = [sys.executable, "-m", "xalign_fairseq.transfer.runs", str(folder / "spec.json")]
    return Job(spec.name, [*command, *(["--keep-models"] if keep_models else [])], folder / LOG)


def summary(folder: Path) -> str:
    """A summary of a finished run's scores: each language's metric that selects the model, in percent."""
    run = RunResult.read(folder)
    name = BENCHMARKS[run.benchmark].score(run.score)[0].name
    parts = [f"{language} {name} {100 * scores[name]:.1f}" for language, scores in run.scores.items()]
    return ", ".join(parts) or "without labels"


def make(path: Path, keep_models: bool = False) -> None:
    """Make or finish the run that ``spec.json`` describes: train, predict, score; the result is written last."""
    folder = path.parent
    with locked_folder(folder) as lock:
        spec = RunSpec.read(path)
        if (folder / "result.json").is_file():  # another command has finished it meanwhile
            tidy(folder, keep_models=True)
            return
        trained: dict[str, Any] = {"minutes": 0.0, "selection": None}
        if spec.train_languages:
            trained = _train(spec, folder, lock)
        start = time.monotonic()
        evaluations = dict(_evaluate(spec, folder))
        counts = {
            f"{language}/{metric}": table
            for language, evaluation in evaluations.items()
            for metric, table in evaluation.counts.items()
        }
        write_arrays(folder / "counts.npz", counts)
        minutes = trained["minutes"] + (time.monotonic() - start) / 60
        made = _result(spec, folder, trained["selection"], evaluations, minutes)
        write_json(path, spec.as_data())  # another command may have written its own languages
        write_json(folder / "result.json", made)
        tidy(folder, keep_models)


def tidy(folder: Path, keep_models: bool) -> None:
    """Remove a finished run's models, or all except the tested one."""
    save = folder / "checkpoints"
    if not keep_models:
        shutil.rmtree(save, ignore_errors=True)
    for file in save.glob("*.pt"):
        if file != folder / MODEL:
            file.unlink()


def _train(spec: RunSpec, folder: Path, lock: int) -> dict[str, Any]:
    """Fine-tune, unless ``trained.json`` exists: fairseq would make one more update."""
    mark, save = folder / "trained.json", folder / "checkpoints"
    if mark.is_file() and (folder / MODEL).is_file():
        return read_json(mark)
    start = time.monotonic()
    training = FairseqTraining(train_options(spec, save), folder, save, lock)
    run_training(training, hear=lambda line: None, say=partial(print, flush=True))
    minutes = (time.monotonic() - start) / 60  # since the last interruption
    found = {"minutes": minutes, "selection": _selection(spec, folder / MODEL)}
    write_json(mark, found)
    return found


def _selection(spec: RunSpec, best: Path) -> dict[str, Any]:
    """The best update on the validation data, and its score."""
    state = checkpoint.read(best)
    return {
        "metric": BENCHMARKS[spec.benchmark].score(spec.score)[0].name,
        "language": "+".join(spec.train_languages if spec.holdout else spec.valid_languages),
        "holdout": spec.holdout,
        "score": float(state["extra_state"]["best"]) / 100,  # the log has percent
        "update": int(state["optimizer_history"][-1]["num_updates"]),
    }


def _evaluate(spec: RunSpec, folder: Path) -> Iterator[tuple[str, Evaluation]]:
    """Predict every test file; predictions are written immediately."""
    device = training_device(spec.place["cpu"])
    keep_freed_memory(device)
    test: Callable[[str, str], Evaluation]
    if spec.train_languages:
        test = partial(evaluate, Predictor.load(folder / MODEL, device, PRECISIONS[spec.precision]))
    else:  # retrieval has no training: the encoder itself is tested
        test = partial(evaluate_retrieval, *load_retrieval(spec.place["checkpoint"], device), **spec.options)
    for language, path in spec.place["files"]["test"].items():
        print(f"testing {language}: {path}", flush=True)
        evaluation = test(path, language)
        write_predictions(folder / "predictions" / f"{language}.jsonl", evaluation)
        for name, score in evaluation.scores.items():
            print(f"{language} {name} {100 * score:.2f}", flush=True)
        yield language, evaluation


def _result(
    spec: RunSpec, folder: Path, selection: object, evaluations: Mapping[str, Evaluation], minutes: float
) -> dict[str, Any]:
    """The content of ``result.json``; languages without labels have items and no scores."""
    device = training_device(spec.place["cpu"])
    scored = {language: evaluation for language, evaluation in evaluations.items() if evaluation.scores}
    return {
        "format": FORMAT,
        "checkpoint": spec.checkpoint,
        "task": spec.task,
        "benchmark": spec.benchmark,
        "models": spec.models,
        "train_languages": list(spec.train_languages),
        "seed": spec.seed,
        "scores": {language: dict(evaluation.scores) for language, evaluation in scored.items()},
        "selection": selection,
        "items": {language: evaluation.items for language, evaluation in evaluations.items()},
        "signatures": {language: dict(evaluation.signatures) for language, evaluation in scored.items()},
        "train_examples": spec.train_examples,
        "updates": spec.updates,
        "made_by": spec.made_by(),
        "minutes": round(minutes, 2),
        "command": shown_command(spec, folder / "checkpoints"),
        "commit": commit(),
        "machine": f"{machine(cpu=device.type == 'cpu')}, {cores()} cores",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The function that a scheduler's job runs."""
    parser = argparse.ArgumentParser(prog="python -m xalign_fairseq.transfer.runs", description=__doc__)
    parser.add_argument("spec", type=Path, help="a run's spec.json")
    parser.add_argument("--keep-models", action="store_true", help="keep the model that was tested")
    args = parser.parse_args(argv)
    try:
        with signals_as_interrupts():  # end the training with this process
            make(args.spec, args.keep_models)
    except XalignError as error:
        print(f"error: {command_line_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        return interrupted_code(stopped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
