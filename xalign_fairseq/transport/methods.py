"""Methods by name: transport, SimAlign's, awesome-align's and others; their options, also as plain values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.grown import Grown
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.peers import COSINE_FILTERS, Cosine, Released, Softmax
from xalign_fairseq.transport.plan_links import Transport
from xalign_fairseq.transport.scored import Scored

_CLASSES: dict[str, Callable[..., Method]] = {
    **{name: partial(Cosine, name) for name in COSINE_FILTERS},
    **{each.name: each for each in (Transport, Softmax, Grown, Released, Scored)},
}


def make_method(name: str, **options: object) -> Method:
    """Make a method from its command-line name. None keeps a default; XalignError if the method has no such option."""
    if name not in METHODS:
        raise XalignError("unknown method", parameter="method", found=name, expected=" or ".join(METHODS))
    return change_method(method_of_state({"name": name}), **options)


def change_method(method: Method, **options: object) -> Method:
    """A method with some options changed; None keeps an option. Errors as in :func:`make_method`."""
    given, known = {key: value for key, value in options.items() if value is not None}, METHODS[method.name]
    for key in given.keys() - set(known):
        others = " or ".join(name for name, options in METHODS.items() if key in options)
        remedy = ("set", Parameter("method", others)) if others else None
        raise XalignError(f"the method {method.name} has no such option", parameter=key, remedy=remedy)
    made = replace(method, **given)
    described = made.describe()
    for key in given.keys() - described.keys():  # such as itermax's options without itermax
        remedy = ("leave it out, or set", Parameter("filter", "itermax"))
        raise XalignError(f"the filter {described['filter']} has no such option", parameter=key, remedy=remedy)
    return made


def method_of_state(state: Mapping[str, Any]) -> Method:
    """The method of :meth:`.Method.state`; :class:`XalignError` for an unknown one or options of other types."""
    options = dict(state)
    try:
        kind = _CLASSES[options.pop("name")]
        made = kind(**options)
        for key, value in kind().state().items():
            if key in options and value is not None and not isinstance(options[key], (type(value), int)):
                raise TypeError(f"{key} is of another type")
        return made
    except (KeyError, TypeError) as error:
        problem = "a labelling method was saved by another version of this package"
        raise XalignError(problem, found=f"{dict(state)} ({error})") from None


def method_label(method: Method) -> str:
    """A method's name for tables; for transport with the filter: ``transport-itermax``."""
    described = method.describe()
    return "-".join(described[key] for key in ("method", "filter") if key in described)
