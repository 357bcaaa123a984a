"""The one exception that users meet: what is wrong, where, what was found and expected, and what to run next."""

import sys
from collections.abc import Callable


class XalignError(ValueError):
    """An error in the user's input, files or options.

    Args:
        what: one sentence, without a final full stop.
        where: file, line, option or sentence.
        found: what is there.
        expected: what should be there.
        next: a command or an action that mends it.

    Example::

        raise XalignError("the two sides differ in length", where="train.en, train.de",
                          found="100 and 99 lines", expected="as many lines on both sides",
                          next="look for a line break inside a sentence near the end")
    """

    def __init__(
        self,
        what: str,
        *,
        where: object = None,
        found: object = None,
        expected: object = None,
        next: str | None = None,
    ):
        parts = [what]
        for label, value in (("where", where), ("found", found), ("expected", expected), ("next", next)):
            if value is not None:
                parts.append(f"  {label}: {value}")
        super().__init__("\n".join(parts))
        self.what = what


def check_values(what: str, *values: tuple[str, object, bool, str]) -> None:
    """:class:`XalignError` for the first of (name, value, whether it has a meaning, which ones have) that has none.

    Example::

        check_values("an option has no such value", ("rounds", rounds, rounds >= 1, "1 or more"))
    """
    for name, value, right, expected in values:
        if not right:
            raise XalignError(what, where=name, found=value, expected=expected)


def exit_code(main: Callable[[], int | None]) -> int:
    """What a script's ``main`` returns (None is 0); an :class:`XalignError` is told without a traceback, and gives 2.

    Example::

        sys.exit(exit_code(main))
    """
    try:
        return main() or 0
    except XalignError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
