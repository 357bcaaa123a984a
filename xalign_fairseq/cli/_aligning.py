"""Shared by the commands that run the aligner: options, input and progress."""

import argparse
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import (
    BY_DEFAULT,
    PRETRAINED,
    ArgumentGroup,
    add_count,
    add_device,
    add_model,
    add_text,
    add_values,
    parse_as,
)
from xalign_fairseq.core.devices import DTYPES
from xalign_fairseq.core.errors import Parameter, XalignError, typed_arguments
from xalign_fairseq.core.progress import say
from xalign_fairseq.transport.names import BACKENDS, ENCODINGS, METHODS, ORDERS, SIMILARITIES
from xalign_fairseq.transport.names import FILTERS as PLAN_FILTERS

if TYPE_CHECKING:
    from xalign_fairseq.aligner.options import AlignerOptions
    from xalign_fairseq.transport.linking import Linking

METHOD_OPTIONS = tuple(dict.fromkeys(option for options in METHODS.values() for option in options))
METHOD_HELP = (
    "transport: XLM-Align's; argmax, itermax, match: SimAlign's; softmax: awesome-align's; grow: softmax over words, "
    "plus weaker links next to strong ones; released: exactly XLM-Align's released aligner; scored: a network trained "
    "on gold links of other languages"
)

LEARNED = ""  # --statistics without a folder: learn them


def add_checkpoint_arguments(parser: argparse.ArgumentParser, basic: bool = False) -> None:
    """Model, tokenizer, device; unless ``basic``, languages and linear maps."""
    model = parser.add_argument_group("model")
    add_model(model, PRETRAINED + BY_DEFAULT, required=False)
    add_device(model)
    add_count(model, "--batch-tokens", "tokens per batch", default=8192)
    if basic:
        return
    languages = "languages of the two sides, such as de-en; only for an encoder with language embeddings"
    maps = "map hidden states with the model's linear maps for these languages, such as de-en"
    add_values(
        model,
        ("languages", language_pair, "SRC-TGT", languages),
        ("maps", language_pair, "SRC-TGT", f"{maps} (linear_mapping, xalign procrustes)"),
    )


def add_model_arguments(parser: argparse.ArgumentParser, several: bool = False, basic: bool = False) -> None:
    """Checkpoint, tokenizer, device and the options of links.

    ``several``: without layer, method and filter. ``basic``: only the options that most users need; ``xalign align``
    has the others.
    """
    many: dict[str, Any] = {"nargs": "+"} if several else {}
    if several:
        family, own = "", "for the model's stored method: its stored value"
        encoding = f"both; {own}; joint with a pointer, separate with --maps"
        threshold = f"seven from 0.001 to 0.5; for grow 0.4, 0.5 and 0.6; {own}"
    else:
        family, threshold = "its family's, otherwise ", "0.001, 0.5 and 0.45"
        encoding = (
            "the model's own or its family's; without these, joint for transport without --maps, otherwise separate"
        )
    add_checkpoint_arguments(parser, basic)
    links = parser.add_argument_group(
        f"from hidden states to links (defaults: the model's own, otherwise {family}the method's)"
    )
    if not several:
        _add_method_arguments(links, basic)
    links.add_argument(
        "--encoding",
        **many,
        choices=ENCODINGS,
        help=f"joint: '<s> src </s> tgt </s>'; separate: each side alone (default: {encoding})",
    )
    if not basic:
        _add_options_of_methods(links)
    links.add_argument(
        "--threshold",
        **many,
        type=float,
        metavar="P",
        help=f"minimum probability for softmax, grow and scored (default: {threshold})",
    )
    links.add_argument(
        "--dtype",
        choices=DTYPES,
        default="auto",
        help="precision of weights and states; auto: bfloat16 if the device is fast at it, otherwise float32",
    )
    if not basic:
        add_backend_argument(links)


