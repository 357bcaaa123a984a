#!/usr/bin/env python3
"""The stage models: XLM-Align's training continued on a data-bin for as long as there is time, by fairseq-train.

usage: continue_training.py DATA-BIN OUT --minutes N [--model MODEL] [--device cpu|cuda] [-- fairseq-train option ...]

Begins with MODEL, whatever xalign reads as one, or, where that is not there, with a small encoder of random weights,
which is said. First one update, whose rate is next to nothing: its validation is that of the model as it is. AER on the
validation text of each language pair that has gold links, over updates, is in OUT/models.json and OUT/models.png; the
checkpoint with the lowest mean, in 16 bits, is OUT/model.pt, or in parts, with the command that joins them in
models.json. OUT/train is fairseq-train's own folder: run again, it goes on from there. On another machine it goes on
from model.pt as MODEL, with an optimiser that has forgotten all.
"""

import argparse
import json
import re
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from carried_checkpoint import carry

from xalign_fairseq.aligner.training.defaults import family_options
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.evaluation.plots.figure import require_matplotlib
from xalign_fairseq.evaluation.plots.layers import plot_updates
from xalign_fairseq.trainer.fairseq_train import USER_DIR, encoder_options, flags
from xalign_fairseq.trainer.launch import FairseqTraining, run_training
from xalign_fairseq.trainer.mending import mend
from xalign_fairseq.trainer.record import commit, machine

SEED = 1
LOG = "train.log"
RANDOM = "small, random weights"
RANDOM_OPTIONS = {"--user-dir": USER_DIR, "--arch": "xalign_small", "--lr": "5e-4"}
PRETRAINED_LR = "1e-4"
WARMUP = 200  # updates until the rate is reached
SIZES = {"cpu": (1024, 20), "cuda": (16384, 250)}  # tokens of a batch's pairs, and updates between validations
STARTING = 40.0  # seconds, where no first process has shown how long it takes to start
ENDING, SHARE = 30.0, 0.2  # seconds that are kept for writing all; at most this share of the whole
ROW = re.compile(r"\| (train_inner|valid) \| (\{.*\})\s*$")


def options(args: argparse.Namespace, save: Path) -> tuple[dict[str, Any], str]:
    """fairseq-train's options but for its limits, and what is said of the model.

    Raises:
        XalignError: no validation text of the data-bin has gold links.
    """
    data = DataBin(args.data)
    if all(data.links("valid", *pair) is None for pair in data.language_pairs("valid")):
        raise XalignError(
            "the data-bin has no gold links of validation text", where=args.data,
            remedy="xalign prepare with --validpref and --links valid=FILE",
        )  # fmt: skip
    tokens, interval = SIZES[args.device]
    model, usual, said = dict(RANDOM_OPTIONS), {}, RANDOM
    if args.model and Path(args.model).exists():
        state, where = read_pretrained(args.model)
        encoder, _ = checkpoint.load_encoder(state, where)
        usual = family_options(family_of(state), self_labelled=False)
        model = {**encoder_options(encoder.config.as_options(), args.model), "--lr": PRETRAINED_LR}
        said = f"{family_of(state) or Path(args.model).name}, {encoder.config.vocab_size} ids"
    return {
        "--task": "xalign_pretraining", "--criterion": "xlm_align", "--loss-normalization": "per-objective",
        **model, "--dwa-start-update": 0, "--dwa-label-layer": usual.get("layer"), "--dwa-layer": usual.get("layer"),
        "--dwa-pointer-start": usual.get("pointer_start"), "--freeze-layers": usual.get("freeze_layers"),
        "--optimizer": "adam", "--adam-betas": "(0.9, 0.98)", "--adam-eps": "1e-6", "--clip-norm": 1,
        "--lr-scheduler": "inverse_sqrt", "--warmup-updates": WARMUP,
        "--max-tokens": tokens, "--mono-max-tokens": tokens, "--required-batch-size-multiple": 1, "--seed": SEED,
        "--validate-interval-updates": interval, "--save-interval-updates": interval, "--keep-interval-updates": 1,
        "--validate-interval": 10**9, "--save-interval": 10**9, "--no-epoch-checkpoints": True,
        "--best-checkpoint-metric": "aer", "--log-format": "json", "--log-interval": interval // 2,
        "--save-dir": save,
        "--num-workers": 0 if args.device == "cpu" else 2,
        "--cpu": args.device == "cpu", "--bf16": args.device == "cuda",
    }, said  # fmt: skip


def train(args: argparse.Namespace, save: Path, given: dict[str, Any], end: float) -> list[str]:
    """Train until it is time to end, as :func:`time.monotonic` tells; the last command."""
    line = [str(args.data), *flags(given), *args.extra]
    starting = STARTING
    if not mend(save, print):
        begin = time.monotonic()
        first = [*line, "--max-update", "1", "--validate-interval-updates", "1", "--save-interval-updates", "1"]
        _run(first, save)
        starting = time.monotonic() - begin
    left = end - time.monotonic() - starting
    if left > 0:
        line += ["--stop-time-hours", f"{(trained_seconds(save) + left) / 3600:.5f}"]
        _run(line, save)
    return line


