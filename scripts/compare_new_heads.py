#!/usr/bin/env python3
"""Loss of masked tokens by heads that a model without one could get, at the start and after some updates.

usage: compare_new_heads.py --model MODEL --text FILE... --out JSON [--updates N] [--sentences N] [--lr X] [--lines N]

All heads begin with the same encoder and see the same batches: "made" is what the package makes from the embeddings and
the pieces' log-probabilities (xalign_fairseq.encoder.masked_lm.new_head), "made, no scores" has no bias, "random" is as
BERT's initialisation draws it. The vocabulary is trimmed to the text; every sixteenth line is held out, and gives the
loss in nats a token.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.masking import MaskOptions, mask_tokens
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.masked_lm import HEAD
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trim
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.trainer.record import commit, machine

SEED = 1
HELD_OUT = 16  # of so many lines the last
WARM_UP = 20
HEADS = ("made", "made, no scores", "random")
Batch = tuple[Tensor, Tensor]


def with_head(model: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    """A checkpoint's tensors, whose head is a made one, with one of :data:`HEADS`; nothing is shared with others."""
    changed = {key: value.clone() for key, value in model.items() if key != HEAD + "weight"}  # tied when it is loaded
    if name != "made":
        changed[HEAD + "bias"].zero_()
    if name == "random":
        generator = torch.Generator().manual_seed(SEED)
        changed[HEAD + "dense.weight"].normal_(std=0.02, generator=generator)
        changed[HEAD + "dense.bias"].zero_()
    return changed


def batches(sentences: Sequence[np.ndarray], size: int, options: MaskOptions, seed: int) -> Iterator[Batch]:
    """Masked tokens and targets (B, T) of sentences in a random order, again and again."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(sentences))
        for first in range(0, len(order) - size + 1, size):
            chosen = [mask_tokens(sentences[k], rng, options) for k in order[first : first + size]]
            tokens, targets = zip(*chosen, strict=True)
            yield pad(tokens, options.pad), pad(targets, options.pad)


def loss(encoder: Encoder, batch: Batch, ignored: int) -> tuple[Tensor, int]:
    """Summed loss of the masked tokens, and their number."""
    tokens, targets = batch
    chosen = targets.ne(ignored)
    hidden = encoder.states(tokens, training=encoder.training).layer()[chosen]
    return F.cross_entropy(encoder.lm_head(hidden), targets[chosen], reduction="sum"), int(chosen.sum())


@torch.no_grad()
def mean_loss(encoder: Encoder, held_out: Sequence[Batch], ignored: int) -> float:
    """Loss a masked token of all batches, without dropout."""
    encoder.eval()
    sums, counts = zip(*(loss(encoder, batch, ignored) for batch in held_out), strict=True)
    encoder.train()
    return float(sum(sums)) / max(1, sum(counts))


def learn(state: dict[str, Any], name: str, training: Iterator[Batch], held_out: Sequence[Batch], args: Any) -> Any:
    """The loss on held-out text by the number of updates, of a head and the encoder below it."""
    encoder, _ = checkpoint.load_encoder({**state, "model": with_head(state["model"], name)})
    encoder.requires_grad_(True)
    ignored = encoder.config.pad
    losses = {0: mean_loss(encoder, held_out, ignored)}
    optimizer = torch.optim.Adam(encoder.parameters(), args.lr, betas=(0.9, 0.98))
    for update in range(1, args.updates + 1):
        optimizer.param_groups[0]["lr"] = args.lr * min(1, update / WARM_UP)
        total, count = loss(encoder, next(training), ignored)
        (total / max(1, count)).backward()
        optimizer.step()
        optimizer.zero_grad()
        if update in (args.updates // 6, args.updates // 2, args.updates):
            losses[update] = mean_loss(encoder, held_out, ignored)
    return {str(update): round(value, 3) for update, value in losses.items()}


def main(given: Sequence[str] | None = None) -> None:
    """Compare, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="e5-small")
    parser.add_argument("--text", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="JSON")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--sentences", type=int, default=8, help="in a batch (default: %(default)s)")
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--lines", type=int, default=600, help="of each file (default: %(default)s)")
    args = parser.parse_args(given)
    state = trim(*read_pretrained(args.model), args.text)
    tokenizer = load_tokenizer(state, checkpoint.vocab_size(state))
    lines = [line for path in args.text for line in list(read_lines(path))[: args.lines]]
    most = 100
    sentences = [np.array([0, *tokenizer.encode(line)[:most], 2]) for line in lines if line.strip()]
    kept = [each for k, each in enumerate(sentences, 1) if k % HELD_OUT]
    options = MaskOptions(tokenizer.dictionary.mask_index, tokenizer.dictionary.embedding_size)
    held = sentences[HELD_OUT - 1 :: HELD_OUT]
    size = min(args.sentences, len(held))
    test = [batch for _, batch in zip(range(len(held) // size), batches(held, size, options, SEED), strict=False)]
    rows = {}
    for name in HEADS:
        rows[name] = learn(state, name, batches(kept, args.sentences, options, SEED), test, args)
        print(name, json.dumps(rows[name]), flush=True)
    command = shlex.join(["scripts/compare_new_heads.py", *(sys.argv[1:] if given is None else given)])
    result = {"command": command, "commit": commit() or "unknown", "seed": SEED, "machine": machine(cpu=True)}
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_json(args.out, {**result, "vocabulary": tokenizer.dictionary.embedding_size, "losses": rows})


if __name__ == "__main__":
    sys.exit(exit_code(main))
