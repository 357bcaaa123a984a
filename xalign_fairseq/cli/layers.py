"""AER of every layer, method and filter on a development set, from one pass over it.

Use it to choose --layer, --method and --filter of xalign align on a development set, never on the test set. Methods are
compared on one encoding of the pairs, that of the first unless --encoding says otherwise.

Example:
  xalign layers --checkpoint checkpoint_best.pt --src dev.en --tgt dev.de --gold dev.gold --filter itermax argmax
"""

import argparse
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import (
    METHOD_HELP,
    METHODS,
    PLAN_FILTERS,
    add_model_arguments,
    add_text_arguments,
    load_aligner,
    method_options,
    open_pairs,
    progress_bar,
    read_fitting_gold,
    show_log,
)
from xalign_fairseq.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.transport.methods import Method

FILTERS = ("itermax", "argmax")  # that are compared unless others are given


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign layers``."""
    add_text_arguments(parser)
    parser.add_argument("--gold", required=True, metavar="FILE", help="gold links: i-j sure, ipj possible, 0-based")
    parser.add_argument("--method", nargs="+", choices=METHODS, help=METHOD_HELP)
    parser.add_argument(
        "--filter",
        nargs="+",
        choices=PLAN_FILTERS,
        help="from plan to links, for transport and ot-unbalanced (default: itermax, argmax and the model's own)",
    )
    parser.add_argument(
        "--layer",
        nargs="+",
        type=int,
        metavar="L",
        help="layers to compare (default: all, from 0, the embeddings; of a pointer its own)",
    )
    parser.add_argument("--json", metavar="FILE", help="write the table and its best entry as JSON")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw AER over layers, as PNG or SVG by the ending (needs matplotlib)"
    )
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Score, print the table and write what was asked for."""
    from xalign_fairseq.aligner.sweep import sweep_links
    from xalign_fairseq.evaluation.signature import score_signature
    from xalign_fairseq.links.aer import score
    from xalign_fairseq.transport.methods import method_label

    methods = compared_methods(args)
    pairs = open_pairs(args)
    golds = read_fitting_gold(args.gold, pairs)
    if args.plot:
        from xalign_fairseq.plots.figure import check_picture

        check_picture(args.plot)
    show_log(args.quiet)
    aligner = load_aligner(args, None, methods[0] if methods else None, method_options(args))
    methods = methods or own_methods(args, aligner.method)
    config = aligner.encoder.config
    # A pointer means something at the layer that it was trained on, and nowhere else.
    default = range(config.encoder_layers + 1) if aligner.similarity == "hidden" else aligner.layers
    layers = [config.resolve_layer(layer, "--layer") for layer in args.layer or default]
    settings = [(layer, method) for layer in layers for method in methods]
    with progress_bar(len(pairs), args.quiet) as progress:
        links = sweep_links(aligner, pairs, settings, progress)
    rows = []
    for (layer, method), hyps in zip(settings, links, strict=True):
        result = score(hyps, golds)
        figures = {key: getattr(result, key) for key in ("aer", "precision", "recall", "f1", "links")}
        signature = score_signature(
            layer=layer,
            method=method,
            similarity=aligner.similarity,
            encoding=aligner.pair_encoder.encoding,
            languages=aligner.pair_encoder.mapped,
            embedded=aligner.pair_encoder.embedded,
        )
        rows.append({"layer": layer, "method": method_label(method), **figures, "signature": signature})
    # The lowest AER; of equal ones the first, that is the lowest layer.
    best = min(rows, key=lambda row: row["aer"])
    print_table(rows, best)
    if args.json:
        write_json(args, rows, best)
    if args.plot:
        from xalign_fairseq.plots.layers import curves_by_method, plot_layers

        plot_layers(curves_by_method(rows), args.plot)


def compared_methods(args: argparse.Namespace) -> "list[Method]":
    """Each method that is named with each filter, where it has filters, and with the options given that it has."""
    from xalign_fairseq.transport import methods

    given = method_options(args)
    found: list[Method] = []
    used: set[str] = set()
    for name in dict.fromkeys(args.method or ()):
        known = methods.METHODS[name].options
        options = {option: value for option, value in given.items() if option in known}
        used |= options.keys()
        for filter in dict.fromkeys(args.filter or FILTERS) if "filter" in known else [None]:
            found.append(methods.make_method(name, filter=filter, **options))
    for option in given.keys() - used if found else ():
        raise XalignError(
            "none of the methods has use for an option", where=f"--{option}", found=", ".join(args.method)
        )
    return found


def own_methods(args: argparse.Namespace, own: "Method") -> "list[Method]":
    """The model's own method, with its own filter and the usual ones, or those given."""
    from xalign_fairseq.transport.methods import with_options

    filter = own.describe().get("filter")
    if filter is None:
        return [own]
    return [with_options(own, filter=each) for each in dict.fromkeys(args.filter or (filter, *FILTERS))]


def print_table(rows: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """A line per layer and method; a star marks the lowest AER, whose signature follows."""
    print(f"{'layer':>5}  {'method':<21}  {'AER':>6}  {'P':>6}  {'R':>6}  {'F1':>6}  {'links':>8}")
    for row in rows:
        shares = "  ".join(f"{100 * row[key]:6.2f}" for key in ("aer", "precision", "recall", "f1"))
        star = "  *" if row is best else ""
        print(f"{row['layer']:>5}  {row['method']:<21}  {shares}  {row['links']:>8}{star}")
    print(f"* {best['signature']}")


def write_json(args: argparse.Namespace, rows: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """Fractions with their signatures, and the files that they come from."""
    import json

    from xalign_fairseq.files import atomic_write

    files = {key: getattr(args, key) for key in ("checkpoint", "src", "tgt", "pairs", "gold") if getattr(args, key)}
    content = {"best": best, "rows": rows, "files": files}
    with atomic_write(args.json) as out:
        out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
