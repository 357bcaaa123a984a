"""Numbers and lists in text."""


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the singular or plural.

    >>> counted(1, "pair"), counted(0, "pair"), counted(2000, "entry")
    ('1 pair', '0 pairs', '2,000 entries')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def listed(text: str) -> tuple[str, ...]:
    """The names in a list with commas, with or without spaces."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
