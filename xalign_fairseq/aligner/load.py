"""Any word aligner by its path: an encoder, statistics of bitext, or both."""

import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from xalign_fairseq.aligner.combined import SCORING, CombinedAligner
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.processes import AlignerPool
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner
from xalign_fairseq.aligner.statistical.folder import is_statistical, load
from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.encoder.dtypes import choose_dtype
from xalign_fairseq.transport.methods import make_method

SINKHORN = "xalign_fairseq.transport.sinkhorn"


def load_aligner(path: str | os.PathLike[str], options: AlignerOptions | None = None, **more: Any) -> WordAligner:
    """Load a word aligner.

    Args:
        path: an encoder: ``e5-small``, a checkpoint, the folder of a run, a folder of XLM-R's or Hugging Face's, a name
            of its hub (:func:`~xalign_fairseq.encoder.pretrained.reading.read_pretrained`); or the folder of an aligner
            from bitext alone.
        options: all at once, or
        more: by name, as of :class:`~xalign_fairseq.aligner.options.AlignerOptions`.

    Returns:
        an :class:`~xalign_fairseq.aligner.neural.aligner.Aligner`, or an
        :class:`~xalign_fairseq.aligner.neural.processes.AlignerPool` of several;
        with ``statistics`` a :class:`~xalign_fairseq.aligner.combined.CombinedAligner`; of bitext alone a
        :class:`~xalign_fairseq.aligner.statistical.aligner.StatisticalAligner`.

    Raises:
        XalignError: there is no such model, it cannot be read, or an option does not go with it.

    Example::

        >>> from xalign_fairseq import Linking
        >>> aligner = load_aligner("e5-small", linking=Linking("argmax", layers=(7,)), device="cpu")
        >>> [pair] = aligner.align(["the red house"], ["la maison rouge"])
        >>> sorted(pair.links)
        [(0, 0), (1, 2), (2, 1)]
    """
    options = options or AlignerOptions.of(**more)
    check_options(path, options)
    if is_statistical(path):
        return StatisticalAligner.from_folder(path, options.min_probability)
    if options.statistics is None:
        return load_encoder_aligner(path, options)
    trained = load(Path(options.statistics))
    choice = options.linking.options
    return CombinedAligner(load_scoring(path, options), trained, choice.get("threshold"), choice.get("growth"))


def check_options(path: str | os.PathLike[str], options: AlignerOptions) -> None:
    """Raise :class:`XalignError` for an option that does not go with the kind of aligner, before anything is read."""
    if options.statistics is not None:
        check_combined(path, options)
        if not is_statistical(options.statistics):
            raise XalignError(
                "the folder has no aligner from bitext alone",
                parameter="statistics",
                found=options.statistics,
                remedy=("make one by", Command("train-aligner", Parameter("from_scratch"))),
            )
    elif is_statistical(path):
        require_none_of_encoders(options)
    elif options.min_probability is not None:
        raise XalignError(
            "only aligners from bitext alone have calibrated probabilities of links",
            parameter="min_probability",
            remedy="leave it out, or use an aligner from bitext alone",
        )


def require_none_of_encoders(options: AlignerOptions) -> None:
    """Raise :class:`XalignError` for an option that an aligner from bitext alone does not have."""
    for name in options.given():
        if name != "min_probability":
            raise XalignError("an aligner from bitext alone has no such option", parameter=name, remedy="leave it out")


def check_combined(path: str | os.PathLike[str], options: AlignerOptions) -> None:
    """Raise :class:`XalignError` for a model or an option that does not go with statistics."""
    if is_statistical(path):
        raise XalignError("statistics add to an encoder's scores", where=path, parameter="statistics")
    linking = options.linking
    for name, found, fits, expected in (
        ("min_probability", options.min_probability, options.min_probability is None, Parameter("threshold")),
        ("method", linking.method, linking.method in ("", SCORING.method), SCORING.method),
        ("units", options.units, options.units == "word", "word, which the statistics are of"),
    ):
        if not fits:
            raise XalignError(
                "the statistics add to an encoder's scores of words", parameter=name, found=found, expected=(expected,)
            )
    make_method(SCORING.method, **{name: value for name, value in linking.options.items() if name in SCORING.options})


def load_scoring(path: str | os.PathLike[str], options: AlignerOptions) -> WordAligner:
    """The encoder of a combined aligner: the options that choose links are not its own."""
    kept = {**options.linking.options, **SCORING.options}
    linking = replace(options.linking, method=SCORING.method, options=kept)
    return load_encoder_aligner(path, replace(options, linking=linking, statistics=None))


def load_encoder_aligner(path: str | os.PathLike[str], options: AlignerOptions) -> WordAligner:
    """One aligner, or one for each device or process."""
    devices = process_devices(options)
    # One dtype for all processes: their links are those of one.
    options = replace(
        options, processes=1, dtype=choose_dtype(options.dtype, [torch.device(device) for device in devices])
    )
    if len(devices) == 1:
        return Aligner.from_pretrained(path, replace(options, device=devices[0]))
    pool = AlignerPool(partial(_load_in_worker, os.fspath(path), options), devices)
    pool.ask(partial(_log_from, level=logging.getLogger(SINKHORN).level))
    return pool


def _load_in_worker(path: str, options: AlignerOptions, device: str) -> Aligner:
    return Aligner.from_pretrained(path, replace(options, device=device))


def _log_from(_: Aligner, level: int) -> None:
    """In one of several processes, which all choose the same: log on stderr what computes transport."""
    logging.getLogger(SINKHORN).setLevel(level)
    logging.getLogger(SINKHORN).addHandler(logging.StreamHandler())


def process_devices(options: AlignerOptions) -> Sequence[str]:
    """The device of each process; :class:`XalignError` for several processes on a GPU."""
    devices = [choose_device(name) for name in options.device.split(",")]
    if options.processes == 1:
        return [str(device) for device in devices]
    if [device.type for device in devices] != ["cpu"]:
        raise XalignError(
            "several processes are for the CPU; a GPU has one",
            parameter="processes",
            found=f"{options.processes} processes, {', '.join(map(str, devices))}",
            remedy=("set", Parameter("device", "cpu"), "or name each GPU once:", Parameter("device", "cuda:0,cuda:1")),
        )
    return ["cpu"] * options.processes
