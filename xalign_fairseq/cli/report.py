"""Write an HTML page about a training run.

Shows losses, AER, data, machine, configuration, versions and warnings. RUN_DIR is a folder of xalign train, of xalign
train-aligner, or of one run of xalign transfer. It can also be a folder of fairseq-train with its log (--log-format
json or simple). The page is one file without scripts or external resources. With --src and --tgt, the run's best model
aligns a few sentence pairs for the page. To compare the models of several runs, use xalign bench or xalign layers.

Examples:
  xalign report run
  xalign report run --out page.html --src dev.de --tgt dev.en --gold dev.gold
  xalign report checkpoints --log fairseq.log
"""

import argparse
import sys
from itertools import islice
from pathlib import Path

from xalign_fairseq.cli._arguments import add_count
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_folder", metavar="RUN_DIR", help="folder of the run")
    parser.add_argument("-o", "--out", metavar="FILE", help="page to write (default: RUN_DIR/report.html)")
    parser.add_argument("--log", metavar="FILE", help="fairseq-train's log (default: RUN_DIR/train.log)")
    text = parser.add_argument_group("example links (needs the run's model)")
    text.add_argument("--src", metavar="FILE", help="source sentences, one per line")
    text.add_argument("--tgt", metavar="FILE", help="target sentences")
    text.add_argument("--gold", metavar="FILE", help="gold links of the pairs, to show with them")
    add_count(text, "--examples", "pairs to show", default=5)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.core.files import atomic_write, require_place
    from xalign_fairseq.trainer.launch import LOG
    from xalign_fairseq.trainer.report.page import report_page
    from xalign_fairseq.trainer.report.trained_run import read_run

    if (args.src is None) != (args.tgt is None) or (args.gold and args.src is None):
        raise XalignError("example links need both sides", expected="--src FILE --tgt FILE, and optionally --gold FILE")
    folder = Path(args.run_folder)
    log = Path(args.log) if args.log else folder / LOG
    out = Path(args.out) if args.out else folder / "report.html"
    require_place(out, filter(None, (log, args.src, args.tgt, args.gold)))
    found = read_run(folder, log)
    shown = examples(folder, args.src, args.tgt, args.gold, args.examples, args.quiet) if args.src else ""
    with atomic_write(out) as stream:
        stream.write(report_page(found, shown))
    if not args.quiet:
        print(out)


def examples(folder: Path, src: str, tgt: str, gold: str | None, count: int, quiet: bool) -> str:
    """The first pairs with words on both sides, aligned by the run's model."""
    from xalign_fairseq.aligner.load import load_aligner
    from xalign_fairseq.aligner.render.matrix import show_links
    from xalign_fairseq.core.text.pairs import SentencePairs
    from xalign_fairseq.links.gold import read_gold_text

    pairs, golds = SentencePairs(src, tgt), None
    if gold:
        pairs, golds = read_gold_text(src, tgt, gold, needs_links=False)
    chosen = dict(islice(((at, pair) for at, pair in enumerate(pairs) if all(pair)), count))
    if not quiet:
        print(f"aligning {counted(len(chosen), 'pair')} by {folder}", file=sys.stderr)
    aligner = load_aligner(folder)
    aligned = aligner.align([src for src, _ in chosen.values()], [tgt for _, tgt in chosen.values()])
    return show_links(aligned, [golds[at] for at in chosen] if golds else None, most=len(aligned)).html
