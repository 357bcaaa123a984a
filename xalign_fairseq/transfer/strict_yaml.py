"""YAML without its traps: keys that stand twice, Norwegian read as False; and values checked with their place."""

import os
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from xalign_fairseq.errors import XalignError


def load_yaml(path: str | os.PathLike) -> Any:
    """The content of a file; :class:`XalignError` if it is missing, is no YAML, or has a key twice."""
    path = Path(path)
    if not path.is_file():
        raise XalignError("the study does not exist", where=path)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise XalignError("the study is not YAML", where=path, found=" ".join(str(error).split())) from None


def check_name(name: Any, where: str) -> str:
    """A name that can be a folder's."""
    text = str(name)
    if not text or text.startswith(".") or not all(letter.isalnum() or letter in "._-+" for letter in text):
        raise XalignError("the name can't be a folder's", where=where, found=name,
                          expected="letters, digits, '-', '_', '+', and '.' but in front")  # fmt: skip
    return text


def file_table(value: Any, where: str) -> dict[str, str]:
    """Language -> path."""
    return {language_code(language, where): str(path) for language, path in key_table(value, where).items()}


def language_list(value: Any, where: str) -> tuple[str, ...]:
    """Different languages in order; none for None."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or not value:
        raise XalignError("the study needs a list here", where=where, found=value, expected="such as [en, de]")
    return tuple(dict.fromkeys(language_code(each, where) for each in value))


def language_code(value: Any, where: str) -> str:
    """A language's code, as a text."""
    if not isinstance(value, str):  # YAML 1.1 reads Norwegian as False
        hint = 'write "no" in quotes' if value is False else None
        raise XalignError("this is not a language", where=where, found=value, expected="such as en", next=hint)
    return check_name(value, where)


def one_of(value: Any, choices: Iterable[Any], where: str) -> Any:
    """One of the choices."""
    if not any(value is choice or value == choice for choice in choices):
        raise XalignError("the study has no such choice", where=where, found=value,
                          expected=" or ".join(str(choice).lower() for choice in choices))  # fmt: skip
    return value


def key_table(value: Any, where: str) -> Mapping[Any, Any]:
    """A mapping."""
    if not isinstance(value, Mapping):
        raise XalignError("the study needs keys and values here", where=where, found=value)
    return value


class _Loader(yaml.SafeLoader):
    """YAML in which a key that stands twice is an error: the first would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        merge = "tag:yaml.org,2002:merge"  # << has no value of its own
        keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != merge]
        twice = [key for i, key in enumerate(keys) if key in keys[:i]]
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"the key {twice[0]} stands twice", node.start_mark)
        return super().construct_mapping(node, deep)
