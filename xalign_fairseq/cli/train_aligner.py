"""Fine-tune a model into an aligner, on raw bitext.

Prepares the text with the model's own tokenizer, trains, and writes a folder for xalign align --model. With a
development set, AER is measured at every checkpoint; it selects the best checkpoint and stops training early. The same
command continues an interrupted run.

The default model is e5-small. Its defaults were chosen on development gold: self_training by grow at layer 7, frozen
embeddings, 200 updates of 32 pairs; this takes minutes on a CPU. Other models use awesome-align's 20,000 updates of 8
pairs with Adam and no warm-up, and XLM-Align's labels and layer. awesome-align's names so and co are accepted for
self_training and consistency.

With --links, dwa learns from these links (awesome-align's --train_gold_file); self_training keeps only those of its own
links that are among them. To improve e5-small further, train it twice: the second time, pass --links the output of
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
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import add_backend_argument, chosen_model, language_pair, show_log
from xalign_fairseq.cli._arguments import PRETRAINED, add_model, add_out, add_values
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.names import ONE_LAYER_METHODS, SIMILARITIES

if TYPE_CHECKING:
    from xalign_fairseq.aligner.training.best import BestRun
    from xalign_fairseq.aligner.training.gold import ScorerRun
    from xalign_fairseq.aligner.training.run import TrainingRun

# The options of each special way to train; --gold without --best is the way "gold".
WAYS = {
    "best": {"src", "tgt", "gold", "model", "languages", "updates", "seed", "device"},
    "gold": {"train_encoder", "model", "seed", "device"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign train-aligner``; the namespace has only the options that are given."""
    parser.argument_default = argparse.SUPPRESS
    parser.add_argument("--best", action="store_true", help="do all steps that improve links, one after the other")
    parser.add_argument("--src", metavar="FILE", help="source sentences, one per line")
    parser.add_argument("--tgt", metavar="FILE", help="target sentences, one per line")
    parser.add_argument(
        "--gold",
        nargs="+",
        metavar="FILE",
        help="instead of --src and --tgt, or with --best: gold links S-T.gold, such as en-cs.gold, each with its texts "
        "S-T.S and S-T.T in the same folder",
    )
    parser.add_argument(
        "--train-encoder", action="store_true", help="with --gold: train the encoder too, by updates of low rank"
    )
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
    parser.argument_default = None


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
        help="read links from hidden states or dwa's pointer (default: hidden; pointer if dwa learns from --links)",
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
    from xalign_fairseq.aligner.training.best import BestRun
    from xalign_fairseq.aligner.training.run import TrainingRun

    show_log(args.quiet)
    training = parse(args)
    if isinstance(training, TrainingRun):
        lines = _train(training, args.out, args.quiet)
    elif isinstance(training, BestRun):
        lines = _learn_all(training, args.out)
    else:
        lines = _learn_scorer(training, args.quiet)
    print("\n".join(lines))


def parse(args: argparse.Namespace) -> "BestRun | ScorerRun | TrainingRun":
    """The options as one value; missing options may follow the model's family."""
    from xalign_fairseq.aligner.training.best import BestRun
    from xalign_fairseq.aligner.training.gold import ScorerRun
    from xalign_fairseq.aligner.training.run import TrainingRun, objectives_of
    from xalign_fairseq.aligner.training.text import development_set, languages_of
    from xalign_fairseq.encoder.pretrained import low_rank, packaged

    given = {name: value for name, value in vars(args).items() if name not in ("command", "run", "quiet", "verbose")}
    out = Path(given.pop("out"))
    for name, usual in (("sinkhorn_backend", "auto"), ("extra", ())):
        if given[name] == usual:
            del given[name]
    way = _way(given)
    if way == "gold":
        return ScorerRun(chosen_model(given.pop("model", None), args.quiet), given.pop("gold"), out, **given)
    languages = given.pop("languages", None) or languages_of(given["src"], given["tgt"])
    if way == "best":
        if "model" not in given:
            packaged.find()
        model, golds = given.pop("model", low_rank.NAME), given.pop("gold", ())
        return BestRun(out=out, languages=languages, golds=golds, model=model, quiet=args.quiet, **given)
    given["model"] = chosen_model(given.get("model"), args.quiet)
    dev = development_set(**{name: given.pop(name, None) for name in ("valid_src", "valid_tgt", "valid_gold")})
    extra = tuple(given.pop("extra", ()))
    if "objectives" in given:
        given["objectives"] = objectives_of(given["objectives"])
    if given.get("freeze_layers") == -1:
        given["freeze_layers"] = None
    chosen = frozenset(given)
    return TrainingRun(out=out.absolute(), languages=languages, dev=dev, extra=extra, chosen=chosen, **given)


