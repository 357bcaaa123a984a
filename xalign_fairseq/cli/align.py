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
import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import (
    add_link_arguments,
    add_model_arguments,
    add_text_arguments,
    load_aligner,
    method_options,
    positive,
    probability,
    progress_bar,
    read_fitting_gold,
    show_log,
    take_packaged,
    text_files,
)
from xalign_fairseq.cli._arguments import STANDARD_OUTPUT, add_out
from xalign_fairseq.cli._from_scratch import passes_bar, refuse_strays
from xalign_fairseq.cli._output import Output
from xalign_fairseq.cli._run_record import model_state, run_record
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_json
from xalign_fairseq.launch.progress import say

if TYPE_CHECKING:
    from xalign_fairseq.aligner.aligner import Aligner
    from xalign_fairseq.aligner.combined import CombinedAligner
    from xalign_fairseq.aligner.formats import Format
    from xalign_fairseq.aligner.from_scratch import StatisticalAligner
    from xalign_fairseq.aligner.kept_scores import KeptScores
    from xalign_fairseq.aligner.processes import AlignerPool
    from xalign_fairseq.aligner.sentence_pairs import PairStream, SentencePairs
    from xalign_fairseq.links.pharaoh import Gold
    from xalign_fairseq.statistical.folder import TrainedModels

    Encoding = Aligner | AlignerPool
    Streaming = Encoding | StatisticalAligner | CombinedAligner

logger = logging.getLogger(__name__)
LEARNED = ""  # --statistics without a folder
WITHOUT_EFFECT_ON_STATISTICS = {"--threshold", "--growth", "--format", "--units"}


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
    plot.add_argument("--plot-line", type=int, default=1, metavar="N", help="line of the pair (default: 1, the first)")
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

    from xalign_fairseq.aligner.dtypes import choose_dtype
    from xalign_fairseq.aligner.formats import FORMATS
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs, open_pairs
    from xalign_fairseq.aligner.view.page import Page
    from xalign_fairseq.statistical.folder import is_statistical

    pairs = open_pairs(*text_files(args))
    _check_scratch(args, pairs)
    take_packaged(args)
    golds = _read_gold(args, pairs)
    if args.plot:
        _check_plot(args, pairs)
    show_log(args.quiet)
    devices = _devices(args)
    if not is_statistical(args.model):
        # One for all processes; the output goes on in it alone, or its lines would not be those of one run.
        args.dtype = choose_dtype(args.dtype, [torch.device(device) for device in devices])
    form = Page(golds, args.languages) if args.format == "html" else FORMATS[args.format]
    # A format with a frame around its lines has no end to go on from; a pipe can't be read once more.
    repeatable = isinstance(pairs, SentencePairs) and not form.begin()
    inputs = [*text_files(args), args.model, *filter(None, (args.dict, args.spm, args.gold, args.statistics))]
    output = Output(args.out, run_record(args) if repeatable else None, args.resume, inputs)
    with _open_aligner(args, devices) as (aligner, description):
        if args.plot:
            _plot(args, aligner, pairs, golds)
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
    from xalign_fairseq.statistical.folder import is_statistical, load

    if is_statistical(args.model):
        from xalign_fairseq.aligner.from_scratch import StatisticalAligner

        statistical = StatisticalAligner.from_folder(args.model, args.min_probability)
        yield statistical, statistical.describe()
    elif args.statistics is not None:
        from xalign_fairseq.aligner.combined import METHOD, SCORES, CombinedAligner

        scoring = argparse.Namespace(**{**vars(args), "method": METHOD, **SCORES})
        with _open_encoder(scoring, devices) as (encoder, description):
            scores: Encoding | KeptScores = encoder
            if args.statistics == LEARNED:
                scores, trained = _learn_beside(args, encoder)
            else:
                trained = load(Path(args.statistics))
                _tell_of_another_guide(args)
            combined = CombinedAligner(scores, trained, args.threshold, args.growth)
            yield combined, f"{description}; {combined.describe()}"
    else:
        with _open_encoder(args, devices) as found:
            yield found


