"""Methods by name: transport, SimAlign's, awesome-align's and others; their options, and plain values of them."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.grown import Grown
from xalign_fairseq.transport.labels import Transport
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.peers import Cosine, Released, Softmax
from xalign_fairseq.transport.scored import Scored

_CLASSES: dict[str, Callable[..., Method]] = {
    "transport": Transport,
    "argmax": Cosine,
    "itermax": Cosine,
    "match": Cosine,
    "softmax": Softmax,
    "grow": Grown,
    "released": Released,
    "scored": Scored,
}


def _fixed(name: str) -> dict[str, str]:
    return {"filter": name} if _CLASSES[name] is Cosine else {}


def make_method(name: str, **options: object) -> Method:
    """Make a method from its command-line name. None keeps a default; XalignError for an option without effect."""
    if name not in METHODS:
        raise XalignError("there is no such method", parameter="method", found=name, expected=" or ".join(METHODS))
    return with_options(method_of_state({"name": name}), **options)


def with_options(method: Method, **options: object) -> Method:
    """A method with some options changed; None keeps an option. Errors as in :func:`make_method`."""
    given, known = {key: value for key, value in options.items() if value is not None}, METHODS[method.name]
    for key in given.keys() - set(known):
        problem = f"the method {method.name} has no such option"
        raise XalignError(problem, parameter=key, expected=", ".join(known) or "none")
    made: Method = replace(method, **given)  # type: ignore[type-var]
    described = made.describe()
    for key in given.keys() - described.keys():  # such as itermax's options without itermax
        raise XalignError(
            f"the filter {described['filter']} has no such option",
            parameter=key,
            remedy=("leave it out, or set", Parameter("filter", "itermax")),
        )
    return made


def method_state(method: Method) -> dict[str, Any]:
    """A method as plain values, for a checkpoint; the inverse of :func:`method_of_state`."""
    left_out = {*_fixed(method.name), "measure"}
    each = fields(method)  # type: ignore[arg-type]
    return {"name": method.name, **{one.name: getattr(method, one.name) for one in each if one.name not in left_out}}


def method_of_state(state: Mapping[str, Any]) -> Method:
    """The method that :func:`method_state` described; :class:`XalignError` for an unknown method."""
    options = dict(state)
    options.pop("domain", None)  # an option of older checkpoints
    try:
        name = options.pop("name")
        made = _CLASSES[name](**_fixed(name), **options)
        for key, value in method_state(_CLASSES[name](**_fixed(name))).items():
            if key in options and value is not None and not isinstance(options[key], (type(value), int)):
                raise TypeError(f"{key} is of another type")
        return made
    except (KeyError, TypeError) as error:
        raise XalignError(
            "a labelling method was saved by another version of this package", found=f"{dict(state)} ({error})"
        ) from None


def method_label(method: Method) -> str:
    """A method's name for tables; for transport with the filter: ``transport-itermax``."""
    described = method.describe()
    return "-".join(described[key] for key in ("method", "filter") if key in described)
