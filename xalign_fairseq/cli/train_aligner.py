"""Fine-tune a model into an aligner, on raw bitext.

Prepares the text with the model's own tokenizer, trains, and writes a folder for xalign align --model. With a
development set, AER is measured at every checkpoint; it selects the best checkpoint and stops training early. The same
command continues an interrupted run.

The default model is e5-small. Its defaults were chosen on development gold: self_training by grow at layer 7, frozen
embeddings, 200 updates of 32 pairs; this takes minutes on a CPU. Other models use awesome-align's 20,000 updates of 8
pairs with Adam and no warm-up, and XLM-Align's labels and layer. awesome-align's names so and co are accepted for
self_training and consistency.

With --links, dwa learns from these links (awesome-align's --train_gold_file); self_training keeps only its own links
that are also among them. To improve e5-small further, train twice. The second time, pass as --links the output of
xalign align --statistics --model FIRST.

--best makes an aligner in steps: it begins with e5-small-gold, which has learned from gold links of other languages,
trains it further with --gold, and adds statistics of the bitext. Another model without --gold is trained on its own
links. Every fifth pair of each gold set is held out and scores each step; a step with a higher AER is not used. The
folder is a model for xalign align.

--gold alone trains a small network on gold links, in a minute, and leaves the encoder unchanged. It works best with
several languages and also helps with others. Use the result as xalign align --method scored --scorer DIR/scorer.npz.
With --train-encoder the encoder learns too, in half an hour for 3,000 pairs; use it as --model DIR/encoder.npz.

Options of fairseq-train follow --, for example: --out aligner -- --bf16 --dropout 0.1

Examples:
  xalign train-aligner --src train.de --tgt train.en --out aligner
  xalign train-aligner --model xlmr.base --src train.de --tgt train.en --out aligner \\
    --valid-src dev.de --valid-tgt dev.en --valid-gold dev.gold
  xalign train-aligner --best --src train.de --tgt train.en --out best
  xalign train-aligner --gold gold/en-cs.gold gold/ja-en.gold --out scorer
  xalign align --model aligner --src test.de --tgt test.en --out test.links
"""

import argparse
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xalign_fairseq.cli._aligning import add_backend_argument, chosen_model, language_pair, show_log
from xalign_fairseq.cli._arguments import PRETRAINED, add_model, add_out, add_text, add_values, parse_as
from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.transport.names import ONE_LAYER_METHODS, SIMILARITIES

