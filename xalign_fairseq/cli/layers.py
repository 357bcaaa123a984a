"""Find the layer, method and options of the lowest AER.

Layers, methods, their options and encodings are compared on development sets, and the best is printed as a line to
paste. Everything is compared in one call, with one pass of the encoder over the text for each encoding. AER is the mean
over the sets, each of which counts the same. A paired bootstrap over their sentences says how certain the best is.

Give it development sets, never the test set. A model that labelled itself in training is compared by its own method
unless --method is given; any other by transport, argmax, itermax, softmax and grow, in both encodings.

Examples:
  xalign layers --model checkpoint_best.pt --src dev.en --tgt dev.de --gold dev.gold --filter itermax argmax
  xalign layers --model e5-small --set a.en a.de a.gold --set b.en b.hi b.gold --average 2 3 --json > all.json
"""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import (
    METHOD_HELP,
    METHODS,
    PLAN_FILTERS,
    add_model_arguments,
    add_text_arguments,
    layer_list,
    load_aligner,
    open_pairs,
    positive,
    progress_bar,
    read_fitting_gold,
    require_links,
    show_log,
    take_packaged,
)
from xalign_fairseq.cli._arguments import add_json, print_result
from xalign_fairseq.cli._compared import METHODS as COMPARED_METHODS
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.neural.sweep import GoldPairs, Trial
    from xalign_fairseq.links.bootstrap import PairedTest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign layers``."""
    add_text_arguments(parser)
    parser.add_argument("--gold", metavar="FILE", help="gold links of this text: i-j sure, ipj possible, 0-based")
    parser.add_argument(
        "--set",
        nargs=3,
        action="append",
        metavar=("SRC", "TGT", "GOLD"),
        help="a development set, instead of this text or beside it; repeat it for each",
    )
    parser.add_argument(
        "--method",
        nargs="+",
        choices=METHODS,
        help=f"{METHOD_HELP} (default: the model's own if it labelled itself, else {', '.join(COMPARED_METHODS)})",
    )
    parser.add_argument(
        "--filter",
        nargs="+",
        choices=PLAN_FILTERS,
        help="from plan to links, for transport and ot-unbalanced (default: itermax, argmax and the model's own)",
    )
    parser.add_argument(
        "--layer",
        nargs="+",
        type=layer_list,
        metavar="L",
        help="layers to compare, or several that are averaged, as 6-8 (default: all, from 0, the embeddings; of a "
        "pointer its own)",
    )
    parser.add_argument(
        "--average", nargs="+", type=positive, metavar="N", help="compare also the means of so many neighbouring layers"
    )
    parser.add_argument(
        "--best", type=positive, default=10, metavar="N", help="settings to print (default: %(default)s)"
    )
    add_json(parser)
    parser.add_argument(
        "--plot", metavar="FILE", help="draw AER over layers, as PNG or SVG by the ending (needs matplotlib)"
    )
    add_model_arguments(parser, several=True)


def run(args: argparse.Namespace) -> None:
    """Score, print the tables and write what was asked for."""
    from xalign_fairseq.aligner.neural.sweep import try_settings
    from xalign_fairseq.cli._compared import compared_settings

    sets = development_sets(args)
    take_packaged(args)
    check_places(args)
    show_log(args.quiet)
    aligner = _load(args)
    settings = compared_settings(args, aligner)
    total = sum(len(text.pairs) for text in sets) * len({setting.encoding for setting in settings})
    with progress_bar(total, args.quiet) as progress:
        trials = try_settings(aligner, sets, settings, progress)
    # The lowest AER; of equal ones the first, that is the lowest layer.
    order = sorted(trials, key=lambda trial: trial.aer)
    rows = {id(trial): row_of(trial, aligner, sets) for trial in trials}
    ranked = [rows[id(trial)] for trial in order]
    runner_up = compared_to_runner_up(order)
    command = paste(args, order[0], aligner)
    if args.json:
        print_result(True, described(args, sets, list(rows.values()), ranked, runner_up, command), ())
    else:
        if not args.quiet:
            pairs = sum(len(text.pairs) for text in sets)
            print(f"{len(settings)} settings on {pairs} pairs of {len(sets)} set{'s' * (len(sets) > 1)}")
        print_table(ranked[: args.best])
        print_layers(ranked)
        print_certainty(runner_up)
        print(f"{ranked[0]['signature']}\n{command}")
    if args.plot:
        from xalign_fairseq.evaluation.plots.layers import curves_by_method, plot_layers

        plot_layers(curves_by_method(list(rows.values())), args.plot)


def check_places(args: argparse.Namespace) -> None:
    """That what is to be written can be, and replaces nothing that is read."""
    from xalign_fairseq.core.files import require_place
    from xalign_fairseq.core.text.containers import file_of

    read = [args.src, args.tgt, args.pairs, *(each for one in args.set or () for each in one)]
    inputs = [*map(file_of, filter(None, read)), *filter(None, (args.gold, args.model, args.dict, args.spm))]
    if args.plot:
        from xalign_fairseq.evaluation.plots.figure import check_picture

        check_picture(args.plot)
        require_place(args.plot, inputs)


def development_sets(args: argparse.Namespace) -> "list[GoldPairs]":
    """The sets, whose links are checked against their texts; the gold file is the name of each."""
    from xalign_fairseq.aligner.neural.sweep import GoldPairs
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    texts = [(SentencePairs(src, tgt), gold) for src, tgt, gold in args.set or ()]
    if args.gold is not None:
        texts.insert(0, (open_pairs(args), args.gold))
    elif not texts or args.src or args.tgt or args.pairs:
        raise XalignError(
            "there is no gold to compare settings on",
            parameter="gold",
            remedy="give --gold FILE, or --set SRC TGT GOLD",
        )
    names = [gold for _, gold in texts]
    if len(set(names)) < len(names):
        raise XalignError("a set is given twice", parameter="set", found=", ".join(names))
    sets = [GoldPairs(gold, list(pairs), read_fitting_gold(gold, pairs)) for pairs, gold in texts]
    for each in sets:
        require_links(each.golds, each.name)
    return sets


def _load(args: argparse.Namespace) -> "Aligner":
    """The model, with what is said of all settings."""
    method = args.method[0] if args.method else None
    one = {**vars(args), "encoding": None}
    if args.encoding and len(args.encoding) == 1:
        one["encoding"] = args.encoding[0]
    here = argparse.Namespace(**one)
    return load_aligner(here, None, method)


def row_of(trial: "Trial", aligner: "Aligner", sets: "Sequence[GoldPairs]") -> dict[str, Any]:
    """Fractions of a setting, means over the sets; ``links`` is their number in all."""
    from xalign_fairseq.transport.methods import method_label

    setting, totals = trial.setting, trial.totals()
    means = {key: sum(getattr(total, key) for total in totals) / len(totals) for key in ("precision", "recall", "f1")}
    return {
        "layer": setting.layers[0] if len(setting.layers) == 1 else list(setting.layers),
        "method": method_label(setting.method),
        "encoding": setting.encoding,
        "options": shlex.join(setting.options()),
        "aer": trial.aer,
        **means,
        "links": sum(total.links for total in totals),
        "sets": {text.name: total.aer for text, total in zip(sets, totals, strict=True)},
        "signature": aligner.signature(setting),
    }


def compared_to_runner_up(order: "Sequence[Trial]") -> "PairedTest | None":
    """The runner-up against the best; None where there is but one setting."""
    from xalign_fairseq.links.bootstrap import paired_bootstrap_of_sets

    return paired_bootstrap_of_sets(order[0].counts(), order[1].counts()) if len(order) > 1 else None


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """The best settings, a line each."""
    print(f"{'AER':>6}  {'P':>6}  {'R':>6}  {'F1':>6}  {'links':>8}  options")
    for row in rows:
        shares = "  ".join(f"{100 * row[key]:6.2f}" for key in ("aer", "precision", "recall", "f1"))
        print(f"{shares}  {row['links']:>8}  {row['options']}")


def print_layers(ranked: Sequence[Mapping[str, Any]]) -> None:
    """The best setting of each layer, where there are several."""
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
    """How much worse the runner-up is, and whether that may be chance."""
    if test is not None:
        known = "significant at 0.05" if test.p_value < 0.05 else "which may be chance"
        print(
            f"the second is worse by {100 * test.difference:.2f} (95 %: {100 * test.low:.2f} to "
            f"{100 * test.high:.2f}), p = {test.p_value:.3f}: {known}"
        )


def paste(args: argparse.Namespace, best: "Trial", aligner: "Aligner") -> str:
    """The command that aligns so."""
    words = ["xalign", "align", "--model", args.model]
    for option in ("dict", "spm"):
        words += [f"--{option}", getattr(args, option)] if getattr(args, option) else []
    for option in ("languages", "maps"):
        words += [f"--{option}", "-".join(getattr(args, option))] if getattr(args, option) else []
    if aligner.similarity == "pointer" or args.similarity or aligner.origin == "itself":
        words += ["--similarity", aligner.similarity]
    if args.dtype != "auto":
        words += ["--dtype", args.dtype]
    return shlex.join([*words, *best.setting.options(), "--src", "FILE", "--tgt", "FILE", "--out", "FILE.links"])


def described(
    args: argparse.Namespace,
    sets: "Sequence[GoldPairs]",
    rows: Sequence[Mapping[str, Any]],
    ranked: Sequence[Mapping[str, Any]],
    runner_up: "PairedTest | None",
    command: str,
) -> dict[str, Any]:
    """Fractions with their signatures, and the files that they come from."""
    import dataclasses

    texts = {key: getattr(args, key) for key in ("src", "tgt", "pairs", "gold") if getattr(args, key)}
    files = {"checkpoint": args.model, **texts}
    test = None if runner_up is None else {"options": ranked[1]["options"], **dataclasses.asdict(runner_up)}
    pairs = {text.name: len(text.pairs) for text in sets}
    content = {"best": ranked[0], "runner_up": test, "align": command}
    return {**content, "rows": rows, "sets": pairs, "files": files}