@contextmanager
def _open_encoder(args: argparse.Namespace, devices: Sequence[str]) -> Iterator[tuple["Encoding", str]]:
    """An encoder's aligner, in this process or in several, and how it aligns."""
    from xalign_fairseq.aligner.processes import AlignerPool

    if len(devices) == 1:
        aligner = _load(args, devices[0])
        yield aligner, _describe(aligner)
    else:
        with AlignerPool(partial(_load, args), devices) as pool:
            pool.ask(partial(_show_log, quiet=args.quiet))
            yield pool, f"{pool.ask(_describe)}, {len(devices)} processes"


def _check_scratch(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> None:
    """What goes with an aligner of bitext alone, which is learned here if it is asked for."""
    from xalign_fairseq.statistical.folder import is_statistical

    if args.statistics is not None:
        _check_statistics(args, pairs)
        return
    if not (args.from_scratch or is_statistical(args.model)):
        if args.min_probability is not None:
            raise XalignError(
                "probabilities of links are calibrated by aligners of bitext alone",
                where="--min-probability",
                next="leave it out, or use --from-scratch or such an aligner's folder as --model",
            )
        return
    refuse_strays(args, _add_encoder_arguments, {"model"})
    if args.from_scratch:
        _require_files(args, pairs, "--from-scratch", ", and no --model", fitting=args.model is None)
        args.model = _learn(args)


def _check_statistics(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> None:
    """What goes with statistics beside an encoder; where no folder is given they are learned when that is loaded."""
    from xalign_fairseq.aligner.combined import METHOD, SCORES
    from xalign_fairseq.statistical.folder import is_statistical
    from xalign_fairseq.transport.methods import make_method

    both = "--statistics has the scores of an encoder and of an aligner of bitext alone"
    for option, found, fits, expected in (
        ("--from-scratch", "given", not args.from_scratch, "one of the two options"),
        ("--model", args.model, not is_statistical(args.model), "an encoder; --statistics FOLDER takes the other"),
        ("--min-probability", args.min_probability, args.min_probability is None, "--threshold"),
        ("--method", args.method, args.method in (None, METHOD), METHOD),
        ("--units", args.units, args.units == "word", "word, which the statistics are of"),
    ):
        if not fits:
            raise XalignError(both, where=option, found=found, expected=expected)
    make_method(METHOD, **{name: value for name, value in method_options(args).items() if name in SCORES})
    if args.statistics == LEARNED:
        _require_files(args, pairs, "--statistics", ", or --statistics FOLDER")
    elif not is_statistical(args.statistics):
        raise XalignError(
            "the folder has no aligner of bitext alone", where="--statistics", found=args.statistics,
            next="xalign train-aligner --from-scratch --src FILE --tgt FILE --out FOLDER makes one",
        )  # fmt: skip


def _require_files(
    args: argparse.Namespace, pairs: "SentencePairs | PairStream", option: str, also: str, fitting: bool = True
) -> None:
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    if args.pairs or not isinstance(pairs, SentencePairs) or args.out == STANDARD_OUTPUT or not fitting:
        raise XalignError(
            "the text to learn from is read more than once, and the aligner is kept beside the links",
            where=option,
            expected=f"--src FILE --tgt FILE --out FILE{also}",
        )


def _learn(args: argparse.Namespace) -> str:
    """Learn from the text; the folder of what was learned."""
    from xalign_fairseq.aligner.from_scratch import train_from_scratch

    folder = f"{args.out}.aligner"
    with passes_bar(args.quiet) as show:
        train_from_scratch(args.src, args.tgt, Path(folder), show)
    return folder


def _tell_of_another_guide(args: argparse.Namespace) -> None:
    """Statistics expect the scores of the encoder that guided them: those of another are read, but not in silence."""
    from xalign_fairseq.statistical.folder import BEGUN

    begun = Path(args.statistics) / BEGUN
    guide = read_json(begun).get("--model") if begun.is_file() else None  # --from-scratch had none
    here = model_state(args.model)
    if guide not in (None, here):
        logger.warning("statistics: %s were guided by %s, and are read beside %s", args.statistics, guide, here)


def _learn_beside(args: argparse.Namespace, encoder: "Encoding") -> tuple["KeptScores", "TrainedModels"]:
    """What is learned from the text with the guidance of an encoder, and the scores of that."""
    from xalign_fairseq.aligner.combined import learn_beside
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    record = {name: value for name, value in run_record(args).items() if name not in WITHOUT_EFFECT_ON_STATISTICS}
    return learn_beside(
        encoder,
        SentencePairs(args.src, args.tgt),
        Path(f"{args.out}.aligner"),
        record,
        partial(progress_bar, quiet=args.quiet),
        partial(passes_bar, args.quiet),
    )


def _devices(args: argparse.Namespace) -> list[str]:
    """The device of each process."""
    from xalign_fairseq.launch.devices import choose_device

    names = args.device.split(",")
    devices = [choose_device(name) for name in names]
    if args.processes == 1:
        return [str(device) for device in devices]
    if [device.type for device in devices] != ["cpu"]:
        raise XalignError(
            "several processes are for the CPU; a GPU has one",
            where="--processes",
            found=f"{args.processes} processes, {', '.join(map(str, devices))}",
            next="add --device cpu, or name each GPU once: --device cuda:0,cuda:1",
        )
    return ["cpu"] * args.processes


def _load(args: argparse.Namespace, device: str) -> "Aligner":
    here = argparse.Namespace(**{**vars(args), "device": device})
    return load_aligner(here, args.layer, args.method, {**method_options(args), "filter": args.filter}, args.units)


def _show_log(_: "Aligner", quiet: bool) -> None:
    """In one of several processes, which all take the same."""
    show_log(quiet)


def _describe(aligner: "Aligner") -> str:
    from xalign_fairseq.transport.methods import method_label

    layers = ",".join(map(str, aligner.layers))
    usual = "as the model labelled itself" if aligner.origin == "itself" else f"defaults of {aligner.origin}"
    return (
        f"layer {layers} of {aligner.encoder.config.encoder_layers}, {aligner.pair_encoder.encoding} encoding, "
        f"{aligner.similarity} similarity, {method_label(aligner.method)}{f' ({usual})' * bool(aligner.origin)}, "
        f"{aligner.device}, {aligner.dtype}"
    )


def _read_gold(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> "list[Gold] | None":
    """Gold links of all pairs, checked before the work begins; ``None`` without ``--gold``."""
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    if not args.gold:
        return None
    if not (args.plot or args.format == "html"):
        raise XalignError(
            "gold links are shown in pictures alone",
            where="--gold",
            next="add --plot FILE.png or --format html; xalign score compares links with gold",
        )
    if args.units != "word":
        raise XalignError("gold links join words", where="--gold, --units", found=args.units, expected="--units word")
    if not isinstance(pairs, SentencePairs):
        raise XalignError("gold links can't be checked against a pipe", where="--gold", expected="files as input")
    return read_fitting_gold(args.gold, pairs)


def _check_plot(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> None:
    """That the picture can be drawn, before the work begins."""
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs
    from xalign_fairseq.plots.figure import check_picture

    check_picture(args.plot)
    if not isinstance(pairs, SentencePairs):
        raise XalignError("a pair of a pipe can't be drawn", where="--plot", expected="files as input")
    if not 1 <= args.plot_line <= len(pairs):
        raise XalignError(
            "there is no such pair", where="--plot-line", found=args.plot_line, expected=f"1 to {len(pairs)}"
        )


def _plot(args: argparse.Namespace, aligner: Any, pairs: Iterable[Any], golds: "list[Gold] | None") -> None:
    """Draw one pair before the others are aligned."""
    from xalign_fairseq.plots.links import plot_links

    gold = golds[args.plot_line - 1] if golds else None
    [alignment] = aligner.stream(islice(pairs, args.plot_line - 1, args.plot_line))
    plot_links(alignment.src, alignment.tgt, alignment.links, args.plot, gold=gold)
