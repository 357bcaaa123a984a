"""What the commands that run the aligner share: its options, its input and its progress."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xalign_fairseq.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.alignment.aligner import Aligner
    from xalign_fairseq.alignment.labels import LabelOptions
    from xalign_fairseq.alignment.pharaoh import Gold
    from xalign_fairseq.alignment.sentence_pairs import SentencePairs

PLAN_FILTERS = ("itermax", "argmax", "union", "itermax-paper")


def add_checkpoint_arguments(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Checkpoint, tokenizer, device, languages, linear maps."""
    model = parser.add_argument_group("model")
    model.add_argument(
        "--checkpoint", required=required, metavar="PT", help="fairseq checkpoint (xalign, XLM-R, RoBERTa)"
    )
    model.add_argument("--dict", metavar="TXT", help="dict.txt, if the checkpoint does not carry its own")
    model.add_argument("--spm", metavar="MODEL", help="sentencepiece model, if the checkpoint does not carry its own")
    model.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: CUDA if there is one"
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
        help="languages of the sides, such as de-en: map their hidden states by the checkpoint's linear maps "
        "(linear_mapping, xalign procrustes)",
    )


def add_model_arguments(parser: argparse.ArgumentParser, checkpoint_required: bool = True) -> None:
    """Checkpoint, tokenizer, device, and how links are found, apart from layer and filter."""
    add_checkpoint_arguments(parser, checkpoint_required)
    plan = parser.add_argument_group("transport plan and links (defaults: XLM-Align's released code)")
    plan.add_argument(
        "--similarity",
        choices=("hidden", "pointer"),
        help="hidden: h_i . h_j (Eq. 1); pointer: the scores of dwa's pointer, at its own layer (default: what the "
        "model labelled itself with, --dwa-label-by, else hidden)",
    )
    plan.add_argument(
        "--encoding",
        choices=("joint", "separate"),
        help="joint: '<s> src </s> tgt </s>'; separate: each side by itself, as explicit alignment objectives, "
        "awesome-align and SimAlign do (default: joint; with --maps separate)",
    )
    plan.add_argument("--iterations", type=int, default=2, metavar="N", help="Sinkhorn iterations (default: 2)")
    plan.add_argument(
        "--mu", type=float, default=1.0, help="entropy weight: K = max(eps, h_i . h_j)^(1/mu) (default: 1)"
    )
    plan.add_argument(
        "--order", choices=("columns-first", "rows-first"), default="columns-first", help="rows-first: as in Eq. 6"
    )
    plan.add_argument("--rounds", type=int, default=2, metavar="N", help="rounds of itermax (default: 2)")
    plan.add_argument("--alpha", type=float, default=0.9, help="itermax's discount of aligned tokens (default: 0.9)")


def add_text_arguments(parser: argparse.ArgumentParser) -> None:
    """The pairs to align."""
    text = parser.add_argument_group("text (UTF-8; words are separated by white space, tokenised or not)")
    text.add_argument("--src", metavar="FILE", help="source sentences, one a line")
    text.add_argument("--tgt", metavar="FILE", help="target sentences, one a line")
    text.add_argument("--pairs", metavar="FILE", help="instead of both: lines of 'source ||| target'")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")


def link_options(args: argparse.Namespace, filter: str) -> "LabelOptions":
    """The options of the alignment library for one filter."""
    from xalign_fairseq.alignment.labels import LabelOptions

    return LabelOptions(
        iterations=args.iterations,
        mu=args.mu,
        order=args.order,
        filter=filter,
        rounds=args.rounds,
        alpha=args.alpha,
    )


def load_aligner(args: argparse.Namespace, layer: int | None = None, filter: str = PLAN_FILTERS[0]) -> "Aligner":
    """The aligner that the options describe."""
    from xalign_fairseq.alignment.aligner import Aligner

    return Aligner.from_pretrained(
        args.checkpoint,
        dictionary=args.dict,
        spm=args.spm,
        layer=layer,
        options=link_options(args, filter),
        similarity=args.similarity,
        encoding=args.encoding,
        languages=side_languages(args),
        use_maps=args.maps is not None,
        device=args.device,
        batch_tokens=args.batch_tokens,
    )


def side_languages(args: argparse.Namespace) -> tuple[str, str] | None:
    """The languages of the sides: ``--languages``, or those that ``--maps`` names; both must agree."""
    if args.languages and args.maps and args.languages != args.maps:
        raise XalignError(
            "the languages of the text are given twice, and differ",
            where="--languages, --maps",
            found=" and ".join("-".join(pair) for pair in (args.languages, args.maps)),
        )
    return args.languages or args.maps


def open_pairs(args: argparse.Namespace) -> "SentencePairs":
    """The checked input; :class:`XalignError` unless it is either two files or one."""
    from xalign_fairseq.alignment.sentence_pairs import SentencePairs

    given = [option for option in ("src", "tgt", "pairs") if getattr(args, option) is not None]
    if given not in (["src", "tgt"], ["pairs"]):
        raise XalignError(
            "the text to align is not given",
            found=", ".join(f"--{option}" for option in given) or "neither",
            expected="--src FILE --tgt FILE, or --pairs FILE",
        )
    return SentencePairs(args.pairs) if args.pairs else SentencePairs(args.src, args.tgt)


def read_fitting_gold(path: str, pairs: "SentencePairs") -> "list[Gold]":
    """Gold links, 0-based, whose lines and indices are checked against the text."""
    from xalign_fairseq.alignment.pharaoh import check_bounds, read_gold

    golds = read_gold(path)
    check_bounds([gold.possible for gold in golds], [(len(src), len(tgt)) for src, tgt in pairs], where=path)
    return golds


@contextmanager
def progress_bar(total: int | None, quiet: bool, unit: str = " pairs") -> Iterator[Callable[[int], object]]:
    """A bar on a terminal, nothing elsewhere; yields the function that advances it."""
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, smoothing=0.05, disable=quiet or not sys.stderr.isatty()) as bar:
        yield bar.update


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def language_pair(text: str) -> tuple[str, str]:
    src, _, tgt = text.partition("-")
    if not src or not tgt or "-" in tgt:
        raise argparse.ArgumentTypeError("must be two languages, such as de-en")
    return src, tgt
