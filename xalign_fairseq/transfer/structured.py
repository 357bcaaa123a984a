"""YAML into dataclasses by OmegaConf; errors name the file and the key."""

import difflib
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException, ValidationError

from xalign_fairseq.core.errors import XalignError

PLAIN = {"str", "int", "float", "bool", "null", "map", "seq", "merge"}
# Far more than any study has: values, each counted as often as an alias repeats it.
MOST_VALUES = 100_000
MOST_LEVELS = 100  # of lists and keys within each other
LENGTHS = ("epochs", "updates")  # the settings of which a run has one


def load_yaml(path: str | os.PathLike) -> Any:
    """The content of a file.

    Raises:
        XalignError: the file is missing or not YAML, has a key twice, a value of another type (a date, an object), a
            value that contains itself, or more than :data:`MOST_VALUES` values or :data:`MOST_LEVELS` levels.
    """
    if not Path(path).is_file():
        raise XalignError("the study does not exist", where=path)
    try:
        text = Path(path).read_bytes()
        _require_finite(text, path)
        _require_plain(yaml.compose(text, yaml.SafeLoader), path)
        return OmegaConf.to_container(OmegaConf.load(os.fspath(path)), resolve=True)
    except XalignError:
        raise
    # ValueError: bytes that are no UTF-8, numbers of more digits than Python reads
    except (yaml.YAMLError, ValueError, OmegaConfBaseException, OSError) as error:
        found = textwrap.shorten(" ".join(str(error).split()), 300, placeholder=" ...")
        raise XalignError("the study is not YAML", where=path, found=found) from None


def load_with_base(path: str | os.PathLike) -> Any:
    """The content of a study; it may extend another one, its ``base``, whose path is relative to the study.

    Its values replace the base's, mappings key by key. A run's length replaces the base's, whichever of
    :data:`LENGTHS` either is. If the study names tasks, only those remain. The base's ``data`` are relative to the
    base.

    Raises:
        XalignError: as :func:`load_yaml`; or the base is no mapping, or has a base itself.

    Example::

        load_with_base("longer.yaml")  # {"seeds": [12], "tasks": {"pawsx": {"languages": ["de"], "settings": ...}}}
    """
    own = load_yaml(path)
    if not isinstance(own, Mapping) or "base" not in own:
        return own
    at = Path(path).parent / str(own["base"])
    base = load_yaml(at)
    if not isinstance(base, Mapping) or "base" in base:
        raise XalignError("a study's base is a study that has none itself", where=f"{path}, base", found=own["base"])
    if base.get("data") is not None:
        base = {**base, "data": str((at.parent / str(base["data"])).resolve())}
    made = _over(base, {key: value for key, value in own.items() if key != "base"})
    if isinstance(own.get("tasks"), Mapping):
        made["tasks"] = {name: made["tasks"][name] for name in own["tasks"]}
    return made


def _over(base: Any, own: Any, at: Any = None) -> Any:
    """The base with the study's values in place of its own, key by key."""
    if not (isinstance(base, Mapping) and isinstance(own, Mapping)):
        return own
    if at in ("defaults", "settings") and any(own.get(name) is not None for name in LENGTHS):
        base = {name: value for name, value in base.items() if name not in LENGTHS}
    return {**base, **{key: _over(base.get(key), value, key) for key, value in own.items()}}


def _require_finite(text: bytes, path: str | os.PathLike) -> None:
    """Refuse endless nesting event by event: recursion would end the interpreter if a library raised Python's limit."""
    anchors: list[str | None] = []  # of the lists and mappings that are not closed yet
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            anchors.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchors.pop()
        holds_itself = isinstance(event, yaml.AliasEvent) and event.anchor in anchors
        if holds_itself or len(anchors) > MOST_LEVELS:
            raise XalignError(
                "the study is not YAML that ends",
                where=f"{path}, line {event.start_mark.line + 1}",
                found=f"*{event.anchor} within itself" if holds_itself else "lists or keys within each other",
                expected=f"at most {MOST_LEVELS} levels",
            )


def _require_plain(root: yaml.Node | None, path: str | os.PathLike) -> None:
    """Refuse what would be too large, or has a type of its own, before anything is built."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            kind = node.tag.removeprefix("tag:yaml.org,2002:")
            if kind not in PLAIN:
                raise XalignError(
                    "the study has a value of a type of its own",
                    where=f"{path}, line {node.start_mark.line + 1}",
                    found=f"{kind} {str(node.value)[:40]}",
                    expected="texts, numbers, true or false, lists, and keys with values",
                    remedy="put it in quotes if it is a text",
                )
            sizes[id(node)] = 1 + sum(map(size, _parts(node)))
        return sizes[id(node)]

    found = size(root) if root is not None else 0
    if found > MOST_VALUES:
        raise XalignError(
            "the study is too large",
            where=path,
            found=f"{found:,} values with those that aliases repeat",
            expected=f"at most {MOST_VALUES:,}",
        )


def _parts(node: yaml.Node) -> Iterable[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return chain.from_iterable(node.value)
    return node.value if isinstance(node, yaml.SequenceNode) else ()


def structured(schema: type, found: Any, where: str) -> dict[str, Any]:
    """The fields of a dataclass by name, with the values of ``found`` converted to their types.

    Args:
        schema: a dataclass whose annotations OmegaConf knows.
        found: a mapping, as :func:`load_yaml` gives it.
        where: its place in the study, for errors.

    Raises:
        XalignError: no mapping, a key that is no field (with the nearest that is), a value of another type.

    Example::

        structured(Settings, {"lr": "3e-5"}, "study.yaml, ner")["lr"]  # 3e-05
    """
    if not isinstance(found, Mapping):
        raise XalignError("the study needs keys and values here", where=where, found=found)
    types = {each.name: each.type for each in fields(schema)}
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
    return OmegaConf.to_container(config)  # type: ignore[return-value]


def check_names(
    found: Iterable[object],
    known: Sequence[str],
    problem: str,
    *,
    where: object = None,
    parameter: str | None = None,
) -> None:
    """Raise :class:`XalignError` for the first name that is not known; it suggests the nearest one."""
    for name in found:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
            expected = f"{near[0]}?" if near else ", ".join(known)
            raise XalignError(problem, where=where, parameter=parameter, found=name, expected=expected)


@contextmanager
def errors_at(where: str) -> Iterator[None]:
    """Give errors of a block a place in the study; their parameters become its keys."""
    try:
        yield
    except XalignError as error:
        place = ", ".join([where, *map(str, filter(None, [error.where])), *error.parameters])
        raise XalignError(
            error.problem, where=place, found=error.found, expected=error.expected, remedy=error.remedy
        ) from None
