"""Align the words of sentence pairs.

By a pretrained encoder, or from the bitext alone. Writes one line per pair, in the order of the input and also for a
pair with an empty side: Pharaoh links "i-j" (0-based words), JSON with words and link probabilities, or a page in HTML
that shows them. Memory does not grow with the number of pairs.

Lines end at newlines alone; words are what white space separates. A pair that is longer than the encoder's positions is
encoded in windows that overlap; one of more than 16 million pairs of subwords (4,096 a side) is left without links, and
its line is named.

An output file takes its name when it is complete. Until then it is FILE.part: after an error, Ctrl-C or a kill, the
same command with --resume goes on after its last complete line, on any device and with any number of processes.

Without --model the links are those of e5-small, a multilingual encoder that comes by pip. With --from-scratch no
encoder is needed: the text alone is learned from, in minutes for 100,000 pairs, into the folder FILE.aligner, which
aligns new text as --model. It is for languages that no encoder covers, and wants thousands of pairs. With --statistics
an encoder guides what is learned from the text, and both decide together, which is better than either.

Examples:
  xalign align --src test.en --tgt test.de --out test.links
  xalign align --model checkpoint_best.pt --src test.en --tgt test.de --out test.links
  xalign align --from-scratch --src all.en --tgt all.de --out all.links
  xalign align --statistics --src all.en --tgt all.de --out all.links
  xalign align --statistics all.links.aligner --src test.en --tgt test.de --out test.links
  zcat pairs.gz | xalign align --model checkpoint_best.pt --pairs - --processes 8 | gzip > links.gz
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._align_pictures import check_plot, gold_to_show, plot
from xalign_fairseq.cli._align_statistics import LEARNED, learn_first, statistics_beside
from xalign_fairseq.cli._aligning import (
    add_link_arguments,
    add_model_arguments,
    add_text_arguments,
    load_aligner,
    method_options,
    positive,
    probability,
    progress_bar,
    show_log,
    take_packaged,
    text_files,
)
from xalign_fairseq.cli._arguments import STANDARD_OUTPUT, add_out
from xalign_fairseq.cli._output import Output
from xalign_fairseq.cli._run_record import run_record
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.progress import say

if TYPE_CHECKING:
    from xalign_fairseq.aligner.combined import CombinedAligner
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.neural.processes import AlignerPool
    from xalign_fairseq.aligner.render.formats import Format
    from xalign_fairseq.aligner.sentence_pairs import PairStream, SentencePairs
    from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner

    Encoding = Aligner | AlignerPool
    Streaming = Encoding | StatisticalAligner | CombinedAligner


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign align``."""
    add_text_arguments(parser, streams=True)
    add_out(parser, "the links; - is standard output", default=STANDARD_OUTPUT)
    parser.add_argument("--resume", action="store_true", help="go on with the unfinished output of an interrupted run")
    parser.add_argument("--format", choices=("pharaoh", "json", "html"), default="pharaoh", help="default: pharaoh")
    scratch = parser.add_argument_group("from the bitext itself")
    scratch.add_argument(
        "--from-scratch",
        action="store_true",
        help="learn from --src and --tgt alone, into FILE.aligner, and align them",
    )
    scratch.add_argument(
        "--statistics",
        nargs="?",
        const=LEARNED,
        metavar="FOLDER",
        help="beside the encoder's scores, by grow, those of statistics that it guides: learned from --src and --tgt, "
        "into FILE.aligner, or in FOLDER, where an earlier run has left them",
    )
    scratch.add_argument(
        "--min-probability",
        type=probability,
        metavar="P",
        help="of a link, 0 to 1, by an aligner from bitext alone: 0.9 for few links that are right, 0.2 for many "
        "(default: where AER on development gold was lowest)",
    )
    _add_encoder_arguments(parser)
    plot = parser.add_argument_group("pictures")
    plot.add_argument(
        "--plot", metavar="FILE", help="draw the link matrix of one pair: FILE.png or FILE.svg (needs matplotlib)"
    )
    plot.add_argument("--plot-line", type=int, metavar="N", help="line of the pair (default: 1, the first)")
    plot.add_argument(
        "--gold", metavar="FILE", help="gold links to show with --plot or --format html: i-j sure, ipj possible"
    )


def _add_encoder_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--units",
        choices=("word", "subword"),
        default="word",
        help="what links join; json and html show the subwords (default: %(default)s)",
    )
    add_link_arguments(parser)
    add_model_arguments(parser)
    parser.add_argument(
        "--processes",
        type=positive,
        default=1,
        metavar="N",
        help="on the CPU, each with one thread and the whole model (default: 1, with a thread for each core); several "
        "GPUs have one each: --device cuda:0,cuda:1",
    )


def run(args: argparse.Namespace) -> None:
    """Align, write, and tell what was done on stderr."""
    import torch

    from xalign_fairseq.aligner.neural.dtypes import choose_dtype
    from xalign_fairseq.aligner.render.formats import FORMATS
    from xalign_fairseq.aligner.render.page import Page
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs, open_pairs
    from xalign_fairseq.aligner.statistical.folder import is_statistical

    pairs = open_pairs(*text_files(args))
    learn_first(args, pairs, _add_encoder_arguments)
    take_packaged(args)
    golds = gold_to_show(args, pairs)
    inputs = [*text_files(args), args.model, *filter(None, (args.dict, args.spm, args.gold, args.statistics))]
    check_plot(args, pairs, inputs)
    show_log(args.quiet)
    devices = _devices(args)
    if not is_statistical(args.model):
        # One for all processes; the output goes on in it alone, or its lines would not be those of one run.
        args.dtype = choose_dtype(args.dtype, [torch.device(device) for device in devices])
    form = Page(golds, args.languages) if args.format == "html" else FORMATS[args.format]
    # A format with a frame around its lines has no end to go on from; a pipe can't be read once more.
    repeatable = isinstance(pairs, SentencePairs) and not form.begin()
    output = Output(args.out, run_record(args) if repeatable else None, args.resume, inputs)
    with _open_aligner(args, devices) as (aligner, description):
        if args.plot:
            plot(args, aligner, pairs, golds)
        counts = _write(args, aligner, pairs, form, output)
        unknown = aligner.unknown.warning("links of these words mean little, and those --from-scratch may be better")
    if not args.quiet:
        print(f"{counts}; {description}", file=sys.stderr)
    if unknown:
        print(f"warning: {unknown}", file=sys.stderr)


