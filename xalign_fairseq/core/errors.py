"""The exception for users. Its fields are data; :func:`command_line_text` shows flags and commands."""

import errno
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True)
class Parameter:
    """A parameter in an error, with its recommended value, if any: ``Parameter("encoding", "joint")``."""

    name: str
    value: object = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"

    def flag(self) -> str:
        """The option on a command line."""
        option = "--" + self.name.replace("_", "-")
        return option if self.value is None else f"{option} {self.value}"


@dataclass(frozen=True)
class Command:
    """A recommended command of ``xalign``, with its parameters."""

    name: str
    parameters: tuple[Parameter | str, ...] = ()

    def __init__(self, name: str, *parameters: Parameter | str):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parameters", parameters)

    def __str__(self) -> str:
        return " ".join(
            [f"the command {self.name}", *(["with", *map(str, self.parameters)] if self.parameters else [])]
        )

    def line(self) -> str:
        """The text to type."""
        parameters = (each if isinstance(each, str) else each.flag() for each in self.parameters)
        return " ".join(["xalign", self.name, *parameters])


Text = str | Parameter | Command | Sequence[str | Parameter | Command]
"""Plain text, or text with the parameters and commands that it mentions as data; a sequence is joined by spaces."""


class XalignError(ValueError):
    """An error in the user's input, files or parameters.

    Args:
        problem: one short sentence, without a final full stop.
        where: the file, line or sentence.
        parameter: the name of the parameter, or several: ``"max_pair_length"``, never as a flag.
        found: the current value.
        expected: the allowed values.
        remedy: what to do about it.

    Example::

        raise XalignError("a pointer needs jointly encoded pairs", parameter="encoding", found="separate",
                          expected="joint", remedy=("or set", Parameter("similarity", "hidden")))
    """

    def __init__(
        self,
        problem: str,
        *,
        where: object = None,
        parameter: str | Sequence[str] | None = None,
        found: object = None,
        expected: object = None,
        remedy: Text | None = None,
    ):
        self.problem = problem
        self.where = where
        self.parameters = (parameter,) if isinstance(parameter, str) else tuple(parameter or ())
        self.found = found
        self.expected = expected
        self.remedy = remedy
        super().__init__(self.text(str))

    def text(self, show: Callable[[Parameter | Command], str]) -> str:
        """The error as text; ``show`` formats parameters and commands."""
        places = [show(Parameter(name)) for name in self.parameters]
        if self.where is not None:
            places.insert(0, _words(self.where, show))
        lines = [_shortened(self.problem)]
        if places:
            lines.append(f"  where: {', '.join(places)}")
        for label, value in (("found", self.found), ("expected", self.expected), ("next", self.remedy)):
            if value is not None:
                lines.append(f"  {label}: {_words(value, show)}")
        return "\n".join(lines)


MOST_CHARACTERS = 2000  # per field of an error; values from files can be long


def _words(value: object, show: Callable[[Parameter | Command], str]) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    if not any(isinstance(part, Parameter | Command) for part in parts):
        return _shortened(str(value))
    return _shortened(" ".join(show(part) if isinstance(part, Parameter | Command) else str(part) for part in parts))


def _shortened(text: str) -> str:
    """A long text without its middle; the important part may be at its end."""
    left = len(text) - MOST_CHARACTERS
    half = MOST_CHARACTERS // 2
    return text if left <= 0 else f"{text[:half]} ... ({left:,} characters) ... {text[-half:]}"


def command_line_text(error: XalignError) -> str:
    """The error for someone at a command line: parameters as flags, commands as they are typed."""
    return error.text(typed)


def typed(part: object) -> str:
    """A parameter as a flag, a command as typed; everything else as text."""
    return part.flag() if isinstance(part, Parameter) else part.line() if isinstance(part, Command) else str(part)


def typed_arguments(record: logging.LogRecord) -> Any:
    """The arguments of a log record, with parameters and commands as they are typed."""
    if not isinstance(given := record.args, tuple):
        return given
    return tuple(typed(each) if isinstance(each, Parameter | Command) else each for each in given)


def check_values(problem: str, *values: tuple[str, object, bool, str]) -> None:
    """Raise :class:`XalignError` for the first value not allowed: (parameter, value, is allowed, allowed values)."""
    for name, value, right, expected in values:
        if not right:
            raise XalignError(problem, parameter=name, found=value, expected=expected)


def is_disk_error(error: BaseException | None) -> bool:
    """Whether an error is the disk's or system's, and says nothing about a file's content.

    Libraries raise damage as an OSError without a number, or with EINVAL for a position outside a damaged archive.
    """
    return isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)


def exit_code(main: Callable[[], int | None]) -> int:
    """The exit code from a script's ``main`` (None is 0); an :class:`XalignError` is printed and gives 2."""
    try:
        return main() or 0
    except XalignError as error:
        print(f"error: {command_line_text(error)}", file=sys.stderr)
        return 2


class Finding(NamedTuple):
    """A result of a check: ``ok``, ``note`` or ``WRONG``, with a text or an error."""

    level: Literal["ok", "note", "WRONG"]
    topic: str
    text: str | XalignError

    def line(self) -> str:
        """The lines for a terminal."""
        text = command_line_text(self.text) if isinstance(self.text, XalignError) else self.text
        first, *rest = text.splitlines() or [""]
        return "\n".join([f"  {self.level:5} {self.topic}: {first}", *(f"        {line}" for line in rest)])
