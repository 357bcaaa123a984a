"""Find the layer, method and options with the lowest AER.

Compares layers, methods, their options and encodings on development sets (never on the test set), and prints the best
setting as a command line to paste. The encoder reads the text once per encoding. AER is the mean over the sets, each
with the same weight. A paired bootstrap over sentences shows how certain the best setting is.

Without --method, a model with a stored method is compared only by that method; other models by transport, argmax,
itermax, softmax and grow, in both encodings.

Examples:
  xalign layers --model checkpoint_best.pt --src dev.en --tgt dev.de --gold dev.gold --filter itermax argmax
  xalign layers --model e5-small --set a.en a.de a.gold --set b.en b.hi b.gold --average 2 3 --json > all.json
"""

import argparse
import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import (
    METHOD_HELP,
    METHODS,
    PLAN_FILTERS,
    add_model_arguments,
    add_text_arguments,
    chosen_model,
    layer_list,
    method_options,
    parse_options,
    show_log,
    text_files,
)
from xalign_fairseq.cli._arguments import add_count, add_json, positive, print_result
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.names import COMPARED_METHODS

if TYPE_CHECKING:
    from xalign_fairseq.aligner.neural.comparison import LinkingComparison, Trial
    from xalign_fairseq.aligner.options import AlignerOptions
    from xalign_fairseq.links.bootstrap import PairedTest
    from xalign_fairseq.transport.linking import Linking


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser)
    parser.add_argument("--gold", metavar="FILE", help="gold links of this text: i-j sure, ipj possible, 0-based")
    parser.add_argument(
        "--set",
        nargs=3,
        action="append",
        metavar=("SRC", "TGT", "GOLD"),
        help="development set; repeatable, alone or with --src, --tgt and --gold",
    )
    parser.add_argument(
        "--method",
        nargs="+",
        choices=METHODS,
        help=f"{METHOD_HELP} (default: the one stored in the model, otherwise {', '.join(COMPARED_METHODS)})",
    )
    parser.add_argument(
        "--filter",
        nargs="+",
        choices=PLAN_FILTERS,
        help="from plan to links, for transport (default: itermax, argmax and the model's own)",
    )
    parser.add_argument(
        "--layer",
        nargs="+",
        type=layer_list,
        metavar="L",
        help="layers to compare; 6-8 is the mean of three (default: all; 0: the embeddings; for a pointer its own)",
    )
    parser.add_argument(
        "--average", nargs="+", type=positive, metavar="N", help="also compare means of N neighbouring layers"
    )
    add_count(parser, "--best", "settings to print", default=10)
    add_json(parser)
    add_model_arguments(parser, several=True)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.aligner.neural.comparison import VARIED, Grid, compare_linkings, read_sets
    from xalign_fairseq.transport.linking import Linking

    texts: list[tuple[tuple[str, ...], str]] = [((src, tgt), gold) for src, tgt, gold in args.set or ()]
    if args.gold is not None:
        texts.insert(0, (text_files(args.text, args.src, args.tgt, args.pairs), args.gold))
    elif not texts or args.text or args.src or args.tgt or args.pairs:
        raise XalignError(
            "there are no gold links to compare settings on",
            parameter="gold",
            remedy="give SRC TGT --gold FILE, or --set SRC TGT GOLD",
        )
    sets = read_sets(texts)
    model = chosen_model(args.model, args.quiet)
    given = method_options(vars(args))
    # The common part of all settings; with several methods, the first.
    encoding = args.encoding[0] if args.encoding and len(args.encoding) == 1 else ""
    common = Linking(args.method[0] if args.method else "", similarity=args.similarity or "", encoding=encoding)
    options = parse_options(args, common)
    grid = Grid(
        args.layer or (),
        args.average or (),
        args.method or (),
        args.encoding or (),
        {name: value for name, value in given.items() if name in VARIED},
        {name: value for name, value in given.items() if name not in VARIED},
    )
    show_log(args.quiet)
    found = compare_linkings(model, options, sets, grid, args.quiet)
    rows = {id(trial): row_of(trial, found) for trial in found.trials}
    ranked = [rows[id(trial)] for trial in found.ranked]
    command = paste(model, options, found)
    if args.json:
        files = {key: path for key in ("src", "tgt", "pairs", "gold") if (path := getattr(args, key))}
        test = found.runner_up and {"options": ranked[1]["options"], **dataclasses.asdict(found.runner_up)}
        content = {"best": ranked[0], "runner_up": test, "align": command, "rows": list(rows.values())}
        content |= {"sets": {text.name: len(text.pairs) for text in found.sets}}
        print_result(True, {**content, "files": {"checkpoint": model, **files}}, ())
    else:
        if not args.quiet:
            pairs = sum(len(text.pairs) for text in sets)
            print(f"{counted(len(rows), 'setting')} on {counted(pairs, 'pair')} of {counted(len(sets), 'set')}")
        print_table(ranked[: args.best])
        print_layers(ranked)
        print_certainty(found.runner_up)
        print(f"{ranked[0]['signature']}\n{command}")


