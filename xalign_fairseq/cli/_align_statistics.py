"""What ``xalign align`` has from statistics of the bitext: all links, or a share of their scores beside an encoder."""

import argparse
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xalign_fairseq.cli._aligning import method_options, progress_bar
from xalign_fairseq.cli._arguments import STANDARD_OUTPUT
from xalign_fairseq.cli._from_scratch import passes_bar, refuse_strays
from xalign_fairseq.cli._run_record import model_state, run_record
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json

if TYPE_CHECKING:
    from xalign_fairseq.aligner.kept_scores import KeptScores
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.neural.processes import AlignerPool
    from xalign_fairseq.aligner.sentence_pairs import PairStream, SentencePairs
    from xalign_fairseq.aligner.statistical.folder import TrainedModels

logger = logging.getLogger(__name__)
LEARNED = ""  # --statistics without a folder
WITHOUT_EFFECT_ON_STATISTICS = {"--threshold", "--growth", "--format", "--units"}


def learn_first(
    args: argparse.Namespace,
    pairs: "SentencePairs | PairStream",
    encoder_arguments: Callable[[argparse.ArgumentParser], None],
) -> None:
    """With ``--from-scratch`` learn an aligner from the text, which ``--model`` names then; check what goes with it.

    What goes with ``--statistics`` is checked too; they are learned when their encoder is loaded.

    Args:
        args: as given.
        pairs: the text.
        encoder_arguments: adds the options of an encoder, which an aligner of bitext alone has no use for.

    Raises:
        XalignError: an option does not go with another, or there is no text to learn from.
    """
    from xalign_fairseq.aligner.statistical.folder import is_statistical

    if args.statistics is not None:
        _check_statistics(args, pairs)
        return
    if not (args.from_scratch or is_statistical(args.model)):
        if args.min_probability is not None:
            raise XalignError(
                "probabilities of links are calibrated by aligners of bitext alone",
                parameter="min_probability",
                remedy="leave it out, or use --from-scratch or such an aligner's folder as --model",
            )
        return
    refuse_strays(args, encoder_arguments, {"model"})
    if args.from_scratch:
        _require_files(args, pairs, "--from-scratch", ", and no --model", fitting=args.model is None)
        args.model = _learn(args)


def _check_statistics(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> None:
    from xalign_fairseq.aligner.combined import METHOD, SCORES
    from xalign_fairseq.aligner.statistical.folder import is_statistical
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
            "the folder has no aligner of bitext alone", parameter="statistics", found=args.statistics,
            remedy="xalign train-aligner --from-scratch --src FILE --tgt FILE --out FOLDER makes one",
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
    from xalign_fairseq.aligner.statistical.aligner import train_from_scratch

    folder = f"{args.out}.aligner"
    with passes_bar(args.quiet) as show:
        train_from_scratch(args.src, args.tgt, Path(folder), show)
    return folder


def statistics_beside(
    args: argparse.Namespace, encoder: "Aligner | AlignerPool"
) -> tuple["Aligner | AlignerPool | KeptScores", "TrainedModels"]:
    """What ``--statistics`` has beside an encoder: learned now, or of an earlier run; and the encoder's scores."""
    from xalign_fairseq.aligner.statistical.folder import load

    if args.statistics == LEARNED:
        return _learn_beside(args, encoder)
    trained = load(Path(args.statistics))
    _tell_of_another_guide(args)
    return encoder, trained


def _tell_of_another_guide(args: argparse.Namespace) -> None:
    """Statistics expect the scores of the encoder that guided them: those of another are read, but not in silence."""
    from xalign_fairseq.aligner.statistical.folder import BEGUN

    begun = Path(args.statistics) / BEGUN
    guide = read_json(begun).get("--model") if begun.is_file() else None  # --from-scratch had none
    here = model_state(args.model)
    if guide not in (None, here):
        logger.warning("statistics: %s were guided by %s, and are read beside %s", args.statistics, guide, here)


def _learn_beside(args: argparse.Namespace, encoder: "Aligner | AlignerPool") -> tuple["KeptScores", "TrainedModels"]:
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
