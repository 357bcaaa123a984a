"""Objects in JSON files. Their form is checked; files are written completely or not at all."""

import json
import math
from contextlib import suppress
from typing import Any, TypeVar, overload

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, nearly

Form = TypeVar("Form")
LARGEST_JSON = 1 << 30  # bytes; tokenizers, the largest usual files, have about ten million


@overload
def read_json(path: StrPath) -> dict[str, Any]: ...
@overload
def read_json(path: StrPath, form: type[Form]) -> Form: ...
def read_json(path: StrPath, form: Any = dict[str, Any]) -> Any:
    """The object in a JSON file, by default with any keys."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_JSON + 1)
    except FileNotFoundError:
        raise XalignError("the file does not exist", where=path, found=nearly(path)) from None
    return require_form(parse_json(content, path), form, path)


def parse_json(content: bytes | str, where: object, whole_characters: bool = True, finite: bool = False) -> Any:
    """The value of a JSON text.

    ``whole_characters`` refuses halves of surrogate pairs, which no text file can hold; ``finite``, NaN and infinity.
    """
    if len(content) > LARGEST_JSON:
        raise XalignError("the file is too large", where=where, expected=f"at most {LARGEST_JSON:,} bytes of JSON")
    hooks: dict[str, Any] = {"parse_float": _finite, "parse_constant": _finite} if finite else {}
    halves = (b"\\ud", b"\\uD") if isinstance(content, bytes) else ("\\ud", "\\uD")
    try:
        value = json.loads(content, **hooks)
        if whole_characters and any(half in content for half in halves):  # type: ignore[operator]
            json.dumps(value, ensure_ascii=False).encode(errors="surrogateescape")  # surrogates of file names
        return value
    except (ValueError, RecursionError) as error:
        raise XalignError("the file is not JSON, or it is damaged", where=where, found=error) from None


def _finite(number: str) -> float:
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{number} is not a finite number")
    return value


def require_form(value: Any, form: type[Form], where: object) -> Form:
    """Return the value if it has the form, a Python type that msgspec supports.

    Keys that a ``TypedDict`` does not name remain.
    """
    import msgspec  # not at the top: slow for --help

    try:
        msgspec.convert(value, form)
    # The last two: text that is not Unicode, and an object that is not the expected container.
    except (msgspec.ValidationError, RecursionError, UnicodeError, AttributeError) as error:
        raise XalignError("the file has unexpected content", where=where, found=error) from None
    return value


def write_changed_json(path: StrPath, content: object) -> None:
    """Like :func:`write_json`, but an equal file keeps its modification time."""
    with suppress(XalignError):  # missing or damaged
        if read_json(path) == content:
            return
    write_json(path, content)


def write_json(path: StrPath, content: object) -> None:
    """Write a value as indented JSON, completely or not at all, for :func:`read_json`."""
    with atomic_write(path) as stream:
        json.dump(content, stream, indent=1, ensure_ascii=False)
        stream.write("\n")
