"""YAML into dataclasses by OmegaConf; errors name the file and the key."""

import difflib
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException, ValidationError

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath

T = TypeVar("T")
LENGTHS = ("epochs", "updates")  # a run has one of these settings


def load_yaml(path: StrPath) -> Any:
    if not Path(path).is_file():
        raise XalignError("the study does not exist", where=path)
    try:
        return OmegaConf.to_container(OmegaConf.load(os.fspath(path)), resolve=True)
    # ValueError: invalid UTF-8, numbers with more digits than Python reads
    except (yaml.YAMLError, ValueError, RecursionError, OmegaConfBaseException, OSError) as error:
        found = textwrap.shorten(" ".join(str(error).split()), 300, placeholder=" ...")
        raise XalignError("the study is not YAML", where=path, found=found) from None


def load_with_base(path: StrPath) -> Any:
    """The content of a study, merged key by key into its ``base``, whose path is relative to the study."""
    own = load_yaml(path)
    if not isinstance(own, Mapping) or "base" not in own:
        return own
    at = Path(path).parent / str(own["base"])
    base = load_yaml(at)
    if not isinstance(base, Mapping) or "base" in base:
        problem = "a base must be a study, and must not have a base"
        raise XalignError(problem, where=f"{path}, base", found=own["base"])
    if base.get("data") is not None:
        base = {**base, "data": str((at.parent / str(base["data"])).resolve())}
    made = _over(base, {key: value for key, value in own.items() if key != "base"})
    if isinstance(own.get("tasks"), Mapping):
        made["tasks"] = {name: made["tasks"][name] for name in own["tasks"]}
    return made


def _over(base: object, own: object, at: object = None) -> Any:
    """The base with its values replaced by the study's, key by key."""
    if not (isinstance(base, Mapping) and isinstance(own, Mapping)):
        return own
    if at in ("defaults", "settings") and any(own.get(name) is not None for name in LENGTHS):
        base = {name: value for name, value in base.items() if name not in LENGTHS}
    return {**base, **{key: _over(base.get(key), value, key) for key, value in own.items()}}


def structured(schema: type[T], found: object, where: str) -> T:
    """A dataclass from a mapping, with the values converted to the fields' types."""
    if not isinstance(found, Mapping):
        raise XalignError("the study needs keys and values here", where=where, found=found)
    types = {each.name: each.type for each in fields(schema)}  # type: ignore[arg-type]
    check_names(found, list(types), "the study has an unknown key", where=where)
    config = OmegaConf.structured(schema)
    OmegaConf.set_readonly(config, False)  # which a frozen dataclass is
    for key, value in found.items():
        kind = types[key]
        try:
            if kind is bool and not isinstance(value, bool):
                raise ValidationError  # OmegaConf would take 1 and "yes"
            config[key] = value
        except OmegaConfBaseException:
            expected = kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")
            raise XalignError(
                "the value has the wrong type", where=f"{where}, {key}", found=str(value), expected=expected
            ) from None
    return OmegaConf.to_object(config)  # type: ignore[return-value]


def check_names(
    found: Iterable[object], known: Sequence[str], problem: str, *, where: object = None, parameter: str | None = None
) -> None:
    """Raise :class:`XalignError` for the first name that is not known; it suggests the nearest one."""
    for name in found:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
            expected = f"{near[0]}?" if near else ", ".join(known)
            raise XalignError(problem, where=where, parameter=parameter, found=name, expected=expected)


@contextmanager
def errors_at(where: str) -> Iterator[None]:
    """Add a place in the study to a block's errors; their parameters become the study's keys."""
    try:
        yield
    except XalignError as error:
        place = ", ".join([where, *map(str, filter(None, [error.where])), *error.parameters])
        raise XalignError(
            error.problem, where=place, found=error.found, expected=error.expected, remedy=error.remedy
        ) from None