def _add_options_of_methods(links: argparse._ArgumentGroup) -> None:
    links.add_argument(
        "--similarity",
        choices=SIMILARITIES,
        help="for transport; hidden: h_i . h_j (Eq. 1); pointer: scores of dwa's pointer, at its own layer "
        "(default: the one stored in the model, otherwise hidden)",
    )
    scorer = "for scored: scorer.npz of train-aligner --gold (default: the packaged one, for e5-small)"
    growth = "for grow: add links next to others, of at least G times the threshold; 1: add none (default: 0.5)"
    add_values(
        links,
        ("iterations", int, "N", "Sinkhorn iterations (default: 2)"),
        ("mu", float, None, "entropic regularisation: K = max(eps, h_i . h_j)^(1/mu) (default: 1)"),
        ("rounds", int, "N", "rounds of itermax (default: 2)"),
        ("alpha", float, None, "itermax's discount of aligned tokens (default: 0.9)"),
        ("scorer", str, "FILE", scorer),
        ("temperature", float, "T", "for grow: divides the cosines (default: 0.05)"),
        ("growth", float, "G", growth),
    )
    links.add_argument(
        "--order",
        choices=ORDERS,
        help=f"order of transport's scaling; rows-first: XLM-Align's Eq. 6 (default: {ORDERS[0]})",
    )


def _add_method_arguments(links: argparse._ArgumentGroup, basic: bool) -> None:
    links.add_argument(
        "--layer",
        type=layer_list,
        metavar="L",
        help="layer of the hidden states, such as 8; the mean of several: 7,8,9, 6-9 or --layer=-2,-1. 0 is the "
        "embeddings, -1 the last layer (default: the model's own layer, otherwise its family's; otherwise 10/12 of the "
        "depth for transport, the scorer's layers for scored, and 8/12 of the depth for all other methods)",
    )
    links.add_argument(
        "--method",
        choices=METHODS,
        help=f"{METHOD_HELP} (default: the model's own, otherwise its family's, otherwise transport)",
    )
    if not basic:
        links.add_argument("--filter", choices=PLAN_FILTERS, help="how to read links from the plan (default: itermax)")


def add_backend_argument(parser: ArgumentGroup) -> None:
    parser.add_argument(
        "--sinkhorn-backend",
        choices=BACKENDS,
        default="auto",
        help="how to compute transport: auto (the compiled operator if available, otherwise PyTorch), "
        "reference (PyTorch), cpu or cuda",
    )


def show_log(quiet: bool) -> None:
    """Log the backend of transport on stderr; if quiet, only warnings and errors."""
    logging.getLogger("xalign_fairseq.transport.sinkhorn").setLevel(logging.WARNING if quiet else logging.INFO)


@contextmanager
def log_from(level: int) -> Iterator[None]:
    """Within the block, log the package's messages of this level and above on stderr; ``NOTSET``: the usual level."""
    logger = logging.getLogger("xalign_fairseq")
    before = logger.level
    logger.setLevel(level or before)
    if not any(isinstance(each, _LogLines) for each in logger.handlers):
        logger.addHandler(_LogLines())
    try:
        yield
    finally:
        logger.setLevel(before)


class _LogLines(logging.Handler):
    """Lines on the current stderr, above a progress bar, with parameters and commands in the form to type."""

    def emit(self, record: logging.LogRecord) -> None:
        record = copy(record)
        record.args = typed_arguments(record)
        others = (each for each in logging.getLogger().handlers if isinstance(each, logging.StreamHandler))
        if not any(each.stream in (sys.stderr, sys.stdout) for each in others):  # fairseq's already logs it
            say(self.format(record))


def add_statistics(parser: ArgumentGroup) -> None:
    """The statistics of the text, to combine with the encoder's scores."""
    parser.add_argument(
        "--statistics",
        nargs="?",
        const=LEARNED,
        metavar="FOLDER",
        help="combine the encoder's scores with statistics: learned from the text and saved in FILE.aligner, or read "
        "from FOLDER of an earlier run",
    )


