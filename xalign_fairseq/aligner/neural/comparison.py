"""Compare layers, methods, options and encodings on development sets."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from xalign_fairseq.aligner.gold_sets import GoldSet
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.protocol import Progress
from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.progress import progress
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.links.aer import AlignmentCounts, count
from xalign_fairseq.links.bootstrap import PairedTest, paired_bootstrap_of_sets
from xalign_fairseq.links.gold import read_gold_text
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.names import COMPARED_METHODS, ENCODINGS, METHODS
from xalign_fairseq.transport.resolving import ITSELF
from xalign_fairseq.transport.scored import Scored


@dataclass(frozen=True, eq=False)
class Trial:
    """The scores of one linking on several sets: for each set (pairs, 4), the counts of each pair in the order of
    :class:`~xalign_fairseq.links.aer.AlignmentCounts`."""

    linking: Linking
    parts: tuple[np.ndarray, ...]

    def totals(self) -> list[AlignmentCounts]:
        """The counts of each set, whose AER is its score."""
        return [AlignmentCounts(*part.sum(0).tolist()) for part in self.parts]

    @property
    def aer(self) -> float:
        """The mean over the sets, with equal weight for each set."""
        totals = self.totals()
        return sum(total.aer for total in totals) / len(totals)


def try_linkings(
    aligner: Aligner, sets: Sequence[GoldSet], linkings: Sequence[Linking], progress: Progress | None = None
) -> list[Trial]:
    """Score every linking on every set; returns one trial per linking. The encoder reads the sets once per encoding.

    ``progress`` is called with the number of newly finished pairs; each pair counts once per encoding.

    Example::

        linkings = [Linking("argmax", layers=(layer,), encoding="separate") for layer in range(13)]
        best = min(try_linkings(aligner, [GoldSet("dev", pairs, golds)], linkings), key=lambda trial: trial.aer)
    """
    found: dict[int, list[np.ndarray]] = {}
    for encoding in dict.fromkeys(linking.encoding for linking in linkings):
        places = [place for place, linking in enumerate(linkings) if linking.encoding == encoding]
        encoded = replace(aligner, linking=replace(aligner.linking, encoding=encoding))
        for text in sets:
            parts = np.zeros((len(places), len(text.pairs), 4), dtype=np.int32)
            for row, alignments in enumerate(encoded.sweep(text.pairs, [linkings[at] for at in places], progress)):
                for place, alignment in enumerate(alignments):
                    parts[place, row] = count(alignment.links, text.golds[row])
            for place, part in zip(places, parts, strict=True):
                found.setdefault(place, []).append(part)
    return [Trial(linking, tuple(found[place])) for place, linking in enumerate(linkings)]


# The varied options and their default values.
VARIED: Mapping[str, Sequence[Any]] = {
    "filter": ("itermax", "argmax"),
    "threshold": (0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5),
}
VARIED_OF_GROW = {"threshold": (0.4, 0.5, 0.6)}


@dataclass(frozen=True)
class Grid:
    """The settings to compare; :func:`grid_linkings` fills empty ones."""

    layers: Sequence[tuple[int, ...]] = ()
    average: Sequence[int] = ()
    methods: Sequence[str] = ()
    encodings: Sequence[str] = ()
    varied: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LinkingComparison:
    """The scores of all linkings, in grid order and best first, and the runner-up compared with the best."""

    aligner: Aligner
    sets: Sequence[GoldSet]
    trials: Sequence[Trial]
    ranked: Sequence[Trial]
    runner_up: PairedTest | None


def compare_linkings(
    model: str, options: AlignerOptions, sets: Sequence[GoldSet], grid: Grid, quiet: bool = False
) -> LinkingComparison:
    """Score every linking of a grid on development sets, with one pass of the encoder for each encoding."""
    aligner = Aligner.from_pretrained(model, options)
    linkings = grid_linkings(grid, aligner)
    total = sum(len(text.pairs) for text in sets) * len({linking.encoding for linking in linkings})
    with progress(total=total, unit=" pairs", quiet=quiet) as bar:
        trials = try_linkings(aligner, sets, linkings, bar.update)
    # At equal scores, take the first, from the lowest layer.
    ranked = sorted(trials, key=lambda trial: trial.aer)
    test = paired_bootstrap_of_sets(ranked[0].parts, ranked[1].parts) if len(ranked) > 1 else None
    return LinkingComparison(aligner, sets, trials, ranked, test)


def read_sets(texts: Sequence[tuple[tuple[str, ...], str]]) -> list[GoldSet]:
    """Read sets of (text, gold links) and check the links against the text; the gold file names each set."""
    names = [gold for _, gold in texts]
    if len(set(names)) < len(names):
        raise XalignError("a set is given twice", parameter="set", found=", ".join(names))
    sets = []
    for text, gold in texts:
        pairs, golds = read_gold_text(text[0], text[1] if len(text) == 2 else None, gold)
        sets.append(GoldSet(gold, list(pairs), golds))
    return sets


def grid_linkings(grid: Grid, aligner: Aligner) -> list[Linking]:
    """Every layer, encoding and method with its options, in this order; a link scorer once, with its own layers."""
    linking = aligner.linking
    own = not grid.methods and (linking.origin == ITSELF or aligner.pointer is not None)
    methods = _own_methods(grid, linking) if own else named_methods(grid)
    # A pointer reads joint pairs; maps need separate sides.
    bound = own or aligner.pointer is not None or aligner.maps is not None
    encodings = grid.encodings or ([linking.encoding] if bound else ENCODINGS)
    # A pointer works only at the layer it was trained on.
    every = linking.layers if aligner.pointer is not None else range(aligner.encoder.config.encoder_layers + 1)
    return [
        Linking(each.method, each.options, read, linking.similarity, encoding)
        for number, layers in enumerate(grid_layers(grid, every, aligner.encoder.config))
        for encoding in encodings
        for each in methods
        if (read := layers if not isinstance(each.finder, Scored) else () if number else each.finder.layers)
    ]


def grid_layers(grid: Grid, every: Sequence[int], config: EncoderConfig) -> list[tuple[int, ...]]:
    """The layers of a grid, by default ``every``, and the means of neighbouring layers."""
    given = grid.layers or [(layer,) for layer in every]
    found = [tuple(config.resolve_layer(layer) for layer in each) for each in given]
    single = sorted({each[0] for each in found if len(each) == 1})
    for width in grid.average:
        most = len(single)
        check_values("there are not enough neighbouring layers", ("average", width, width <= most, f"at most {most}"))
        means = [tuple(range(first, first + width)) for first in single]
        found += [each for each in means if set(each) <= set(single)]
    return list(dict.fromkeys(found))


def named_methods(grid: Grid) -> list[Linking]:
    """Each method (by default each usual one that has all given options) with each value of its varied options."""
    given = {**grid.fixed, **grid.varied}
    known = {name: METHODS[name] for name in dict.fromkeys(grid.methods or COMPARED_METHODS)}
    if not grid.methods:
        known = {name: options for name, options in known.items() if given.keys() <= set(options)}
    found: list[Linking] = []
    for name, options in known.items():
        usual = {**VARIED, **(VARIED_OF_GROW if name == "grow" else {})}
        varied = {option: grid.varied.get(option, values) for option, values in usual.items() if option in options}
        for values in itertools.product(*(dict.fromkeys(values) for values in varied.values())):
            found.append(Linking(name).with_options(**dict(zip(varied, values, strict=True))))
    return _with_fixed(found, given, grid.fixed)


def _own_methods(grid: Grid, own: Linking) -> list[Linking]:
    """The model's method with its filter and the usual filters, with its threshold, or with the given values."""
    described = own.finder.describe()
    usual = (described["filter"], *VARIED["filter"]) if "filter" in described else (None,)
    filters = dict.fromkeys(grid.varied.get("filter", usual))
    thresholds = dict.fromkeys(grid.varied.get("threshold", (None,)))
    found = [own.with_options(filter=filter, threshold=at) for filter in filters for at in thresholds]
    return _with_fixed(found, grid.fixed, grid.fixed)


def _with_fixed(found: list[Linking], given: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[Linking]:
    """The methods with the fixed options that affect their links; an error for an option without effect."""
    bearing = [each.finder.describe() for each in found]
    for option in given.keys() - {option for each in bearing for option in each}:
        raise XalignError(
            "no selected method uses this option",
            parameter=option,
            remedy=("choose another", Parameter("method"), "or", Parameter("filter")),
        )
    return [
        each.with_options(**{option: value for option, value in fixed.items() if option in own})
        for each, own in zip(found, bearing, strict=True)
    ]
