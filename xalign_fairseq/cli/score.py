"""Score links against gold links: AER, precision, recall, F1.

Both files hold Pharaoh links, one line per sentence pair: i-j sure, ipj possible, 0-based. Possible links of a
hypothesis count as links. Gold may also use the format of the shared tasks: one link per line (pair i j S or P, all
from 1). A Pharaoh file that looks 1-based is an error; set --hyp-index-base or --gold-index-base to read it as 1-based
or as 0-based.

Example:
  xalign score --hyp test.align --gold test.gold --bootstrap 1000
"""

import argparse
from collections.abc import Iterator
from typing import Any

from xalign_fairseq.cli._arguments import add_json, parse_as, print_result
from xalign_fairseq.core.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hyp", required=True, metavar="FILE", help="links to score")
    parser.add_argument("--gold", required=True, metavar="FILE", help="gold links, sure and possible")
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


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.evaluation.link_scores import LinkFilesToScore, score_files

    if (args.src is None) != (args.tgt is None):
        raise XalignError("only one side of the text is given", parameter=("src", "tgt"), expected="both or neither")
    result = score_files(parse_as(LinkFilesToScore, args, text=(args.src, args.tgt) if args.src else None))
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
