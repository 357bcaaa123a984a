#!/usr/bin/env python3
"""Training on 8 to 1,024 GPUs, on paper: what the all-reduce, data and checkpoints cost beside the step of one GPU.

usage: scaling_model.py [--arch base] [--out scripts/results]

A step on N GPUs takes T + e: T on one GPU, and of the all-reduce of the gradients what does not hide behind the
backward pass. Layers' gradients, buckets of which are sent while earlier layers are computed, can hide in 2/3 of T; the
gradient of the embeddings, which are tied to the output layer, is whole only at the end and hides nowhere. It prints
what T, and how many tokens on each GPU, keep N GPUs 90 % efficient, which takes no measurement; and if OUT has
training-cuda.json, the efficiency and speed that follow from T as it was measured there. Every assumption is a constant
below, with its source. Nothing here has been measured on several GPUs. Writes OUT/scaling.md and OUT/scaling.png.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from markers import table

import xalign_fairseq
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.palette import COLOURS, GRID, INK, MARKERS, MUTED

HERE = Path(__file__).resolve().parent
GPUS = (8, 16, 32, 64, 128, 256, 512, 1024)
VOCABULARY = 250_002  # XLM-R's
NODE = 8  # GPUs that NVLink joins: NVIDIA's DGX H100 and H200
NVLINK = 0.75 * 450e9  # bytes a second of a GPU in one direction: 900 GB/s in both (data sheet), of which 3/4 assumed
NETWORK = 0.75 * 50e9  # the same between nodes: 400 Gbit/s for each GPU (DGX H100), of which 3/4 assumed
LATENCY = 20e-6  # seconds of a hop between nodes, of which a tree takes 2 log2(nodes); assumed
GRADIENT = 2  # bytes of a parameter's gradient: fairseq's --bf16 sums them in bfloat16
BACKWARD = 2 / 3  # of a step's arithmetic: two products of a layer's three
CEILING = 790e12  # floating-point operations a second in bfloat16 that an H200 was seen to reach, which no step exceeds
PREDICTED = 0.15  # of the tokens, which the output layer is run for (Devlin et al. 2019)
TOKEN = 4  # bytes of a token in the data-bin: int32 beyond 65,500 pieces (fairseq's mmap)
STATE = 12  # bytes of a parameter in a checkpoint: itself and Adam's two moments in float32
DISK = 1e9  # bytes a second that one process writes; assumed
EVERY = 1000  # updates between two checkpoints; assumed
WANTED = 0.9
TOKENS = (4096, 16384, 65536)  # on each GPU, in the picture


@dataclass(frozen=True)
class Model:
    """Parameters of the tied embeddings, which the head adds its bias to, and of everything else."""

    embeddings: int
    layers: int

    @property
    def operations(self) -> float:
        """Floating-point operations of a token, forward and backward; attention's own left out: they would add some."""
        return 6 * (self.layers + PREDICTED * self.embeddings)


def model_of(arch: str) -> Model:
    """The sizes of an architecture of the package.

    Example::

        model_of("base").embeddings  # 192_251_538
    """
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import ARCHITECTURES

    layers, dim, inner, heads = ARCHITECTURES[f"xalign_{arch}"]
    config = EncoderConfig(
        vocab_size=VOCABULARY, encoder_layers=layers, encoder_embed_dim=dim, encoder_ffn_embed_dim=inner,
        encoder_attention_heads=heads,
    )  # fmt: skip
    with torch.device("meta"):
        count = sum(parameter.numel() for parameter in Encoder(config).parameters())
    tied = VOCABULARY * (dim + 1)
    return Model(tied, count - tied)