def _way(given: dict[str, Any]) -> str:
    """The requested special way to train, if any; :class:`XalignError` for options that it lacks."""
    way = "best" if given.pop("best", False) else "gold" if "gold" in given else ""
    if others := [name for name in given if way and name not in WAYS[way] | {way}]:
        raise XalignError("the first of these options excludes the others", parameter=(way, *others))
    if not way and "train_encoder" in given:
        problem = "training the encoder with a link scorer needs gold links"
        raise XalignError(problem, parameter="train_encoder", expected="--gold FILE ...")
    if not ({"gold"} if way == "gold" else {"src", "tgt"}) <= given.keys():
        found = given.get("extra", ())
        expected = "--src FILE --tgt FILE, or --gold FILE ..., or with --best all three"
        if len(found) == 2 and all(map(os.path.exists, found)):
            expected = f"--src {shlex.quote(found[0])} --tgt {shlex.quote(found[1])}"
        raise XalignError("the text to learn from is not given", found=" ".join(found), expected=expected)
    return way


def _aligning(model: object, options: str = "") -> str:
    """The command that aligns by the trained model."""
    return f"next: xalign align --model {shlex.quote(str(model))} {options}--src FILE --tgt FILE --out FILE.links"


def _learn_scorer(run: "ScorerRun", quiet: bool) -> list[str]:
    """Learn a link scorer from gold links; returns the summary."""
    from xalign_fairseq.aligner.training.gold import train_scorer

    train_scorer(run, print if not quiet else lambda line: None)
    path = str(run.path)
    model, options = (path, "") if run.train_encoder else (run.model, f"--method scored --scorer {shlex.quote(path)} ")
    return [_aligning(model, options)]


def _train(run: "TrainingRun", out: str, quiet: bool) -> list[str]:
    """Fine-tune; returns the summary: the aligner, the gain of the training, and the command that aligns with it."""
    from xalign_fairseq.aligner.training.train import train_aligner

    with _shown(quiet) as (say, hear):
        result = train_aligner(run, say, hear)
    lines = [f"{result['checkpoint']}, update {result['updates']}"]
    if result["aer"] is not None and result["before"] is not None:
        lines[0] += f": AER {100 * result['aer']:.2f}, before training {100 * result['before']:.2f}"
        if result["aer"] > result["before"]:
            lines.append("warning: training raised AER; use the original model")
    return [*lines, _aligning(out, f"--languages {run.name} " if result["language_embeddings"] else "")]


def _learn_all(run: "BestRun", out: str) -> list[str]:
    """Do all steps; returns a summary, one step per line."""
    from xalign_fairseq.aligner.training.best import train_best

    with _shown(run.quiet) as (say, hear):
        result = train_best(run, say, hear)
    lines = []
    for name, step in result["steps"].items():
        before, aer = step["before"], step["aer"]
        judged = (
            "" if before is None or aer is None else f", AER on held-out gold {100 * before:.2f} to {100 * aer:.2f}"
        )
        left_out = "" if step["used"] else ", not used"
        lines.append(f"{name}: {step['done']}; {step['cpu_seconds']:.0f} CPU seconds{judged}{left_out}")
    return [*lines, _aligning(out)]


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
