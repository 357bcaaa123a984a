"""Compare the input embeddings of linked words.

Takes the 20 most frequent linked pairs of different words in a bitext (WEAM's Figure 2). Prints, for each checkpoint,
the mean cosine of linked words and of all other pairs of these words. A word's vector is the mean of its subword
embeddings. --plot draws the vectors' directions in two dimensions, one panel per checkpoint.

Example:
  xalign embeddings --model before.pt after.pt --src train.en --tgt train.de --links train.align --plot words.png
"""

import argparse
from typing import TYPE_CHECKING

from xalign_fairseq.cli._arguments import add_json, add_model, add_text, named_models, print_result
from xalign_fairseq.core.counts import counted
from xalign_fairseq.evaluation.plots import PROJECTIONS

if TYPE_CHECKING:
    from xalign_fairseq.evaluation.embedding_comparison import PairCount


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, several=True, metavar="[NAME=]MODEL")
    add_text(parser, "source sentences, words separated by spaces")
    parser.add_argument("--links", required=True, metavar="FILE", help="word links of the text, 0-based i-j")
    parser.add_argument(
        "--leave-out", metavar="FILE", help="words to ignore on both sides, such as stop words, one per line"
    )
    add_json(parser)
    parser.add_argument("--plot", metavar="PNG", help="draw the words (needs matplotlib)")
    parser.add_argument(
        "--projection",
        choices=PROJECTIONS,
        default="PCA",
        help="two principal components, or t-SNE as in the paper (needs scikit-learn) (default: PCA)",
    )


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.evaluation.embedding_comparison import compare_embeddings, draw_embeddings
    from xalign_fairseq.evaluation.plots.figure import check_picture

    if args.plot:
        check_picture(args.plot)
    found = count_pairs(args.src, args.tgt, args.links, args.leave_out)
    pairs = [pair for pair, _ in found]
    compared = compare_embeddings(named_models(args.model), pairs)
    listed = ", ".join(f"{src}-{tgt} ({count})" for (src, tgt), count in found)
    files = {"src": args.src, "tgt": args.tgt, "links": args.links, "leave_out": args.leave_out}
    content = {
        "pairs": [{"src": src, "tgt": tgt, "count": count} for (src, tgt), count in found],
        "checkpoints": [{key: getattr(each, key) for key in ("checkpoint", "cosine", "others")} for each in compared],
        "files": {key: path for key, path in files.items() if path},
    }
    lines = [f"{counted(len(pairs), 'pair')}: {listed}", *(f"{each.checkpoint}: {each.text()}" for each in compared)]
    print_result(args.json, content, lines)
    if args.plot:
        draw_embeddings(compared, pairs, args.plot, args.projection)


def count_pairs(src: str, tgt: str, links: str, leave_out: str | None) -> "list[PairCount]":
    """The most frequent linked pairs; in a line with sure links, only these count."""
    from xalign_fairseq.core.text.lines import read_lines
    from xalign_fairseq.evaluation.embedding_comparison import frequent_pairs
    from xalign_fairseq.links.gold import read_gold_text

    words = {line.strip().lower() for line in read_lines(leave_out)} if leave_out else set()
    pairs, golds = read_gold_text(src, tgt, links, needs_links=False)
    return frequent_pairs(pairs, (gold.sure or gold.possible for gold in golds), words)
