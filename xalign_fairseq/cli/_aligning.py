"""What the commands that run the aligner share: its options, its input and its progress."""

import argparse
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import BY_DEFAULT, PRETRAINED, add_model
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.transport.names import BACKENDS, METHODS, ORDERS
from xalign_fairseq.transport.names import FILTERS as PLAN_FILTERS

if TYPE_CHECKING:
    from xalign_fairseq.aligner.options import AlignerOptions
    from xalign_fairseq.transport.linking import Linking

METHOD_OPTIONS = tuple(dict.fromkeys(option for options in METHODS.values() for option in options))
METHOD_HELP = (
    "transport: XLM-Align's; ot-unbalanced: transport with a dustbin for words without a partner; argmax, itermax, "
    "match: SimAlign's, on cosines; softmax: awesome-align's; grow: softmaxes summed to words, and weaker links beside "
    "strong ones; released: XLM-Align's own aligner, to the letter; scored: a network that learned from gold links of "
    "other languages"
)


def add_checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """Model, tokenizer, device, languages, linear maps."""
    model = parser.add_argument_group("model")
    add_model(model, PRETRAINED + BY_DEFAULT, required=False)
    model.add_argument("--dict", metavar="TXT", help="dict.txt, if the model does not carry its own")
    model.add_argument("--spm", metavar="MODEL", help="sentencepiece model, if the model does not carry its own")
    model.add_argument(
        "--device",
        default="auto",
        help="auto (the default: CUDA if there is one), cpu, cuda, or one of several GPUs, as cuda:1",
    )
    model.add_argument(
        "--batch-tokens", type=positive, default=8192, metavar="N", help="tokens in a batch (default: %(default)s)"
    )
    model.add_argument(
        "--languages",
        type=language_pair,
        metavar="SRC-TGT",
        help="of the sides, such as de-en; an encoder with language embeddings needs them",
    )
    model.add_argument(
        "--maps",
        type=language_pair,
        metavar="SRC-TGT",
        help="languages of the sides, such as de-en: map their hidden states by the model's linear maps "
        "(linear_mapping, xalign procrustes)",
    )