def add_text_arguments(parser: argparse.ArgumentParser, streams: bool = False) -> argparse._ArgumentGroup:
    """The pairs to align; ``streams`` if the command reads them once, so that standard input is possible."""
    text = parser.add_argument_group("text (UTF-8, plain or compressed, FILE.tsv#COLUMN or FILE.tmx#LANGUAGE)")
    text.add_argument("text", nargs="*", metavar="FILE", help="files of --src and --tgt, or the file of --pairs")
    add_text(text, required=False)
    pairs = (
        "instead of --src and --tgt: lines of 'source ||| target', or FILE.tsv with source and target in columns 1, 2"
    )
    text.add_argument("--pairs", metavar="FILE", help=f"{pairs}; - is standard input" if streams else pairs)
    return text


def chosen_model(model: str | None, quiet: bool) -> str:
    """The model, or the packaged encoder, with a note on stderr; :class:`XalignError` if it is not installed."""
    from xalign_fairseq.encoder.pretrained import packaged

    if model is not None:
        return model
    packaged.find()
    if not quiet:
        print(f"no --model: the packaged encoder {packaged.NAME} is used", file=sys.stderr)
    return packaged.NAME


def method_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options of a labelling method."""
    return {option: given[option] for option in METHOD_OPTIONS if given.get(option) is not None}


def parse_linking(args: argparse.Namespace) -> "Linking":
    from xalign_fairseq.transport.linking import Linking

    given = vars(args)
    options, similarity = method_options(given), given.get("similarity") or ""
    return Linking(args.method or "", options, args.layer or (), similarity, args.encoding or "")


def parse_options(args: argparse.Namespace, linking: "Linking | None" = None) -> "AlignerOptions":
    """The aligner's options from :func:`add_model_arguments`."""
    from xalign_fairseq.aligner.options import AlignerOptions

    given = vars(args)
    maps = given.get("maps")
    return parse_as(
        AlignerOptions,
        args,
        linking=parse_linking(args) if linking is None else linking,
        languages=side_languages(given.get("languages"), maps),
        maps=maps is not None,
        refuse_unused=True,
        statistics=given.get("statistics") or None,  # empty: learn them
    )


def side_languages(languages: tuple[str, str] | None, maps: tuple[str, str] | None) -> tuple[str, str] | None:
    """The languages of the sides, from ``--languages`` or ``--maps``; both must agree."""
    if languages and maps and languages != maps:
        raise XalignError(
            "the languages of the text are given twice and differ",
            parameter=("languages", "maps"),
            found=" and ".join("-".join(pair) for pair in (languages, maps)),
        )
    return languages or maps


def text_files(text: Sequence[str], src: str | None, tgt: str | None, pairs: str | None) -> tuple[str, ...]:
    """Source and target, or the one file of pairs; :class:`XalignError` for anything else."""
    from xalign_fairseq.core.text.containers import kind_of, sides_of

    named = {option: path for option, path in (("src", src), ("tgt", tgt), ("pairs", pairs)) if path is not None}
    files = tuple(text or named.values())
    there = len(text) == 3 and os.path.exists(text[2])  # then it is not the output
    name = Parameter("out", text[2] if len(text) == 3 and not there else "text.links")
    if (text and named) or not (len(text) in (1, 2) or list(named) in (["src", "tgt"], ["pairs"])):
        raise XalignError(
            "the text to align is not given" if not files else "the text to align is ambiguous",
            found=" ".join([*text, *(f"--{option}" for option in named)]) or "no file",
            expected="SRC TGT, --src FILE --tgt FILE, or --pairs FILE",
            remedy=("give two texts, and " * there + "name the output by", name) if len(text) == 3 else None,
        )
    if len({*map(os.path.realpath, files)}) < len(files):
        say("warning: both sides are the same file")
    table = Path(files[0].partition("#")[0])
    of_table = len(files) == 1 and kind_of(str(table)) == ".tsv" and table.is_file()
    return sides_of(files[0], "", "") if of_table else files


def probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, such as 0.9, found {text}")
    return value


MOST_LAYERS = 1000  # more than any encoder has


def layer_list(text: str) -> tuple[int, ...]:
    """Layers to average: ``8``, ``7,8,9`` or ``6-9``."""
    layers: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(-?\d+)(?:-(\d+))?", part)
        if not found or (found[2] and not 0 <= int(found[1]) < int(found[2])):
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
