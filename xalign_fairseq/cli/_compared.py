"""What ``xalign layers`` compares: every layer or mean of layers, every method with its options, every encoding."""

import argparse
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import method_options
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.neural.link_setting import LinkSetting
    from xalign_fairseq.transport.methods import Method

# What is compared unless it is given. Of SimAlign's, match needs SciPy; the others here are named.
METHODS = ("transport", "argmax", "itermax", "softmax", "grow")
COMPARED: dict[str, Sequence[Any]] = {
    "filter": ("itermax", "argmax"),
    "threshold": (0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5),
}
OF_GROW = {"threshold": (0.4, 0.5, 0.6)}
ENCODINGS = ("joint", "separate")


def compared_settings(args: argparse.Namespace, aligner: "Aligner") -> "list[LinkSetting]":
    """Every layer, then every encoding, then every method with its options.

    Args:
        args: ``layer``, ``average``, ``method``, ``filter``, ``threshold``, ``encoding``, and the methods' options.
        aligner: as it is without a choice; if its model labelled itself and no method is named, the model's own method
            is compared, in its own encoding.
    """
    from xalign_fairseq.aligner.neural.link_setting import LinkSetting

    own = not args.method and (aligner.origin == "itself" or aligner.pointer is not None)
    methods = own_methods(args, aligner.method) if own else named_methods(args)
    encodings = args.encoding or ([aligner.pair_encoder.encoding] if own else _encodings(aligner))
    layers = compared_layers(args, aligner)
    return [LinkSetting(each, method, encoding) for each in layers for encoding in encodings for method in methods]


def _encodings(aligner: "Aligner") -> Sequence[str]:
    """Those that are possible: a pointer reads joint pairs, and maps are of separate sides."""
    bound = aligner.pointer is not None or aligner.pair_encoder.maps is not None
    return (aligner.pair_encoder.encoding,) if bound else ENCODINGS


def compared_layers(args: argparse.Namespace, aligner: "Aligner") -> list[tuple[int, ...]]:
    """Those given, or all, and the means of neighbouring ones that are asked for."""
    config = aligner.encoder.config
    # A pointer means something at the layer that it was trained on, and nowhere else.
    every = range(config.encoder_layers + 1) if aligner.pointer is None else aligner.layers
    given = args.layer or [(layer,) for layer in every]
    found = [tuple(config.resolve_layer(layer, "layer") for layer in each) for each in given]
    single = sorted({each[0] for each in found if len(each) == 1})
    for width in args.average or ():
        if width > len(single):
            raise XalignError("there are not so many neighbouring layers", parameter="average", found=width,
                              expected=f"at most {len(single)}")  # fmt: skip
        found += [
            tuple(range(first, first + width)) for first in single if set(range(first, first + width)) <= set(single)
        ]
    return list(dict.fromkeys(found))


def named_methods(args: argparse.Namespace) -> "list[Method]":
    """Each method with each filter or threshold, where it has them, and with the options given that it has.

    Without names it is each of the usual ones that has all options that are given.
    """
    from xalign_fairseq.transport import methods, names

    given = {**_fixed(args), **{option: getattr(args, option) for option in COMPARED if getattr(args, option)}}
    known = {name: names.METHODS[name] for name in dict.fromkeys(args.method or METHODS)}
    if not args.method:
        known = {name: options for name, options in known.items() if given.keys() <= set(options)}
    found: list[Method] = []
    for name, options in known.items():
        usual = COMPARED | (OF_GROW if name == "grow" else {})
        varied = {option: given.get(option, values) for option, values in usual.items() if option in options}
        for values in itertools.product(*(dict.fromkeys(values) for values in varied.values())):
            found.append(methods.make_method(name, **dict(zip(varied, values, strict=True))))
    return _with_options(found, given, args.method or METHODS)


def own_methods(args: argparse.Namespace, own: "Method") -> "list[Method]":
    """The model's own method with its own filter and the usual ones, or its own threshold, or those given.

    Other options change those that have them.
    """
    from xalign_fairseq.transport.methods import with_options

    described = own.describe()
    filters = args.filter or ((described["filter"], *COMPARED["filter"]) if "filter" in described else (None,))
    thresholds = args.threshold or (None,)
    each = [(filter, threshold) for filter in dict.fromkeys(filters) for threshold in dict.fromkeys(thresholds)]
    found = [with_options(own, filter=filter, threshold=threshold) for filter, threshold in each]
    return _with_options(found, _fixed(args), (described["method"],))


def _fixed(args: argparse.Namespace) -> dict[str, Any]:
    """The options that are given and have one value in all that is compared."""
    return {option: value for option, value in method_options(args).items() if option not in COMPARED}


def _with_options(found: "list[Method]", given: Mapping[str, Any], names: Sequence[str]) -> "list[Method]":
    """The methods, each with the given options that bear on its links; an error for one that bears on none."""
    from xalign_fairseq.transport.methods import with_options

    bearing = [method.describe() for method in found]
    for option in given.keys() - {option for each in bearing for option in each}:
        raise XalignError(
            "none of the methods has use for an option",
            where=f"--{option}",
            found=", ".join(names),
            remedy="name a method that has it by --method, and a filter by --filter",
        )
    fixed = {option: value for option, value in given.items() if option not in COMPARED}
    return [
        with_options(method, **{option: value for option, value in fixed.items() if option in own})
        for method, own in zip(found, bearing, strict=True)
    ]