if TYPE_CHECKING:
    from xalign_fairseq.aligner.training.run import TrainingRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign train-aligner``; None: not given."""
    unset: dict[str, Any] = {"action": "store_true", "default": None}
    parser.add_argument("--best", **unset, help="do all steps that improve links, one after the other")
    add_text(parser, required=False)
    parser.add_argument(
        "--gold",
        nargs="+",
        metavar="FILE",
        help="instead of --src and --tgt, or with --best: gold links S-T.gold, such as en-cs.gold, each with its texts "
        "S-T.S and S-T.T in the same folder",
    )
    parser.add_argument("--train-encoder", **unset, help="with --gold: train the encoder too, by updates of low rank")
    add_out(parser, "folder of the run", metavar="DIR")
    dev = parser.add_argument_group("development set (all three)")
    dev.add_argument("--valid-src", metavar="FILE", help="source sentences")
    dev.add_argument("--valid-tgt", metavar="FILE", help="target sentences")
    dev.add_argument("--valid-gold", metavar="FILE", help="gold links: i-j sure, ipj possible, 0-based")
    add_model(parser, f"model to start from: {PRETRAINED} (default: e5-small)", required=False)
    languages = "languages of the sides (default: the files' endings; train.de: de)"
    add_values(parser, ("languages", language_pair, "SRC-TGT", languages))
    parser.add_argument(
        "--links",
        metavar="FILE",
        help="links to learn from, 0-based i-j (sure) and ipj (possible), one line per training pair",
    )
    _add_training_arguments(parser.add_argument_group("training"))
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), help="default: CUDA if there is one")
    add_backend_argument(parser)
    parser.add_argument("--workers", type=int, metavar="N", help="processes for preparing the text (default: 1)")
    parser.add_argument("extra", nargs="*", default=(), metavar="-- OPTION", help="more options of fairseq-train")


def _add_training_arguments(group: Any) -> None:
    group.add_argument(
        "--objectives",
        metavar="NAME,...",
        help="self_training (so), consistency (co), dwa, tlm, psi, sentence_mlm, moco, ot_align; with --links "
        "also word_contrastive, l2_align, word_exchange, to which reg_param and reg_hidden can be added "
        "(default: dwa,tlm; for e5-small without --links self_training)",
    )
    group.add_argument(
        "--similarity",
        choices=SIMILARITIES,
        help="read links from hidden states or dwa's pointer (default: hidden; pointer if dwa learns from --links). "
        "With pointer, e5-small also has objectives dwa,tlm and 20000 updates by default",
    )
    group.add_argument(
        "--method",
        choices=ONE_LAYER_METHODS,
        help="labelling method of self_training, and of the trained aligner, as in xalign align (default: "
        "argmax; e5-small with self_training first: grow)",
    )
    small = "e5-small with self_training first"
    rate = "learning rate, which falls linearly to 0 (default: 2e-5; 1e-4 with --links, except for self_training)"
    frozen = "freeze the embeddings and the first N layers; -1: freeze nothing (default: -1; e5-small: 0)"
    every = f"updates between checkpoints (default: 1000; {small}: 50, at most --updates)"
    add_values(
        group,
        ("layer", int, "L", "layer that links are read from (default: 10/12 of the depth; e5-small: 7)"),
        ("updates", int, "N", f"number of updates (default: 20000; {small}: 200)"),
        ("batch-size", int, "N", f"pairs per update (default: 8; {small}: 32)"),
        ("lr", float, None, rate),
        ("warmup", int, "N", f"updates of warm-up (default: 0; {small}: 50, at most --updates)"),
        ("freeze-layers", int, "N", frozen),
        ("validate-every", int, "N", every),
        ("patience", int, "N", "stop after N checkpoints without a lower AER; 0: never (default: 5)"),
        ("seed", int, None, "default: 1"),
    )
    group.add_argument(
        "--trim-vocabulary",
        action=argparse.BooleanOptionalAction,
        help="train only the pieces that the text needs (see xalign trim): less memory and time; DIR/model.pt "
        "has the whole vocabulary again (default: on for e5-small, otherwise off)",
    )


def run(args: argparse.Namespace) -> None:
    """Train, and print the aligner's scores and the command that uses it."""
    show_log(args.quiet)
    given = {name: value for name, value in vars(args).items() if value not in (None, (), "auto")}
    print("\n".join(WAYS[_way(given)].run(args)))


def _way(given: dict[str, Any]) -> str:
    """The requested way to train; :class:`XalignError` for options that it lacks or needs."""
    name = "best" if "best" in given else "gold" if "gold" in given else "text"
    way, extra = WAYS[name], given.get("extra", ())
    if others := [each for each in given if way.options and each not in (name, *way.needs, *way.options, *COMMON)]:
        remedy: Text = "leave them out"
        if name == "gold" and {"src", "tgt"} & set(others):
            remedy = ("add", Parameter("best"), "to use both, or give development gold as", Parameter("valid_gold"))
        raise XalignError("the first option excludes the others", parameter=(name, *others), remedy=remedy)
    if name == "text" and "train_encoder" in given:
        problem = "training the encoder with a link scorer needs gold links"
        raise XalignError(problem, parameter="train_encoder", expected="--gold FILE ...")
    if not set(way.needs) <= given.keys():
        expected = "--src FILE --tgt FILE, or --gold FILE ..., or with --best all three"
        if len(extra) == 2 and all(map(os.path.exists, extra)):
            expected = f"--src {shlex.quote(extra[0])} --tgt {shlex.quote(extra[1])}"
        raise XalignError("the text to learn from is not given", found=" ".join(extra), expected=expected)
    return name


def parse(args: argparse.Namespace) -> "TrainingRun":
    """A training on bitext; options that are not given may follow the model's family."""
    from xalign_fairseq.aligner.training.run import TrainingRun, objectives_of
    from xalign_fairseq.aligner.training.text import development_set, languages_of

    return parse_as(
        TrainingRun,
        args,
        model=chosen_model(args.model, args.quiet),
        out=Path(args.out).absolute(),
        languages=args.languages or languages_of(args.src, args.tgt),
        dev=development_set(args.valid_src, args.valid_tgt, args.valid_gold),
        **({} if args.objectives is None else {"objectives": objectives_of(args.objectives)}),
        freeze_layers=None if args.freeze_layers == -1 else args.freeze_layers,
        extra=tuple(args.extra),
        chosen=frozenset(name for name, value in vars(args).items() if value is not None),
    )


