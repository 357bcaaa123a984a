#!/usr/bin/env python3
"""Measure the share of XLM-Align's training step that self-labelling takes, for benchmark_sinkhorn.py.

usage: sinkhorn_step.py DATA-BIN DEVICE THREADS OUT.json [--quick]

Steps are the task's own, through the criterion, with backward pass and optimiser: MLM, TLM and DWA, and on the same
batches MLM and TLM alone. The labels' own pass through the encoder and the labelling of its hidden states are
clocked apart.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import torch

import xalign_fairseq
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.transport.sinkhorn import backend

# The encoder, and what is in a batch on each device.
ENCODERS: dict[str, dict[str, Any]] = {
    "base": {"arch": "xalign_base", "tokens": {"cpu": 512, "cuda": 16384}},
    "demo": {"arch": "xalign_tiny", "tokens": {"cpu": 2048, "cuda": 16384}},
}
BATCHES, REPEATS = 3, 3  # different batches, and steps on each


class Clock:
    """Adds up the seconds of calls; on a GPU, of the work that they start."""

    def __init__(self, device: str):
        self.device = device
        self.seconds = 0.0

    def now(self) -> float:
        if self.device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, clocked."""

        def clocked(*given: Any, **named: Any) -> Any:
            start = self.now()
            found = function(*given, **named)
            self.seconds += self.now() - start
            return found

        return clocked


class Training:
    """A model of the package in training, as fairseq-train builds it, and its first batches."""

    def __init__(self, data: Path, encoder: str, device: str, batches: int, tokens: int | None = None):
        xalign_fairseq.register()  # patches fairseq, too
        from fairseq import optim, options, tasks, utils
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf

        tokens = tokens or ENCODERS[encoder]["tokens"][device]
        given = [
            str(data), "--task", "xalign_pretraining", "--criterion", "xlm_align", "--arch", ENCODERS[encoder]["arch"],
            "--optimizer", "adam", "--lr", "1e-4", "--max-tokens", str(tokens), "--mono-max-tokens", str(tokens),
            "--seed", "1", "--dwa-start-update", "0", "--max-positions", "256", *(["--cpu"] if device == "cpu" else []),
        ]  # fmt: skip
        self.device = device
        cfg = convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), given))
        torch.manual_seed(1)
        self.task = tasks.setup_task(cfg.task)
        self.model = self.task.build_model(cfg.model)
        self.criterions = {"MLM, TLM, DWA": self.task.build_criterion(cfg.criterion)}
        cfg.criterion.objectives = "mlm,tlm"
        self.criterions["MLM, TLM"] = self.task.build_criterion(cfg.criterion)
        self.model.to(device)
        for criterion in self.criterions.values():
            criterion.to(device)
        self.optimizer = optim.build_optimizer(cfg.optimizer, [p for p in self.model.parameters() if p.requires_grad])
        self.task.load_dataset("train")
        read = self.task.get_batch_iterator(self.task.dataset("train"), max_tokens=tokens, seed=1)
        samples = [sample for sample, _ in zip(read.next_epoch_itr(shuffle=True), range(batches), strict=False)]
        self.samples = [utils.move_to_cuda(sample) for sample in samples] if device == "cuda" else samples

    def step(self, objectives: str, sample: dict[str, Any]) -> None:
        """Forward, backward, clip, update."""
        self.task.train_step(sample, self.model, self.criterions[objectives], self.optimizer, update_num=1)
        self.optimizer.clip_grad_norm(1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()


def measure(training: Training, repeats: int) -> dict[str, float]:
    """Medians over steps in seconds: ``step``, ``without`` DWA; of its labels, ``encoder_pass`` and ``labelling``."""
    from xalign_fairseq.objectives import dwa
    from xalign_fairseq.transport.methods import Transport

    both, labelling = Clock(training.device), Clock(training.device)
    found: dict[str, list[float]] = {"step": [], "without": [], "encoder_pass": [], "labelling": []}
    own, method = dwa.DWA, Transport
    with (
        patch.object(own, "self_labels", both.of(own.self_labels)),
        patch.object(method, "labels", labelling.of(method.labels)),
    ):
        for number in range(-1, repeats):
            for sample in training.samples:
                both.seconds = labelling.seconds = 0.0
                whole = {name: Clock(training.device) for name in training.criterions}
                for name, clock in whole.items():
                    clock.of(training.step)(name, sample)
                if number < 0:  # the first round warms up
                    continue
                found["step"].append(whole["MLM, TLM, DWA"].seconds)
                found["without"].append(whole["MLM, TLM"].seconds)
                found["encoder_pass"].append(both.seconds - labelling.seconds)
                found["labelling"].append(labelling.seconds)
    return {name: median(values) for name, values in found.items()}


def contents(training: Training) -> dict[str, float]:
    """Means over the batches: pairs, and tokens of both sides of a pair."""
    spans = torch.cat([sample["bitext"]["spans"] for sample in training.samples])
    tokens = (spans[:, 1] - spans[:, 0] + spans[:, 3] - spans[:, 2]).double().mean()
    return {"pairs": len(spans) / len(training.samples), "subwords": float(tokens)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data-bin with a training split of bitext and monolingual text")
    parser.add_argument("device", choices=("cpu", "cuda"))
    parser.add_argument("threads", type=int)
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--quick", action="store_true", help="a small encoder on one small batch: to try it")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    backend.select(args.device)
    rows = []
    for encoder in ("demo",) if args.quick else ENCODERS:
        if args.quick:
            training, repeats = Training(args.data, encoder, args.device, 1, tokens=512), 1
        else:
            training, repeats = Training(args.data, encoder, args.device, BATCHES), REPEATS
        found = {**contents(training), **measure(training, repeats)}
        rows.append({"encoder": encoder, "threads": args.threads, **found})
        print(json.dumps(rows[-1]), file=sys.stderr)
    with atomic_write(args.out) as out:
        json.dump(rows, out)


if __name__ == "__main__":
    main()
