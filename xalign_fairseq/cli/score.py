"""Score links against gold links: AER, precision, recall, F1.

Both files hold Pharaoh links, one line per sentence pair: i-j sure, ipj possible, 0-based. Possible links of a
hypothesis count as links. Gold may also use the format of the shared tasks: one link per line (pair i j S or P, all
from 1). A Pharaoh file that looks 1-based is an error; set --hyp-index-base or --gold-index-base to read it as 1-based
or as 0-based.

--layers draws the AER of each layer for several checkpoints, from the output of xalign layers --json.

Examples:
  xalign score --hyp test.align --gold test.gold --bootstrap 1000
  xalign score --plot layers.svg --layers XLM-R=xlmr.json XLM-Align=xlm_align.json
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from typing import Any

from xalign_fairseq.cli._arguments import add_json, print_result
from xalign_fairseq.core.errors import XalignError

OF_LINKS = ("hyp", "gold", "src", "tgt", "compare", "bootstrap", "hyp_index_base", "gold_index_base", "system")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``xalign score``."""
    parser.add_argument("--hyp", metavar="FILE", help="links to score")
    parser.add_argument("--gold", metavar="FILE", help="gold links, sure and possible")
    add_json(parser)
    parser.add_argument("--src", metavar="FILE", help="tokenised source text; every index is checked against it")
    parser.add_argument("--tgt", metavar="FILE", help="tokenised target text; required with --src")
    parser.add_argument(
        "--compare", metavar="FILE", help="second hypothesis: test the difference of AER with a paired bootstrap"
    )
    parser.add_argument("--bootstrap", type=int, default=0, metavar="N", help="print 95%% intervals from N resamples")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the resamples (default: 1)")
    for name in ("hyp", "gold"):
        parser.add_argument(
            f"--{name}-index-base",
            type=int,
            choices=(0, 1),
            help=f"index of the first token in the {name} file (default: 0, and an error if it looks 1-based)",
        )
    parser.add_argument(
        "--system", metavar="TEXT", help="how the links were made (layer, method, mu, ...), for the signature"
    )
    layers = parser.add_argument_group("AER over layers of several checkpoints (needs matplotlib)")
    layers.add_argument(
        "--layers",
        nargs="+",
        type=named_file,
        metavar="NAME=JSON",
        help="output of xalign layers --json for each checkpoint",
    )
    layers.add_argument("--plot", metavar="FILE", help="picture to draw: PNG, SVG or PDF")


def run(args: argparse.Namespace) -> None:
    """Score links, or draw what was scored before."""
    if args.layers or args.plot:
        of_links = [option for option in OF_LINKS if getattr(args, option) not in (None, 0)]
        compare_layers(args.layers, args.plot, args.json, of_links)
        return
    from xalign_fairseq.evaluation.link_scores import LinkFilesToScore, score_files

    if args.hyp is None or args.gold is None:
        raise XalignError(
            "there is nothing to score",
            parameter="hyp" if args.hyp is None else "gold",
            expected="--hyp FILE --gold FILE, or --plot FILE --layers NAME=JSON ...",
        )
    if (args.src is None) != (args.tgt is None):
        raise XalignError("only one side of the text is given", parameter=("src", "tgt"), expected="both or neither")
    files = LinkFilesToScore(
        args.hyp,
        args.gold,
        (args.src, args.tgt) if args.src else None,
        compare=args.compare,
        bootstrap=args.bootstrap,
        seed=args.seed,
        hyp_index_base=args.hyp_index_base,
        gold_index_base=args.gold_index_base,
        system=args.system,
    )
    result = score_files(files)
    print_result(args.json, result, result_lines(result))


def result_lines(result: dict[str, Any]) -> Iterator[str]:
    """Percentages for people."""
    from xalign_fairseq.evaluation.link_scores import METRICS

    for name in METRICS:
        low_high = result.get("interval", {}).get(name)
        interval = f"  [{100 * low_high[0]:.2f}, {100 * low_high[1]:.2f}]" if low_high else ""
        yield f"{name:<10}{100 * result[name]:6.2f}{interval}"
    yield f"{'links':<10}{result['links']} ({result['sure']} sure gold links, {result['sentences']} sentence pairs)"
    if "compare" in result:
        other = result["compare"]
        low, high = other["aer_difference_interval"]
        yield (
            f"compared: aer {100 * other['aer']:.2f}, difference {100 * other['aer_difference']:+.2f} "
            f"[{100 * low:+.2f}, {100 * high:+.2f}], p = {other['p_value']:.4f} ({other['samples']} resamples)"
        )
    yield result["signature"]


def compare_layers(layers: Sequence[tuple[str, str]], plot: str | None, as_json: bool, of_links: list[str]) -> None:
    """Draw the curves, and print the lowest point of each."""
    from xalign_fairseq.evaluation.plots.layers import plot_layers

    if of_links or not layers or not plot:
        raise XalignError(
            "comparing layers takes a picture and curves, not links",
            parameter=("plot", "layers"),
            found=", ".join(f"--{option.replace('_', '-')}" for option in of_links) or None,
            expected="--plot FILE --layers NAME=JSON ..., without --hyp, --gold and their options",
        )
    curves = read_curves(layers)
    plot_layers(curves, plot)
    width = max(map(len, curves))
    best = {name: min(points, key=lambda point: (point[1], point[0])) for name, points in curves.items()}
    lines = [f"{name:<{width}}  {100 * aer:6.2f} at layer {layer}" for name, (layer, aer) in best.items()]
    print_result(as_json, {name: {"layer": layer, "aer": aer} for name, (layer, aer) in best.items()}, lines)


def read_curves(files: Sequence[tuple[str, str]]) -> "dict[str, Sequence[tuple[int, float]]]":
    """The curves of every file, under the names given to them."""
    from xalign_fairseq.core.json_files import read_json
    from xalign_fairseq.evaluation.plots.layers import curves_by_method

    curves: dict[str, Sequence[tuple[int, float]]] = {}
    for name, path in files:
        try:
            found = curves_by_method(read_json(path)["rows"], name)
            points = [each for curve in found.values() for each in curve]
            whole = all(isinstance(each, int | float) and math.isfinite(each) for point in points for each in point)
        except (AttributeError, KeyError, TypeError):
            found, whole = {}, False
        if not (found and whole):
            raise XalignError(
                "the file has no layers",
                where=path,
                expected="what xalign layers wrote",
                remedy="xalign layers ... --json > FILE",
            )
        if found.keys() & curves.keys():
            raise XalignError("two files have the same name", parameter="layers", found=name)
        curves.update(found)
    return curves


def named_file(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if not name or not path:
        raise argparse.ArgumentTypeError("must be NAME=FILE")
    return name, path
