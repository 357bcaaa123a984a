#!/usr/bin/env python3
"""Measure what leaving out padding saves: layers over packed tokens against layers over padded ones, in turn.

usage: benchmark_packing.py SRC TGT [--tokenizer e5-small] [--pairs 2000] [--max-tokens 1024] [--sizes small base]
                            [--layers 4] [--batches 4] [--rounds 5] [--dtype float32] [--out FOLDER]

SRC and TGT: bitext, a sentence a line. Its pairs are cut into batches as the package's training cuts them, of similar
length (width 1) or of any (width 0), and read three ways: as pair sequences, as both sides by themselves, and as pair
sequences beside monolingual blocks of the full length. Each is run padded, packed input by input, and packed in one
pass, forward alone and with gradient. A table of tokens a second (of thread CPU time, the best of all rounds), the
share of padding and the ratios to padded passes. Tokens are drawn, lengths are real; the encoder has few layers, which
does not change the ratios, and a small vocabulary, since embeddings are the same everywhere. Writes OUT/packing.json
and the table OUT/packing.md.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmark_aligner import processor
from markers import table

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import HiddenStates, Pass, open_passes
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
SIZES = {"small": (384, 1536, 12), "base": (768, 3072, 12)}
WIDTHS, BLOCK, VOCABULARY, PAD = (1, 0), 256, 1000, 1
DIRECTIONS = ("forward", "forward and backward")
MIXED = {1: "sorted by length", 0: "lengths mixed"}
COLUMNS = ("encoder", "batches", "reads", "padding",
           *(f"{direction}: {what}" for direction in DIRECTIONS
             for what in ("padded, tokens a second", "packed", "packed, one pass")))  # fmt: skip
Way = Callable[[Encoder, Sequence[Input]], list[HiddenStates]]


def padded(encoder: Encoder, inputs: Sequence[Input]) -> list[HiddenStates]:
    """Each input with its padding, under a mask."""
    grad = torch.is_grad_enabled()
    return [HiddenStates(Pass(encoder.sentence_encoder, [given], None, False, grad), 0) for given in inputs]


def one_by_one(encoder: Encoder, inputs: Sequence[Input]) -> list[HiddenStates]:
    """Each input packed by itself."""
    return [open_passes(encoder.sentence_encoder, [given])[0] for given in inputs]


def jointly(encoder: Encoder, inputs: Sequence[Input]) -> list[HiddenStates]:
    """All in one packed pass."""
    return open_passes(encoder.sentence_encoder, inputs)


WAYS: dict[str, Way] = {"padded": padded, "packed": one_by_one, "packed, one pass": jointly}


def batches(lengths: np.ndarray, width: int, max_tokens: int, wanted: int) -> list[np.ndarray]:
    """Lengths (B, 2) of the sides of the pairs of batches from all over an epoch, of at most so many padded tokens."""
    rng = np.random.default_rng(1)
    lengths = lengths[rng.permutation(len(lengths))]
    if width:
        lengths = lengths[(lengths.sum(1) // width).argsort(kind="stable")]
    cut, start = [], 0
    for end in range(1, len(lengths) + 1):
        if (lengths[start : end + 1].sum(1).max() + 3) * (end + 1 - start) > max_tokens or end == len(lengths):
            cut.append(lengths[start:end])
            start = end
    return [cut[number] for number in np.linspace(0, len(cut) - 1, wanted + 2).astype(int)[1:-1]]


def inputs_of(batch: np.ndarray, reading: str, max_tokens: int) -> list[Input]:
    """What the encoder reads of a batch."""
    if reading == "sides":
        return [drawn(batch[:, side] + 2) for side in (0, 1)]
    blocks = [drawn(np.full(max_tokens // BLOCK, BLOCK))] if reading == "pairs and blocks" else []
    return [*blocks, drawn(batch.sum(1) + 3)]


def drawn(lengths: np.ndarray) -> Input:
    """Random tokens of these lengths."""
    inside = torch.arange(int(lengths.max())) < torch.from_numpy(lengths)[:, None]
    return Input(torch.randint(4, VOCABULARY, inside.shape).masked_fill(~inside, PAD), lengths=lengths)


def seconds(encoder: Encoder, inputs: Sequence[Input], way: Way, backward: bool) -> float:
    """Of the CPU, of one run of all layers."""
    encoder.zero_grad()
    start = time.thread_time()
    with torch.set_grad_enabled(backward):
        states = [each.layer(-1) for each in way(encoder, inputs)]
        if backward:
            sum(each.square().mean() for each in states).backward()
    return time.thread_time() - start


def measure(encoder: Encoder, made: Sequence[Sequence[Input]], rounds: int) -> dict[str, Any]:
    """Tokens a second of each way and the ratios to padded, from the best round of each batch."""
    tokens = sum(int(each.lengths.sum()) for inputs in made for each in inputs if each.lengths is not None)
    places = sum(each.tokens.numel() for inputs in made for each in inputs)
    found: dict[str, Any] = {"padding": round(1 - tokens / places, 3)}
    for name, backward in zip(DIRECTIONS, (False, True), strict=True):
        best = {way: [float("inf")] * len(made) for way in WAYS}
        for _ in range(rounds):
            for number, inputs in enumerate(made):
                for way, run in WAYS.items():
                    best[way][number] = min(best[way][number], seconds(encoder, inputs, run, backward))
        rates = {way: tokens / sum(each) for way, each in best.items()}
        found[name] = {way: [round(rate), round(rate / rates["padded"], 3)] for way, rate in rates.items()}
    return found


def report(record: Mapping[str, Any]) -> str:
    """The table, with what it was measured on."""
    lines = []
    for row in record["rows"]:
        cells = [row["size"], MIXED[row["width"]], row["reads"], f"{100 * row['padding']:.1f} %"]
        for direction in DIRECTIONS:
            found = row[direction]
            cells += [f"{found['padded'][0]:,}", *(f"{found[way][1]:.2f}" for way in WAYS if way != "padded")]
        lines.append(cells)
    return (
        f"{table(COLUMNS, lines)}\n\nPacked: times the tokens a second of padded passes; {record['layers']} layers, "
        f"one thread; {record['machine']}; commit {record['commit']}; `{record['command']}`.\n"
    )


def run(args: argparse.Namespace) -> None:
    """Measure, write and print."""
    torch.set_num_threads(1)
    state, _ = read_pretrained(args.tokenizer)
    tokenizer = load_tokenizer(state, checkpoint.vocab_size(state))
    texts = [path.read_text(encoding="utf-8").splitlines()[: args.pairs] for path in (args.src, args.tgt)]
    lengths = np.stack([tokenizer.encode_batch(text)[1] for text in texts], 1)
    lengths = lengths[(lengths > 0).all(1) & (lengths.sum(1) + 3 <= BLOCK)]
    rows = []
    for size in args.sizes:
        hidden, inner, heads = SIZES[size]
        encoder = Encoder(EncoderConfig(VOCABULARY, args.layers, hidden, inner, heads))
        encoder.to(getattr(torch, args.dtype))
        for width in WIDTHS:
            chosen = batches(lengths, width, args.max_tokens, args.batches)
            for reading in ("pairs", "sides", "pairs and blocks"):
                made = [inputs_of(batch, reading, args.max_tokens) for batch in chosen]
                rows.append({"size": size, "width": width, "reads": reading, **measure(encoder, made, args.rounds)})
                print(rows[-1], file=sys.stderr, flush=True)
    given = {name: value for name, value in vars(args).items() if name not in ("src", "tgt", "sizes", "out")}
    options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
    record = {
        "command": f"benchmark_packing.py {args.src.name} {args.tgt.name} --sizes {' '.join(args.sizes)} {options}",
        "commit": commit() or "unknown", "machine": processor("cpu"), "layers": args.layers, "rows": rows,
    }  # fmt: skip
    write_json(args.out / "packing.json", record)
    text = report(record)
    with atomic_write(args.out / "packing.md") as stream:
        stream.write(text)
    print(text)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("src", type=Path, metavar="SRC")
    parser.add_argument("tgt", type=Path, metavar="TGT")
    parser.add_argument("--tokenizer", default="e5-small")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--max-tokens", type=int, default=1024)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batches", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(exit_code(main))
