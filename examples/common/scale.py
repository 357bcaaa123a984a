#!/usr/bin/env python3
"""The cost of a recipe at its paper's scale: batch per GPU, GPU-hours, days, disk.

usage: scale.py RECIPE [--gpus N] [--per-gpu N] [--tokens-per-second N] [--tokens-per-pair N] [--text-gb N]

The paper's batch = GPUs x per GPU x accumulation steps. GPU-hours = updates x tokens an update / tokens a second of one
GPU / 3600. Tokens per second come from the argument, otherwise from scripts/results/training-cuda.json where the recipe
was measured there; without either they are not measured, and neither hours nor days are given.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import XalignError, exit_code

MEASURED = Path(__file__).parents[2] / "scripts/results/training-cuda.json"
MILLION_PARAMETERS = {"base": 278, "small": 66}  # XLM-R base; 8 layers of 512 with 80,000 pieces
CHECKPOINTS = 3  # last, best, and an unfinished one; those of intervals are extra


@dataclass(frozen=True)
class Recipe:
    """A paper's settings.

    Attributes:
        batch: pairs an update; of align_mlm tokens.
        per_gpu: on each GPU at once, as the recipe's script has it.
        updates: their number; None: it follows from the data.
        blocks: tokens of monolingual text for each pair, in a block.
        contestant: of ``training-cuda.json``; None: the recipe is not measured there.
        size: of ``MILLION_PARAMETERS``.
        accumulates: whether a batch may be summed up of micro-batches without another loss.
        all_kept: updates between checkpoints that all stay; None: the newest one stays.
        copies: of the encoder, in float32 in each checkpoint: momentum encoder, or weights to stay close to.
    """

    batch: int
    per_gpu: int
    updates: int | None
    blocks: int = 0
    contestant: str | None = None
    size: str = "base"
    accumulates: bool = True
    all_kept: int | None = None
    copies: int = 0


RECIPES = {
    "xlm_align": Recipe(2048, 32, 150_000, blocks=512, contestant="xalign, XLM-Align", all_kept=10_000),
    "align_mlm": Recipe(65_536, 65_536, 500_000, size="small"),
    "explicit_alignments": Recipe(128, 128, 100_000, accumulates=False, copies=1),
    "ppa": Recipe(128, 128, 136_719, accumulates=False, copies=1),
    "weam": Recipe(32, 32, None),
}


def steps(recipe: Recipe, gpus: int, per_gpu: int | None) -> tuple[int, int]:
    """What each GPU has at once, and accumulation steps, so that the product is the paper's batch."""
    if gpus < 1 or (per_gpu is not None and per_gpu < 1):
        raise XalignError(
            "there are no GPUs, or nothing for them",
            where=f"--gpus {gpus} --per-gpu {per_gpu}",
            expected="1 or more of both",
        )
    if per_gpu is None:
        per_gpu = min(recipe.per_gpu, max(1, recipe.batch // gpus))
    count, rest = divmod(recipe.batch, gpus * per_gpu)
    if rest or not count:
        raise XalignError(
            "the paper's batch cannot be kept",
            where=f"--gpus {gpus} --per-gpu {per_gpu}",
            found=f"{gpus * per_gpu} at once",
            expected=f"a divisor of {recipe.batch}",
        )
    if count > 1 and not recipe.accumulates:
        raise XalignError(
            "the loss of micro-batches is another one than that of the paper's batch",
            where=f"--per-gpu {per_gpu}",
            found=f"{count} accumulation steps",
            expected=f"--per-gpu {recipe.batch // gpus}",
        )
    return per_gpu, count


def measured(recipe: Recipe, path: Path = MEASURED) -> float | None:
    """Best tokens per second of one GPU with the whole vocabulary; None where the recipe was not measured."""
    if recipe.contestant is None or not path.exists():
        return None
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return max((max(row["tokens_per_second"]) for row in rows
                if (row["arch"], row["contestant"], row["vocabulary"]) == (recipe.size, recipe.contestant, "whole")
                and row["processes"] == 1 and "tokens_per_second" in row), default=None)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("--gpus", type=int, default=8, help="on all nodes (default: %(default)s)")
    parser.add_argument("--per-gpu", type=int, help="pairs (align_mlm: tokens) on each at once (default: the recipe's)")
    parser.add_argument("--updates", type=int, help="default: the paper's")
    parser.add_argument("--tokens-per-second", type=float, help="of one GPU")
    parser.add_argument("--tokens-per-pair", type=float, default=80, help="on both sides (default: %(default)s)")
    parser.add_argument("--text-gb", type=float, help="size of the text, for the disk it takes")
    args = parser.parse_args()
    recipe = RECIPES[args.recipe]
    per_gpu, count = steps(recipe, args.gpus, args.per_gpu)
    unit = "tokens" if args.recipe == "align_mlm" else "pairs"
    names = (
        f"MAX_TOKENS={per_gpu} ... --update-freq {count}"
        if unit == "tokens"
        else f"BATCH={per_gpu} UPDATE_FREQ={count}"
    )
    print(f"batch: {args.gpus} GPUs x {per_gpu} {unit} x {count} = {recipe.batch} {unit}: {names}")
    updates = recipe.updates if args.updates is None else args.updates
    tokens = recipe.batch if unit == "tokens" else recipe.batch * (args.tokens_per_pair + recipe.blocks)
    rate = measured(recipe) if args.tokens_per_second is None else args.tokens_per_second
    print(f"tokens an update: {tokens:,.0f}")
    if updates is None:
        print("updates: 2 x training pairs / 32; give them by --updates")
    elif rate is None:
        print(f"updates: {updates:,}; GPU-hours: not measured; give --tokens-per-second")
    else:
        hours = updates * tokens / rate / 3600
        print(
            f"updates: {updates:,}; GPU-hours: {hours:,.0f} at {rate:,.0f} tokens per second of one GPU; "
            f"{hours / args.gpus / 24:,.1f} days on {args.gpus}, if they share the work without loss"
        )
    kept = CHECKPOINTS + (updates // recipe.all_kept if updates and recipe.all_kept else 1)
    # float32 weights, Adam's two moments of each, and those of copies
    print(f"checkpoints: {kept} x {MILLION_PARAMETERS[recipe.size] * (12 + 4 * recipe.copies) / 1000:.1f} GB")
    if args.text_gb is not None:
        # ids have 4 bytes for some 4 bytes of text each
        print(
            f"texts and data-bin: {args.text_gb * 2.4:,.0f} GB: text, archives (0.4 of it), ids (as much as the text)"
        )


if __name__ == "__main__":
    sys.exit(exit_code(main))