def run_text(args: argparse.Namespace) -> list[str]:
    """Fine-tune; returns the summary: the aligner, the gain of the training, and the command that aligns with it."""
    from xalign_fairseq.aligner.training.train import train_aligner

    training = parse(args)
    with _shown(args.quiet) as (say, hear):
        result = train_aligner(training, say, hear)
    lines = [f"{result['checkpoint']}, update {result['updates']}"]
    if result["aer"] is not None and result["before"] is not None:
        lines[0] += f": AER {100 * result['aer']:.2f}, before training {100 * result['before']:.2f}"
        if result["aer"] > result["before"]:
            lines.append("warning: training raised AER; use the original model")
    return [*lines, _aligning(args.out, f"--languages {training.name} " if result["language_embeddings"] else "")]


def run_gold(args: argparse.Namespace) -> list[str]:
    """Learn a link scorer from gold links; returns the summary."""
    from xalign_fairseq.aligner.training.gold import ScorerRun, train_scorer

    model = chosen_model(args.model, args.quiet)
    training = parse_as(ScorerRun, args, model=model, golds=args.gold, out=Path(args.out))
    with _shown(args.quiet) as (say, _):
        train_scorer(training, say)
    path = str(training.path)
    return [
        _aligning(path) if args.train_encoder else _aligning(model, f"--method scored --scorer {shlex.quote(path)} ")
    ]


def run_best(args: argparse.Namespace) -> list[str]:
    """Do all steps; returns a summary, one step per line."""
    from xalign_fairseq.aligner.training.best import BestRun, train_best
    from xalign_fairseq.aligner.training.text import languages_of
    from xalign_fairseq.encoder.pretrained import packaged

    languages = args.languages or languages_of(args.src, args.tgt)
    if args.model is None:
        packaged.find()
    training = parse_as(BestRun, args, out=Path(args.out), languages=languages, golds=args.gold or ())
    with _shown(args.quiet) as (say, hear):
        result = train_best(training, say, hear)
    lines = []
    for name, step in result["steps"].items():
        before, aer = step["before"], step["aer"]
        judged = (
            "" if before is None or aer is None else f", AER on held-out gold {100 * before:.2f} to {100 * aer:.2f}"
        )
        left_out = "" if step["used"] else ", not used"
        lines.append(f"{name}: {step['done']}; {step['cpu_seconds']:.0f} CPU seconds{judged}{left_out}")
    return [*lines, _aligning(args.out)]


COMMON = ("command", "run", "out", "quiet", "verbose")  # all ways to train have these


class Way(NamedTuple):
    """A way to train: its required options, its optional ones (empty: all), and its function."""

    needs: tuple[str, ...]
    options: tuple[str, ...]
    run: Callable[[argparse.Namespace], list[str]]


WAYS = {
    "text": Way(("src", "tgt"), (), run_text),
    "gold": Way(("gold",), ("train_encoder", "model", "seed", "device"), run_gold),
    "best": Way(("src", "tgt"), ("gold", "model", "languages", "updates", "seed", "device"), run_best),
}


def _aligning(model: object, options: str = "") -> str:
    """The command that aligns by the trained model."""
    return f"next: xalign align --model {shlex.quote(str(model))} {options}--src FILE --tgt FILE --out FILE.links"


@contextmanager
def _shown(quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[str, int], None]]]:
    """Functions that write a line (if quiet, only warnings) and show the log of a training."""
    from xalign_fairseq.cli._train_progress import TrainProgress

    with TrainProgress(None, quiet) as progress:

        def say(line: str) -> None:
            if not quiet or line.startswith("warning:"):
                progress.write(line)

        def hear(line: str, updates: int) -> None:
            progress.most = updates
            progress.hear(line)

        try:
            yield say, hear
        except KeyboardInterrupt:
            progress.write("the same command resumes from the last checkpoint, if one was written")
            raise