def all_reduce(size: float, gpus: int) -> float:
    """Seconds of the sum of so many bytes on each of the GPUs: rings within nodes, a part for each GPU between them.

    A ring of n sends 2 (n - 1) / n of what it sums; between nodes that is an n-th of the gradient for each GPU.

    Example::

        all_reduce(337.5e9, 8)  # 1.75: 2 * 7 / 8 at 337.5 GB/s
    """
    inside = min(gpus, NODE)
    nodes = -(-gpus // NODE)
    within = 2 * (inside - 1) / inside * size / NVLINK
    between = 2 * (nodes - 1) / nodes * size / inside / NETWORK
    return within + between + 2 * (nodes - 1).bit_length() * LATENCY


def step(alone: float, model: Model, gpus: int) -> float:
    """Seconds of a step that takes ``alone`` on one GPU."""
    tied, layers = _sums(model, gpus)
    return alone + tied + max(0.0, layers - BACKWARD * alone)


def needed(model: Model, gpus: int, efficiency: float = WANTED) -> float:
    """Seconds that a step on one GPU has to take so that T / (T + e) is the efficiency.

    With r = efficiency / (1 - efficiency), T = r e, where e is the larger of t and t + l - 2/3 T: of the tied
    embeddings, and the layers.
    """
    tied, layers = _sums(model, gpus)
    ratio = efficiency / (1 - efficiency)
    return max(ratio * tied, ratio * (tied + layers) / (1 + ratio * BACKWARD))


def _sums(model: Model, gpus: int) -> tuple[float, float]:
    return all_reduce(GRADIENT * model.embeddings, gpus), all_reduce(GRADIENT * model.layers, gpus)


def measured(result: Mapping[str, Any], arch: str) -> tuple[float, float] | None:
    """Tokens of a step on one GPU and its seconds, from the first measured row of XLM-Align's step; None without."""
    for row in result["rows"]:
        if row["arch"] == arch and row["contestant"] == "xalign, XLM-Align" and "tokens_per_second" in row:
            tokens = row["batches"]["tokens"]
            return tokens, tokens / row["tokens_per_second"][0]
    return None


def render(arch: str, model: Model, found: tuple[float, float] | None) -> str:
    """The table, and what it rests on."""
    rows = []
    for gpus in GPUS:
        time = needed(model, gpus)
        row = [f"{gpus:,}", f"{1e3 * sum(_sums(model, gpus)):.1f}", f"{1e3 * time:.0f}",
               f"{time * CEILING / model.operations:,.0f}"]  # fmt: skip
        if found is not None:
            tokens, alone = found
            together = step(alone, model, gpus)
            speed = tokens * gpus / together
            writing = STATE * (model.embeddings + model.layers) / DISK / (EVERY * together)
            row += [f"{100 * alone / together:.0f} %", f"{speed:,.0f}", f"{TOKEN * speed / 1e6:,.1f}",
                    f"{100 * writing:.1f} %"]  # fmt: skip
        rows.append(row)
    columns = ["GPUs", "all-reduce, ms", f"step of one GPU for {WANTED:.0%}, ms", "tokens on each GPU that suffice"]
    if found is not None:
        columns += ["efficiency", "tokens a second", "data, MB/s", "checkpoints"]
    one = (
        "not measured"
        if found is None
        else f"{1e3 * found[1]:.0f} ms for {found[0]:,.0f} tokens, of the benchmark's text and pieces"
    )
    return (
        f"{table(columns, rows)}\n\nOn paper, for {arch} with {VOCABULARY:,} pieces "
        f"({(model.embeddings + model.layers) / 1e6:.0f} million parameters, {model.embeddings / 1e6:.0f} of them tied "
        f"embeddings); the step of one GPU: {one}. NVLink {NVLINK / 1e9:.0f} GB/s within {NODE}, network "
        f"{NETWORK / 1e9:.0f} GB/s for each GPU, {1e6 * LATENCY:.0f} us a hop, gradients of {GRADIENT} bytes; so "
        f"many tokens suffice, since no step is faster than {CEILING / 1e12:.0f} TFLOP/s. "
        "`scripts/scaling_model.py` has the sources.\n"
    )


def draw(model: Model, found: tuple[float, float] | None, path: Path) -> None:
    """Efficiency by the number of GPUs: for steps at the ceiling, whose efficiency is the lowest, and as measured."""
    steps = {f"{tokens:,} tokens at the ceiling": tokens * model.operations / CEILING for tokens in TOKENS}
    if found is not None:
        steps[f"{found[0]:,.0f} tokens as measured"] = found[1]
    figure = new_figure(6.4, 3.4)
    axes = figure.subplots()
    for number, (label, alone) in enumerate(steps.items()):
        values = [100 * alone / step(alone, model, gpus) for gpus in GPUS]
        axes.plot(GPUS, values, label=label, color=COLOURS[number], marker=MARKERS[number], markersize=5, linewidth=1)
    axes.axhline(100 * WANTED, color=MUTED, linewidth=0.8, linestyle="dashed")
    axes.set_xscale("log", base=2)
    axes.set_xticks(GPUS, [f"{gpus:,}" for gpus in GPUS])
    axes.set_xlabel("GPUs", color=INK, fontsize=9)
    axes.set_ylabel("efficiency, %, on paper", color=INK, fontsize=9)
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.tick_params(colors=MUTED, labelsize=8)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=("tiny", "small", "base", "large"), default="base", help="default: base")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: scripts/results")
    args = parser.parse_args(arguments)
    path = args.out / "training-cuda.json"
    model = model_of(args.arch)
    found = measured(json.loads(path.read_text()), args.arch) if path.is_file() else None
    text = render(args.arch, model, found)
    with atomic_write(args.out / "scaling.md") as out:
        out.write(text)
    draw(model, found, args.out / "scaling.png")
    print(text)


if __name__ == "__main__":
    sys.exit(exit_code(main))