def _run(line: Sequence[str], save: Path) -> None:
    """Run fairseq-train to its end; of its output the validations and some of the reports are shown."""
    print(shlex.join(["fairseq-train", *line]), flush=True)

    def hear(said: str) -> None:
        if ROW.search(said):
            print(said, end="", flush=True)

    run_training(FairseqTraining(line, save), hear)


def trained_seconds(save: Path) -> float:
    """How long all processes have trained by the last checkpoint, which is what ``--stop-time-hours`` limits."""
    state = checkpoint.read(save / "checkpoint_last.pt")
    return float(state.get("extra_state", {}).get("previous_training_time", 0.0))


def read_log(lines: Iterable[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Validations (updates, aer of each pair as a fraction, loss) and reports of training (updates, losses, wps).

    Of updates that were done twice, since a run was broken off, the later ones count.

    Example::

        read_log(['| valid | {"valid_num_updates": "9", "valid_loss": "5", "valid_aer_de-en": "0.2"}'])
        # [{"updates": 9, "loss": 5.0, "aer": {"de-en": 0.2}}], []
    """
    valid: dict[int, dict[str, Any]] = {}
    inner: dict[int, dict[str, Any]] = {}
    for line in lines:
        found = ROW.search(line)
        if found is None:
            continue
        try:
            values = {key.removeprefix("valid_"): float(value) for key, value in json.loads(found[2]).items()}
        except (ValueError, TypeError):  # broken off while it was written
            continue
        updates = int(values["num_updates"])
        if found[1] == "valid":
            aer = {key.removeprefix("aer_"): value for key, value in values.items() if key.startswith("aer_")}
            valid[updates] = {"updates": updates, "loss": values["loss"], "aer": aer}
        else:
            losses = {key: value for key, value in values.items() if key.endswith("loss") or key == "wps"}
            inner[updates] = {"updates": updates, **losses}
    return [valid[key] for key in sorted(valid)], [inner[key] for key in sorted(inner)]


def curves(valid: Sequence[dict[str, Any]]) -> dict[str, list[tuple[int, float]]]:
    """AER over updates of each pair that has gold links."""
    pairs = dict.fromkeys(pair for row in valid for pair in row["aer"])
    return {pair: [(row["updates"], row["aer"][pair]) for row in valid if pair in row["aer"]] for pair in pairs}


def report(args: argparse.Namespace, save: Path, model: str, line: Sequence[str]) -> dict[str, Any]:
    """Write the carried checkpoint, the picture and models.json; its content."""
    valid, inner = read_log(read_lines(save / LOG))
    best = save / "checkpoint_best.pt"
    best = best if best.is_file() else save / "checkpoint_last.pt"
    found = {
        "model": model,
        "command": shlex.join(["fairseq-train", *line]),
        "commit": commit() or "unknown",
        "seed": SEED,
        "machine": machine(cpu=args.device == "cpu"),
        "device": args.device,
        "versions": {"torch": version("torch"), "fairseq-fixed": version("fairseq-fixed")},
        "updates": checkpoint.updates_of(save / "checkpoint_last.pt"),
        "minutes": trained_seconds(save) / 60,
        "validation": valid,
        "training": inner,
        "checkpoint": {"updates": checkpoint.updates_of(best), **carry(best, args.out / "model.pt")},
    }
    plot_updates(curves(valid), args.out / "models.png")
    write_json(args.out / "models.json", found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data-bin with gold links of its validation text")
    parser.add_argument("out", type=Path, help="folder for the results and for OUT/train")
    parser.add_argument("--minutes", type=float, required=True, help="for all of it")
    parser.add_argument("--model", help="what to begin with; its tokenizer is the data-bin's")
    parser.add_argument("--device", choices=SIZES, default="cpu")
    own = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    args = parser.parse_args(own, argparse.Namespace(extra=sys.argv[len(own) + 2 :]))
    require_matplotlib()
    end = time.monotonic() + 60 * args.minutes - min(ENDING, SHARE * 60 * args.minutes)
    save = args.out.resolve() / "train"
    save.mkdir(parents=True, exist_ok=True)
    given, model = options(args, save)
    print(f"model: {model}", flush=True)
    found = report(args, save, model, train(args, save, given, end))
    for row in found["validation"]:
        aer = ", ".join(f"{pair} {100 * value:.1f}" for pair, value in row["aer"].items())
        print(f"{row['updates']} updates: AER {aer}")
    print(f"checkpoint: {', '.join(found['checkpoint']['files'])}; {found['checkpoint'].get('join', '')}")


if __name__ == "__main__":
    sys.exit(exit_code(main))
