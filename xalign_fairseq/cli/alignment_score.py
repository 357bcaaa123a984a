"""Score word translation by input embeddings.

Prints how many words of a lexicon have a translation as nearest neighbour (ALIGN-MLM, Tang et al. 2022). Similarity is
the cosine of input embeddings; a word of several subwords is their mean. Candidates are all target entries of the
lexicon. Training and held-out entries are scored separately, each with a bootstrap interval over source words. The
lexicons are those stored in each checkpoint, or those of --data.

Examples:
  xalign alignment-score --model align.pt
  xalign alignment-score --model MLM=mlm.pt --model ALIGN=align.pt --data data-bin
"""

import argparse
from typing import Any

from xalign_fairseq.cli._arguments import add_json, add_model, add_resamples, named_models, print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, several=True, metavar="[NAME=]MODEL")
    parser.add_argument("--data", metavar="DATA_BIN", help="use the lexicons of this data-bin")
    add_resamples(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.evaluation.lexicon_alignment import score_checkpoints

    rows = score_checkpoints(named_models(args.model), args.data, samples=args.samples, seed=args.seed)
    print_result(args.json, rows, (f"{row['checkpoint']} {row['pair']}: {row_text(row)}" for row in rows))


def row_text(row: dict[str, Any]) -> str:
    """A part's score, for people."""
    interval = f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{row['part']} {100 * row['score']:.1f} {interval}, {row['words']} words among {row['candidates']}"