def add_model_arguments(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Checkpoint, tokenizer, device, and how links are found, apart from layer, method and filter.

    With ``several``, more than one encoding and threshold can be given, as a list, and several are the default.
    """
    many: dict[str, Any] = {"nargs": "+"} if several else {}
    if several:
        family, own = "", "the model's own where its own method is compared"
        encoding = f"both; {own}; joint with a pointer, separate with --maps"
        threshold = f"seven from 0.001 to 0.5; of grow 0.4, 0.5 and 0.6; {own}"
    else:
        family, threshold = "its family's, else ", "0.001, 0.5, 0.45"
        encoding = (
            "the model's own, else its family's, else joint for transport and ot-unbalanced, separate for the others "
            "and with --maps"
        )
    add_checkpoint_arguments(parser)
    links = parser.add_argument_group(
        f"from hidden states to links (defaults: as the model labelled itself, else {family}the method's)"
    )
    links.add_argument(
        "--encoding",
        **many,
        choices=("joint", "separate"),
        help=f"joint: '<s> src </s> tgt </s>'; separate: each side by itself (default: {encoding})",
    )
    links.add_argument(
        "--similarity",
        choices=("hidden", "pointer"),
        help="of transport; hidden: h_i . h_j (Eq. 1); pointer: the scores of dwa's pointer, at its own layer "
        "(default: what the model labelled itself with, else hidden)",
    )
    links.add_argument("--iterations", type=int, metavar="N", help="of Sinkhorn (default: 2; ot-unbalanced 20)")
    links.add_argument(
        "--mu", type=float, help="weight of the entropy: K = max(eps, h_i . h_j)^(1/mu) (default: 1; ot-unbalanced 0.1)"
    )
    links.add_argument(
        "--order",
        choices=ORDERS,
        help=f"of transport; rows-first: Eq. 6 (default: {ORDERS[0]})",
    )
    links.add_argument("--rounds", type=int, metavar="N", help="of itermax (default: 2)")
    links.add_argument("--alpha", type=float, help="itermax's discount of aligned tokens (default: 0.9)")
    links.add_argument(
        "--dustbin",
        type=float,
        metavar="Z",
        help="of ot-unbalanced: score of having no partner, 0 to 1; the higher, the fewer links (default: 0.5)",
    )
    links.add_argument(
        "--threshold",
        **many,
        type=float,
        metavar="P",
        help=f"least probability of softmax, grow and scored (default: {threshold})",
    )
    links.add_argument(
        "--scorer",
        metavar="FILE",
        help="of scored: what train-aligner --gold has learned (default: the packaged one, for e5-small)",
    )
    links.add_argument("--temperature", type=float, metavar="T", help="of grow: divides the cosines (default: 0.05)")
    links.add_argument(
        "--growth",
        type=float,
        metavar="G",
        help="of grow: weaker links beside others, from G times the threshold on; 1: none (default: 0.5)",
    )
    links.add_argument(
        "--dtype",
        choices=("auto", "float32", "bfloat16", "int8"),
        default="auto",
        help="of weights and states; auto: bfloat16 where the device is fast in it, else float32; int8: half "
        "of the layers' products in 8 bits, on a CPU (default: %(default)s)",
    )
    add_backend_argument(links)


def add_backend_argument(parser: Any) -> None:
    """What computes transport."""
    parser.add_argument(
        "--sinkhorn-backend",
        choices=BACKENDS,
        default="auto",
        help="what computes transport: auto (the compiled operator of the device if it can be had, else the reference "
        "in torch), reference, cpu or cuda (default: %(default)s)",
    )


def show_log(quiet: bool) -> None:
    """Tell on stderr in what the encoder computes, and what computes transport; if quiet, only what went wrong."""
    for told in ("core.devices", "transport.sinkhorn"):
        logging.getLogger(f"xalign_fairseq.{told}").setLevel(logging.WARNING if quiet else logging.INFO)
    _log_lines()


@contextmanager
def log_from(level: int) -> Iterator[None]:
    """Tell the package's log on stderr, and for so long from this level on: the usual one for ``NOTSET``."""
    logger = logging.getLogger("xalign_fairseq")
    before = logger.level
    logger.setLevel(level or before)
    _log_lines()
    try:
        yield
    finally:
        logger.setLevel(before)


def _log_lines() -> None:
    logger = logging.getLogger("xalign_fairseq")
    if not any(isinstance(each, _LogLines) for each in logger.handlers):
        logger.addHandler(_LogLines())


class _LogLines(logging.Handler):
    """Lines on what stderr is at that time, above a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        others = (each for each in logging.getLogger().handlers if isinstance(each, logging.StreamHandler))
        if not any(each.stream in (sys.stderr, sys.stdout) for each in others):  # fairseq's tells it already
            say(self.format(record))


def add_link_arguments(parser: argparse.ArgumentParser) -> None:
    """Layer, method and filter by which links are found."""
    parser.add_argument(
        "--layer",
        type=layer_list,
        metavar="L",
        help="layer of the hidden states, or several that are averaged: 8, 7,8,9 or 6-9; 0 embeddings, -1 last "
        "(several from there: --layer=-2,-1; default: the one that the model labelled itself with, else its family's, "
        "else 10/12 of the depth; 8/12 for argmax, itermax, match, softmax, grow and released)",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        help=f"{METHOD_HELP} (default: the model's own, else its family's, else transport)",
    )
    parser.add_argument(
        "--filter", choices=PLAN_FILTERS, help="from plan to links (default: itermax; argmax for ot-unbalanced)"
    )


def add_segment(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """What finds the words of a line."""
    parser.add_argument(
        "--segment",
        default="auto",
        metavar="NAME",
        help="what finds the words of a line; SRC,TGT for a different one on each side. spaces: white space; icu: ICU, "
        "in every language (pip install icu4py); jieba, fugashi, pythainlp: for Chinese, Japanese, Thai, with icu; "
        "auto: icu for text without spaces, and spaces for all other text (default: %(default)s)",
    )


def add_text_arguments(parser: argparse.ArgumentParser, streams: bool = False) -> argparse._ArgumentGroup:
    """The pairs to align; ``streams`` if the command reads them once, so that standard input will do."""
    text = parser.add_argument_group("text (UTF-8, plain or compressed, or FILE.tsv#COLUMN)")
    text.add_argument("text", nargs="*", metavar="FILE", help="the files of --src and --tgt, or one as of --pairs")
    text.add_argument("--src", metavar="FILE", help="source sentences, one a line")
    text.add_argument("--tgt", metavar="FILE", help="target sentences, one a line")
    pairs = "instead of both: lines of 'source ||| target', or FILE.tsv with the source in column 1, the target in 2"
    text.add_argument("--pairs", metavar="FILE", help=f"{pairs}; - is standard input" if streams else pairs)
    return text


def chosen_model(args: argparse.Namespace) -> str:
    """``--model``, or the packaged encoder, which is named on stderr; :class:`XalignError` if it is not installed."""
    from xalign_fairseq.encoder.pretrained import packaged

    if args.model is not None:
        return str(args.model)
    packaged.find()
    if not args.quiet:
        print(f"no --model: the packaged encoder {packaged.NAME} is used", file=sys.stderr)
    return packaged.NAME


def method_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of a labelling method that are given."""
    return {option: value for option in METHOD_OPTIONS if (value := getattr(args, option)) is not None}


def linking_of(args: argparse.Namespace) -> "Linking":
    """How links are to be made, as far as it is given."""
    from xalign_fairseq.transport.linking import Linking

    similarity, encoding = args.similarity or "", args.encoding or ""
    return Linking(args.method or "", method_options(args), args.layer or (), similarity, encoding)


def aligner_options(args: argparse.Namespace, linking: "Linking | None" = None) -> "AlignerOptions":
    """The options of an aligner that :func:`add_model_arguments` and, without ``linking``, `add_link_arguments` add."""
    from xalign_fairseq.aligner.options import AlignerOptions

    return AlignerOptions(
        linking=linking_of(args) if linking is None else linking,
        languages=side_languages(args),
        maps=args.maps is not None,
        device=args.device,
        dtype=args.dtype,
        batch_tokens=args.batch_tokens,
        dictionary=args.dict,
        spm=args.spm,
        sinkhorn_backend=args.sinkhorn_backend,
    )


def side_languages(args: argparse.Namespace) -> tuple[str, str] | None:
    """The languages of the sides: ``--languages``, or those that ``--maps`` names; both must agree."""
    if args.languages and args.maps and args.languages != args.maps:
        raise XalignError(
            "the languages of the text are given twice, and differ",
            parameter=("languages", "maps"),
            found=" and ".join("-".join(pair) for pair in (args.languages, args.maps)),
        )
    return args.languages or args.maps


def text_files(args: argparse.Namespace) -> tuple[str, ...]:
    """Source and target, or the one file of pairs; :class:`XalignError` for anything else."""
    from xalign_fairseq.core.text.containers import kind_of, sides_of

    named = {option: getattr(args, option) for option in ("src", "tgt", "pairs") if getattr(args, option) is not None}
    files = tuple(args.text or named.values())
    if (args.text and named) or not (len(args.text) in (1, 2) or list(named) in (["src", "tgt"], ["pairs"])):
        raise XalignError(
            "the text to align is not given" if not files else "it is not clear which text to align",
            found=" ".join([*args.text, *(f"--{option}" for option in named)]) or "no file",
            expected="SRC TGT, --src FILE --tgt FILE, or --pairs FILE",
        )
    return sides_of(files[0], "", "") if len(files) == 1 and kind_of(files[0].partition("#")[0]) == ".tsv" else files


@contextmanager
def progress_bar(total: int | None, quiet: bool, unit: str = " pairs") -> Iterator[Callable[[int], object]]:
    """A bar on a terminal, a line now and then elsewhere; yields the function that advances it."""
    with progress(total=total, unit=unit, quiet=quiet) as bar:
        yield bar.update


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def probability(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("must be from 0 to 1")
    return value


MOST_LAYERS = 1000  # of no encoder


def layer_list(text: str) -> tuple[int, ...]:
    """``8``, ``7,8,9`` or ``6-9``, which are averaged."""
    layers: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(-?\d+)(?:-(\d+))?", part)
        if not found or (found[2] and int(found[2]) <= int(found[1])):
            raise argparse.ArgumentTypeError("must be a layer, several with commas, or first-last")
        first, last = int(found[1]), int(found[2] or found[1])
        if last - first >= MOST_LAYERS:
            raise argparse.ArgumentTypeError(f"must be at most {MOST_LAYERS} layers")
        layers += range(first, last + 1)
    return tuple(layers)


def language_pair(text: str) -> tuple[str, str]:
    src, _, tgt = text.partition("-")
    if not src or not tgt or "-" in tgt:
        raise argparse.ArgumentTypeError("must be two languages, such as de-en")
    return src, tgt
