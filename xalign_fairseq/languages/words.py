"""Raw text as words: what stands between blanks, with the marks at its ends as words of their own."""

import unicodedata
from itertools import groupby


def words_and_marks(text: str) -> list[str]:
    """Words of a raw text, so that an order of words finds its sentence marks.

    A word ends at white space; punctuation and symbols (Unicode's categories P and S) at its beginning and end are
    words of their own, several of the same mark being one. Marks inside a word stay: ``don't``, ``3.5``, ``U.S`` and
    the last dot of ``U.S.`` apart. It is no tokeniser of any treebank, and is for languages that write blanks.

    Example::

        words_and_marks('"Mama, I\\'m home..."')  # ['"', 'Mama', ',', "I'm", 'home', '...', '"']
    """
    words: list[str] = []
    for token in text.split():
        inside = [k for k, character in enumerate(token) if not _is_mark(character)]
        start, end = (inside[0], inside[-1] + 1) if inside else (len(token), len(token))
        words += _runs(token[:start])
        words += [token[start:end]] if inside else []
        words += _runs(token[end:])
    return words


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _runs(marks: str) -> list[str]:
    return ["".join(run) for _, run in groupby(marks)]