def _write(
    args: argparse.Namespace,
    aligner: "Streaming",
    pairs: "SentencePairs | PairStream",
    form: "Format",
    output: Output,
) -> str:
    """Align and write the pairs that are not written yet; how many they were, and how fast it went."""
    total = len(pairs) - output.done if hasattr(pairs, "__len__") else None
    number, links, too_long = output.done, 0, 0
    start = time.monotonic()
    with output.open() as out, progress_bar(total, args.quiet) as progress:
        out.write(form.begin())
        remaining = islice(pairs, output.done, None) if output.done else pairs
        for number, alignment in enumerate(aligner.stream(remaining, progress), output.done + 1):
            out.write(form.line(alignment, number) + "\n")
            links += len(alignment.links)
            if alignment.too_long:
                too_long += 1
                words = f"{len(alignment.src)} x {len(alignment.tgt)} {alignment.units}s"
                say(f"warning: line {number} is too long to be aligned and has no links: {words}")
        out.write(form.end())
    seconds = time.monotonic() - start
    pairs_done = number - output.done
    resumed = f" after {output.done} of an earlier run" if output.done else ""
    left_out = f", {too_long} too long" if too_long else ""
    return f"{pairs_done} pairs{resumed}{left_out}, {links} links, {pairs_done / seconds:.1f} pairs/s"


@contextmanager
def _open_aligner(args: argparse.Namespace, devices: Sequence[str]) -> Iterator[tuple["Streaming", str]]:
    """What aligns, in this process or in several, and how it does so."""
    from xalign_fairseq.aligner.statistical.folder import is_statistical

    if is_statistical(args.model):
        from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner

        statistical = StatisticalAligner.from_folder(args.model, args.min_probability)
        yield statistical, statistical.describe()
    elif args.statistics is not None:
        from xalign_fairseq.aligner.combined import METHOD, SCORES, CombinedAligner

        scoring = argparse.Namespace(**{**vars(args), "method": METHOD, **SCORES})
        with _open_encoder(scoring, devices) as (encoder, description):
            combined = CombinedAligner(*statistics_beside(args, encoder), args.threshold, args.growth)
            yield combined, f"{description}; {combined.describe()}"
    else:
        with _open_encoder(args, devices) as found:
            yield found


@contextmanager
def _open_encoder(args: argparse.Namespace, devices: Sequence[str]) -> Iterator[tuple["Encoding", str]]:
    """An encoder's aligner, in this process or in several, and how it aligns."""
    from xalign_fairseq.aligner.neural.processes import AlignerPool

    if len(devices) == 1:
        aligner = _load(args, devices[0])
        yield aligner, _describe(aligner, args)
    else:
        with AlignerPool(partial(_load, args), devices) as pool:
            pool.ask(partial(_show_log, quiet=args.quiet))
            yield pool, f"{pool.ask(partial(_describe, args=args))}, {len(devices)} processes"


def _devices(args: argparse.Namespace) -> list[str]:
    """The device of each process."""
    from xalign_fairseq.core.devices import choose_device

    names = args.device.split(",")
    devices = [choose_device(name) for name in names]
    if args.processes == 1:
        return [str(device) for device in devices]
    if [device.type for device in devices] != ["cpu"]:
        raise XalignError(
            "several processes are for the CPU; a GPU has one",
            parameter="processes",
            found=f"{args.processes} processes, {', '.join(map(str, devices))}",
            remedy="add --device cpu, or name each GPU once: --device cuda:0,cuda:1",
        )
    return ["cpu"] * args.processes


def _load(args: argparse.Namespace, device: str) -> "Aligner":
    here = argparse.Namespace(**{**vars(args), "device": device})
    return load_aligner(here, args.layer, args.method, _options(args), args.units)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """Those of the method."""
    return {**method_options(args), "filter": args.filter}


def _show_log(_: "Aligner", quiet: bool) -> None:
    """In one of several processes, which all take the same."""
    show_log(quiet)


def _describe(aligner: "Aligner", args: argparse.Namespace) -> str:
    from xalign_fairseq.transport.methods import method_label

    layers = ",".join(map(str, aligner.layers))
    given = (args.layer, args.method, args.similarity, args.encoding, args.maps, *_options(args).values())
    rest = "the rest: " if any(each is not None for each in given) else ""
    usual = "as the model labelled itself" if aligner.origin == "itself" else f"defaults of {aligner.origin}"
    return (
        f"layer {layers} of {aligner.encoder.config.encoder_layers}, {aligner.pair_encoder.encoding} encoding, "
        f"{aligner.similarity} similarity, {method_label(aligner.method)}{f' ({rest}{usual})' * bool(aligner.origin)}, "
        f"{aligner.device}, {aligner.dtype}"
    )
