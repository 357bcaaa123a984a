#!/usr/bin/env python3
"""Measure what an update costs beside the passes: fairseq's adam and xalign_adamw in turn, on gradients of one size.

usage: benchmark_optimizer.py [--case NAME ...] [--tokens 750] [--rounds 5] [--threads 1] [--out FOLDER]

Each contestant is called as fairseq's trainer does: multiply_grads, clip_grad_norm, step, zero_grad. The sizes are
those of e5-small's layers, of all of e5-small and of XLM-R base, where a head makes all gradients dense; parameters and
gradients are numbers that no model has. The last case is e5-small's token embeddings without a head, with the backward
pass of a batch's tokens, whose gradient is dense or sparse (--embedding-updates lazy). Seconds are those of the
process, the least of all rounds but the first. Writes OUT/optimizer.json and the table OUT/optimizer.md.
"""

import argparse
import gc
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from benchmark_aligner import processor
from markers import table
from torch import Tensor, nn

import xalign_fairseq
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
E5 = EncoderConfig(
    vocab_size=250037, encoder_embed_dim=384, encoder_ffn_embed_dim=1536, encoder_attention_heads=12, max_positions=510
)
XLMR = EncoderConfig(vocab_size=250002)
CASES = {
    "layers": "e5-small, layers alone",
    "e5-small": "e5-small, whole",
    "xlm-r": "XLM-R base, whole",
    "embeddings": "e5-small's token embeddings, with the backward pass",
}
CONTESTANTS = ("adam", "xalign_adamw", "lazy")


def shapes(case: str) -> list[torch.Size]:
    """Of a case's parameters, which are made nowhere."""
    with torch.device("meta"):
        encoder = Encoder(XLMR if case == "xlm-r" else E5)
    chosen: nn.Module = encoder
    if case == "layers":
        chosen = encoder.sentence_encoder.layers
    elif case == "embeddings":
        chosen = encoder.sentence_encoder.embed_tokens
    return [p.shape for p in chosen.parameters()]


def build(name: str, params: list[nn.Parameter]) -> Any:
    """An optimizer of fairseq's registry."""
    from fairseq import optim
    from omegaconf import OmegaConf

    cfg = {
        "common": {"tpu": False},
        "optimization": {"lr": [1e-5]},
        "optimizer": {"_name": name, "adam_betas": "(0.9, 0.999)", "adam_eps": 1e-8, "weight_decay": 0.01},
    }
    return optim.build_optimizer(OmegaConf.create(cfg).optimizer, params)


def contestants(case: str, tokens: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name what a contestant does before an update, which is not measured, and the update."""
    torch.manual_seed(1)
    params = [nn.Parameter(torch.full(shape, 0.1)) for shape in shapes(case)]
    if case != "embeddings":
        gradients = [torch.empty_like(p) for p in params]
        made = {}
        for name in CONTESTANTS[:2]:
            optimizer = build(name, params)
            made[name] = (_giving(params, gradients), _updating(optimizer))
        return made
    batch = torch.randint(len(params[0]), (tokens,))
    return {
        name: (lambda: None, _updating(build("adam" if name == "adam" else CONTESTANTS[1], params), backward))
        for name in CONTESTANTS
        for backward in [_reading(params[0], batch, sparse=name == "lazy")]
    }


def _giving(params: list[nn.Parameter], gradients: list[Tensor]) -> Callable[[], None]:
    def give() -> None:
        for p, gradient in zip(params, gradients, strict=True):
            p.grad = gradient.fill_(0.01)

    return give


def _reading(weight: nn.Parameter, batch: Tensor, sparse: bool) -> Callable[[], None]:
    ahead = torch.ones(len(batch), weight.shape[1])
    return lambda: nn.functional.embedding(batch, weight, sparse=sparse).backward(ahead)


def _updating(optimizer: Any, backward: Callable[[], None] | None = None) -> Callable[[], None]:
    def update() -> None:
        if backward is not None:
            backward()
        optimizer.multiply_grads(1 / 16)
        optimizer.clip_grad_norm(1.0)
        optimizer.step()
        optimizer.zero_grad()

    return update


def measure(case: str, args: argparse.Namespace) -> dict[str, Any]:
    """Seconds of an update by each contestant, in turn."""
    running = contestants(case, args.tokens)
    seconds: dict[str, list[float]] = {name: [] for name in running}
    for number in range(args.rounds + 1):
        for name, (prepare, update) in running.items():
            prepare()
            before = time.process_time()
            update()
            if number:  # the first one makes the moments
                seconds[name].append(time.process_time() - before)
    return {"parameters": sum(map(torch.Size.numel, shapes(case))), "seconds": seconds}


def report(results: dict[str, Any]) -> str:
    """The table of a results file, and how it was made."""
    rows = []
    for case, found in results["cases"].items():
        best = {name: min(each) for name, each in found["seconds"].items()}
        cells = [
            f"{1000 * best[name]:.1f} ({best['adam'] / best[name]:.1f})" if name in best else "-"
            for name in CONTESTANTS[1:]
        ]
        rows.append((CASES[case], f"{found['parameters'] / 1e6:.0f} million", f"{1000 * best['adam']:.1f}", *cells))
    columns = ("what is updated", "parameters", "adam, ms", "xalign_adamw, ms", "rows alone, ms")
    threads = f"{results['threads']} thread{'s' if results['threads'] > 1 else ''}"
    notes = (
        "Milliseconds of multiplying, clipping, stepping and forgetting the gradients, float32. In brackets: how many "
        f"times faster than fairseq's adam. Rows: a batch of {results['tokens']} tokens.",
        f"- cpu: {results['machine']}, {threads}; the least of {results['rounds']} rounds in turn; torch "
        f"{results['torch']}; commit {results['commit']}; `{results['command']}`",
    )
    return "\n\n".join([table(columns, rows), *notes]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="+", choices=CASES, default=list(CASES), help="default: all")
    for option, value in {"tokens": 750, "rounds": 5, "threads": 1}.items():
        parser.add_argument(f"--{option}", type=int, default=value, help=f"default: {value}")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: scripts/results")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    xalign_fairseq.register()
    found = {}
    for case in args.case:
        print(case, file=sys.stderr)
        found[case] = measure(case, args)
        gc.collect()
    settings = [f"--{name}={getattr(args, name)}" for name in ("tokens", "rounds", "threads")]
    results = {
        "command": shlex.join(["benchmark_optimizer.py", "--case", *args.case, *settings]),
        "commit": commit(Path(__file__)), "machine": processor("cpu"), "torch": torch.__version__,
        "tokens": args.tokens, "rounds": args.rounds, "threads": args.threads, "cases": found,
    }  # fmt: skip
    args.out.mkdir(parents=True, exist_ok=True)
    write_json(args.out / "optimizer.json", results)
    with atomic_write(args.out / "optimizer.md") as stream:
        stream.write(report(results))
    print(report(results))


if __name__ == "__main__":
    sys.exit(exit_code(main))
