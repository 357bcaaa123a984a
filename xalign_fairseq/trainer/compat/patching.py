"""How a patch replaces a function of fairseq: once, marked, with the original still reachable as ``__wrapped__``."""

import functools
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

_MARK = "_xalign_patches"
Function = Callable[..., Any]


class PatchStatus(NamedTuple):
    """One line of ``xalign doctor``: the patch, whether it is ``"active"`` or ``"not needed"``, and why."""

    name: str
    state: str
    reason: str


class FairseqPatch(NamedTuple):
    """A patch: its name, reason, check of the versions of fairseq, torch and numpy, and installer."""

    name: str
    why: str
    needed: Callable[[], bool]
    install: Callable[[], object]


def instead(function: Function) -> Callable[[Any], Any]:
    """Decorates ``function(original, ...)``; the result turns an original function into its replacement."""

    def make(original: Function) -> Function:
        @functools.wraps(original, updated=())
        def patched(*args: Any, **kwargs: Any) -> Any:
            return function(original, *args, **kwargs)

        return patched

    return make


def wrapping(
    name: str, why: str, place: str, attribute: str, make: Callable[[Any], Any], *, has: str = "", lacks: str = ""
) -> FairseqPatch:
    """A patch that wraps an attribute of ``module`` or ``module:Class`` if its source has ``has`` but not ``lacks``."""

    def needed() -> bool:
        function = getattr(pkgutil.resolve_name(place), attribute)
        return source_has(function, has) and not (lacks and source_has(function, lacks))

    return FairseqPatch(name, why, needed, lambda: replace(pkgutil.resolve_name(place), attribute, name, make))


def replace(owner: object, attribute: str, patch: str, make: Callable[[Any], Any]) -> None:
    """Set ``owner.attribute`` to ``make(original)``, unless the patch of this name is already installed."""
    raw = vars(owner)[attribute]
    kind = type(raw) if isinstance(raw, classmethod | staticmethod) else None
    original = raw.__func__ if kind else raw
    marks = getattr(original, _MARK, ())
    if patch in marks:
        return
    patched = make(original)
    setattr(patched, _MARK, (*marks, patch))
    setattr(owner, attribute, kind(patched) if kind else patched)


def source_has(function: Any, text: str) -> bool:
    """Whether fairseq's source of a (perhaps patched) function or class contains ``text``."""
    while hasattr(function, "__wrapped__"):  # inspect.unwrap does not unwrap classes since Python 3.13
        function = function.__wrapped__
    return text in inspect.getsource(function)


@contextmanager
def swapped(owner: object, attribute: str, value: object) -> Iterator[None]:
    """Give ``owner.attribute`` another value inside the block; an inherited attribute is inherited again afterwards."""
    own = attribute in vars(owner)
    before = vars(owner).get(attribute)
    setattr(owner, attribute, value)
    try:
        yield
    finally:
        if own:
            setattr(owner, attribute, before)
        else:
            delattr(owner, attribute)


def training_loop() -> Any:
    """fairseq-train's module, which may be the main program; None if nothing is trained."""
    found = (sys.modules.get(name) for name in ("fairseq_cli.train", "__main__"))
    return next((module for module in found if hasattr(module, "validate_and_save")), None)
