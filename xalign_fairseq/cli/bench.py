"""Score models and methods on all test sets of a folder.

--data is a folder. For each test set it holds, at any depth, S-T.gold (gold links), S-T.S and S-T.T (words separated by
spaces), for example de-en.gold, de-en.de and de-en.en. Most gold alignments cannot be redistributed;
examples/xlm_align/0_download.sh downloads those of XLM-Align's Table 2.

Each model uses the layer and encoding stored in it, otherwise its family's. --links adds the links of other
tools. The mean gives each set the same weight. Each system is tested against the first, by a paired bootstrap over the
sentences of all sets with Holm's correction. A signature records how each system's links were made, the text
and the gold links.

Examples:
  xalign bench --data gold
  xalign bench --data gold --model e5=e5-small --model mine=run --method own softmax itermax --out bench.md
  xalign bench --data gold --model xlmr.base --links eflomal=links/eflomal --json > bench.json
  xalign bench --data gold --model xlmr=xlmr.base --paper xlm_align --row xlmr="Optimal Transport, XLM-R"
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import show_log
from xalign_fairseq.cli._arguments import (
    PRETRAINED,
    add_device,
    add_json,
    add_model,
    add_paper,
    add_resamples,
    chosen_paper,
    named_models,
    parse_as,
    print_result,
)
from xalign_fairseq.core.devices import DTYPES
from xalign_fairseq.core.errors import check_values
from xalign_fairseq.core.files import atomic_write, require_place
from xalign_fairseq.core.output import require_replaceable
from xalign_fairseq.transport.names import METHODS, OWN

if TYPE_CHECKING:
    from xalign_fairseq.evaluation.published import Figure
    from xalign_fairseq.evaluation.tables import Table

KINDS = (".md", ".tex", ".json")
LINKING = ("layer", "encoding", "method")  # parts of signatures; a signature without an encoding means joint
AER = "alignment aer"  # its name in published figures
NOTE = (
    "AER in %, lower is better, its mean over the sets with a 95 % interval; mean precision and recall; p against the "
    "first system, Holm-corrected."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", required=True, metavar="FOLDER", help="folder of test sets")
    about = f"{PRETRAINED}; or an aligner of train-aligner; repeatable (default: e5-small, unless --links is given)"
    add_model(parser, about, required=False, several=True, metavar="[NAME=]MODEL")
    parser.add_argument(
        "--method",
        nargs="+",
        default=[OWN],
        choices=(OWN, *METHODS),
        help="methods to compare; own: the one stored in the model, otherwise its family's (default: own)",
    )
    parser.add_argument(
        "--links",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="links of another tool: FOLDER/SET.links for each set (Pharaoh, 0-based); repeatable",
    )
    add_resamples(parser)
    add_device(parser)
    parser.add_argument("--dtype", choices=DTYPES, default="auto", help="precision of the encoder")
    add_paper(parser)
    add_json(parser)
    parser.add_argument("-o", "--out", metavar="FILE", help="also write the table; .md, .tex or .json")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.aligner.benchmark import BenchmarkRun, run_benchmark
    from xalign_fairseq.core.locks import locked_output
    from xalign_fairseq.evaluation.tables import latex_file
    from xalign_fairseq.links.bootstrap import check_options

    check_options(args.samples, seed=args.seed)
    paper = chosen_paper(args.paper, args.row, [AER])
    models = named_models(args.model or ([] if args.links else ["e5-small"]))
    links = named_models(args.links, "links")
    benchmark = parse_as(BenchmarkRun, args, models=models, links=links, methods=args.method)
    show_log(quiet=True)
    if args.out:
        check_values("unknown table format", ("out", args.out, Path(args.out).suffix in KINDS, ", ".join(KINDS)))
        require_place(args.out)
        require_replaceable(args.out, "json" if args.out.endswith(".json") else "table")
    with locked_output(Path(args.out)) if args.out else nullcontext():
        result = run_benchmark(benchmark)
        table = table_of(result["systems"])
        text = "\n\n".join([table.to_markdown(), *([paper.to_markdown(figures_of(result))] if paper else [])])
        print_result(args.json, result, [text])
        if args.out:
            written = {".md": f"{text}\n", ".tex": latex_file([table]), ".json": json.dumps(result, indent=1) + "\n"}
            with atomic_write(args.out) as out:
                out.write(written[Path(args.out).suffix])


def figures_of(result: Mapping[str, Any]) -> "list[Figure]":
    """The AER of each set and the mean, as in a paper's table."""
    from xalign_fairseq.evaluation.published import Figure

    sets = [(each["set"].rpartition("/")[2], each["pairs"]) for each in result["data"]]
    covered = dict(sets) if len(dict(sets)) == len(sets) else {each["set"]: each["pairs"] for each in result["data"]}
    found = []
    for row in result["systems"]:
        aers = [100 * each["aer"] for each in row["sets"]]
        cells = zip(sets, aers, strict=True)
        found += [Figure("", row["system"], name, AER, aer, covers={name: size}) for (name, size), aer in cells]
        found.append(Figure("", row["system"], "mean", AER, 100 * row["aer"], covers=covered))
    return found


def table_of(rows: Sequence[dict[str, Any]]) -> "Table":
    """The table of all systems, with the lowest mean in bold and each system's signature."""
    from xalign_fairseq.evaluation.signature import parse_signature
    from xalign_fairseq.evaluation.tables import Table

    sets = [each["set"] for each in rows[0]["sets"]]
    columns = ("system", *sets, "mean", "95 %", "P", "R", *(["p"] if len(rows) > 1 else []))
    cells = []
    for row in rows:
        low, high = row["interval"]
        p_value = [f"{row['holm']:.3f}" if "holm" in row else ""] if len(rows) > 1 else []
        aers = [f"{100 * each['aer']:.1f}" for each in row["sets"]]
        shares = [f"{100 * row[name]:.1f}" for name in ("precision", "recall")]
        interval = f"{100 * low:.1f} to {100 * high:.1f}"
        cells.append((row["system"], *aers, f"{100 * row['aer']:.1f}", interval, *shares, *p_value))
    best = min(range(len(rows)), key=lambda at: rows[at]["aer"])
    signatures = tuple(f"{row['system']}: {row['signature']}" for row in rows)
    bold = frozenset({(best, columns.index("mean"))})
    parts = [parse_signature(row["signature"]) for row in rows]
    differing = [name for name in LINKING if len({each.get(name, "joint") for each in parts if "layer" in each}) > 1]
    notes = (NOTE, f"The systems differ in {', '.join(differing)}: see the signatures.") if differing else (NOTE,)
    return Table("Word alignment", columns, cells, notes, bold, comments=signatures)