def align_words(linking: "Linking") -> list[str]:
    """The options of ``xalign align`` for a linking."""
    return [word for name, value in linking.arguments().items() for word in (f"--{name}", value)]


def row_of(trial: "Trial", found: "LinkingComparison") -> dict[str, Any]:
    """A linking's scores as fractions, means over the sets; ``links`` is the total number of links."""
    from xalign_fairseq.transport.methods import method_label

    linking, totals = trial.linking, trial.totals()
    means = {key: sum(getattr(total, key) for total in totals) / len(totals) for key in ("precision", "recall", "f1")}
    return {
        "layer": linking.layers[0] if len(linking.layers) == 1 else list(linking.layers),
        "method": method_label(linking.finder),
        "encoding": linking.encoding,
        "options": shlex.join(align_words(linking)),
        "aer": trial.aer,
        **means,
        "links": sum(total.links for total in totals),
        "sets": {text.name: total.aer for text, total in zip(found.sets, totals, strict=True)},
        "signature": found.aligner.signature(linking),
    }


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """The best settings, one per line."""
    print(f"{'AER':>6}  {'P':>6}  {'R':>6}  {'F1':>6}  {'links':>8}  options")
    for row in rows:
        shares = "  ".join(f"{100 * row[key]:6.2f}" for key in ("aer", "precision", "recall", "f1"))
        print(f"{shares}  {row['links']:>8}  {row['options']}")


def print_layers(ranked: Sequence[Mapping[str, Any]]) -> None:
    """The best setting of each layer, if there are several layers."""
    best: dict[int, Mapping[str, Any]] = {}
    for row in ranked:
        if isinstance(row["layer"], int):
            best.setdefault(row["layer"], row)
    if len(best) > 1:
        print(f"\n{'layer':>5}  {'AER':>6}  its best options")
        for layer, row in sorted(best.items()):
            print(f"{layer:>5}  {100 * row['aer']:6.2f}  {row['options']}")
    print()


def print_certainty(test: "PairedTest | None") -> None:
    """The difference between the best and the second setting, and its significance."""
    if test is not None:
        known = "significant at 0.05" if test.p_value < 0.05 else "this may be chance"
        print(
            f"the second has {100 * test.difference:.2f} points more AER (95 %: {100 * test.low:.2f} to "
            f"{100 * test.high:.2f}), p = {test.p_value:.3f}: {known}"
        )


def paste(model: str, options: "AlignerOptions", found: "LinkingComparison") -> str:
    """The command for the best links."""
    words = ["xalign", "align", "--model", model]
    languages = "-".join(options.languages or ())
    words += ["--maps" if options.maps else "--languages", languages] if languages else []
    own = found.aligner.linking
    if options.linking.similarity or own.origin == "itself":
        words += ["--similarity", own.similarity]
    if options.dtype != "auto":
        words += ["--dtype", options.dtype]
    best = align_words(found.ranked[0].linking)
    return shlex.join([*words, *best, "--src", "FILE", "--tgt", "FILE", "--out", "FILE.links"])
