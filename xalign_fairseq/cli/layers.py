"""AER of every layer and filter on a development set, from one pass over it.

Use it to choose --layer and --filter of xalign align on a development set, never on the test set.

Example:
  xalign layers --checkpoint checkpoint_best.pt --src dev.en --tgt dev.de --gold dev.gold --filter itermax argmax
"""

import argparse
from typing import Any

from xalign_fairseq.cli._aligning import (
    PLAN_FILTERS,
    add_model_arguments,
    add_text_arguments,
    link_options,
    load_aligner,
    open_pairs,
    progress_bar,
    read_fitting_gold,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign layers``."""
    add_text_arguments(parser)
    parser.add_argument("--gold", required=True, metavar="FILE", help="gold links: i-j sure, ipj possible, 0-based")
    parser.add_argument(
        "--filter", nargs="+", choices=PLAN_FILTERS, default=["itermax", "argmax"], help="default: itermax argmax"
    )
    parser.add_argument(
        "--layer",
        nargs="+",
        type=int,
        metavar="L",
        help="layers to compare (default: all, from 0, the embeddings; of a pointer its own)",
    )
    parser.add_argument("--json", metavar="FILE", help="write the table and its best entry as JSON")
    parser.add_argument("--plot", metavar="PNG", help="draw AER over layers (needs matplotlib)")
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Score, print the table and write what was asked for."""
    from xalign_fairseq.alignment.aer import score
    from xalign_fairseq.alignment.signature import score_signature

    pairs = open_pairs(args)
    golds = read_fitting_gold(args.gold, pairs)
    if args.plot:
        from xalign_fairseq.plots.figure import require_matplotlib

        require_matplotlib()
    aligner = load_aligner(args)
    config = aligner.encoder.config
    # A pointer means something at the layer that it was trained on, and nowhere else.
    default = range(config.encoder_layers + 1) if aligner.similarity == "hidden" else [aligner.layer]
    layers = [config.resolve_layer(layer, "--layer") for layer in args.layer or default]
    settings = [(layer, filter) for layer in layers for filter in dict.fromkeys(args.filter)]
    with progress_bar(len(pairs), args.quiet) as progress:
        swept = aligner.sweep(pairs, [(layer, link_options(args, filter)) for layer, filter in settings], progress)
        links = [[set(alignment.links) for alignment in pair] for pair in swept]
    rows = []
    for (layer, filter), hyps in zip(settings, zip(*links, strict=True), strict=True):
        result = score(hyps, golds)
        figures = {key: getattr(result, key) for key in ("aer", "precision", "recall", "f1", "links")}
        signature = score_signature(
            layer=layer,
            options=link_options(args, filter),
            similarity=aligner.similarity,
            encoding=aligner.pair_encoder.encoding,
            languages=aligner.pair_encoder.mapped,
            embedded=aligner.pair_encoder.embedded,
        )
        rows.append({"layer": layer, "method": filter, **figures, "signature": signature})
    # The lowest AER; of equal ones the first, that is the lowest layer.
    best = min(rows, key=lambda row: row["aer"])
    print_table(rows, best)
    if args.json:
        write_json(args, rows, best)
    if args.plot:
        from xalign_fairseq.plots.layers import curves_by_method, plot_layers

        plot_layers(curves_by_method(rows), args.plot)


def print_table(rows: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """A line per layer and filter; a star marks the lowest AER, whose signature follows."""
    print(f"{'layer':>5}  {'method':<13}  {'AER':>6}  {'P':>6}  {'R':>6}  {'F1':>6}  {'links':>8}")
    for row in rows:
        shares = "  ".join(f"{100 * row[key]:6.2f}" for key in ("aer", "precision", "recall", "f1"))
        star = "  *" if row is best else ""
        print(f"{row['layer']:>5}  {row['method']:<13}  {shares}  {row['links']:>8}{star}")
    print(f"* {best['signature']}")


def write_json(args: argparse.Namespace, rows: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """Fractions with their signatures, and the files that they come from."""
    import json

    from xalign_fairseq.files import atomic_write

    files = {key: getattr(args, key) for key in ("checkpoint", "src", "tgt", "pairs", "gold") if getattr(args, key)}
    content = {"best": best, "rows": rows, "files": files}
    with atomic_write(args.json) as out:
        out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
