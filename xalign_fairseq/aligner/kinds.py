"""The kinds of aligners: how to name each on the command line, and which options it has.

=====================  ==================================================
kind                   named by
=====================  ==================================================
:class:`EncoderAlone`  ``--model MODEL``, an encoder; without it e5-small
:class:`BitextAlone`   ``--from-scratch``, or ``--model FOLDER``
:class:`Guided`        ``--statistics``, or ``--statistics FOLDER``
:class:`Best`          ``--model FOLDER`` of ``train-aligner --best``
=====================  ==================================================

The folder of an earlier ``--from-scratch`` or ``--statistics`` can be given to both ``--model`` and ``--statistics``.

``check`` raises :class:`XalignError` for an option that the kind lacks, and resolves devices and dtype.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.aligner.combined import MIXINGS
from xalign_fairseq.aligner.options import AlignerOptions, BestParts, read_best
from xalign_fairseq.aligner.statistical.folder import is_statistical
from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.transport.methods import make_method


@dataclass(frozen=True)
class EncoderAlone:
    """An encoder, with all options."""

    def check(self, options: AlignerOptions) -> AlignerOptions:
        if options.linking.method:
            make_method(options.linking.method, **options.linking.options)
        return options.on_devices()


@dataclass(frozen=True)
class BitextAlone:
    """Statistics of bitext without an encoder, in a folder; ``None``: learned from the text to align."""

    folder: Path | None

    def check(self, options: AlignerOptions) -> AlignerOptions:
        for name in options.given():
            if name != "min_probability" and not (name == "languages" and options.maps):  # those of maps
                problem = "an aligner from bitext alone has no such option"
                remedy = "leave it out" + ("; for more cores, align parts of the text" if name == "processes" else "")
                raise XalignError(problem, parameter=name, remedy=remedy)
        return options


@dataclass(frozen=True)
class Guided:
    """An encoder and statistics of bitext that it guides, in a folder; ``None``: learned from the text to align."""

    folder: StrPath | None

    def check(self, options: AlignerOptions) -> AlignerOptions:
        linking = options.linking
        if linking.method not in ("", *MIXINGS):
            problem = "statistics cannot be combined with this method"
            raise XalignError(problem, parameter="method", found=linking.method, expected="grow or scored")
        if self.folder is not None and not is_statistical(self.folder):
            there, beside = os.path.exists(self.folder), f"{self.folder}.aligner"
            problem = "the folder has no statistics of bitext" if there else "the folder does not exist"
            following: Text = (Parameter("statistics"), "without a folder learns them from the text")
            if is_statistical(beside):
                following = ("use", Parameter("statistics", beside))
            elif os.path.isfile(self.folder):
                following = ("if this file is the text, give it before", Parameter("statistics"))
            raise XalignError(problem, parameter="statistics", found=self.folder, remedy=following)
        # Both scores choose the links.
        make_method(
            "grow", **{name: linking.options[name] for name in ("threshold", "growth") if name in linking.options}
        )
        return options.on_devices()


# Options that a folder of --best accepts.
COMMON = ("min_probability", "threshold", "growth", "languages", "device", "dtype", "processes", "batch_tokens")


@dataclass(frozen=True)
class Best:
    """An aligner that was made in steps: one or two encoders, with or without statistics."""

    parts: BestParts

    def check(self, options: AlignerOptions) -> AlignerOptions:
        for name in options.given():
            if name not in COMMON:
                problem = "an aligner that was made in steps sets this option itself"
                raise XalignError(problem, parameter=name, remedy="leave it out")
        return options.on_devices()


AlignerKind = EncoderAlone | BitextAlone | Guided | Best


def find_kind(model: StrPath | None, statistics: StrPath | None = None, learns: bool = False) -> AlignerKind:
    """The requested kind of aligner; :class:`XalignError` if it accepts no statistics.

    Args:
        model: an encoder or the folder of an aligner; ``None``: the text to align alone.
        statistics: folder of statistics of bitext, to combine with the encoder's scores.
        learns: the text to align gives these statistics.
    """
    combined = learns or statistics is not None
    if model is None:
        return BitextAlone(None)
    if is_statistical(model):
        if combined:
            remedy = ("leave out", Parameter("model"), "(then e5-small), or", Parameter("statistics"))
            raise XalignError("statistics need an encoder", where=model, parameter="statistics", remedy=remedy)
        return BitextAlone(Path(model))
    if parts := read_best(model):
        if learns:
            problem = "the aligner has already learned statistics"
            raise XalignError(problem, where=model, parameter="statistics", remedy="leave it out")
        return Best(parts)
    return Guided(statistics) if combined else EncoderAlone()
