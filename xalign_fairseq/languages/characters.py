"""Scripts of derived languages: a character of its own for every character of the natural language."""

import string
from collections.abc import Iterable

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.tokenizers.offsets import SPACE

# Private use: planes 15 and 16 hold copies of planes 0 and 1, each character at its own place of the plane; what comes
# from other planes goes where plane 0 has its surrogates, which are not characters.
_PLANE, _COPIES = 0x10000, 0xF0000
_OTHERS = range(_COPIES + 0xD800, _COPIES + 0xE000)

# The letters of the Georgian keyboard's QWERTY layout, a to z.
_MKHEDRULI = dict(zip(string.ascii_lowercase, "აბცდეფგჰიჯკლმნოპქრსტუვწხყზ", strict=True))
_MTAVRULI = ord("Ა") - ord("ა")
_BRAILLE = 0x2800

# Begins the copy of a word whose natural pieces begin with a lone word boundary; no other character's copy.
MARKER = chr(_COPIES + ord(SPACE))


def character_table(script: str, characters: Iterable[str]) -> dict[str, str]:
    """The bijection of a script on the given characters.

    ``private`` is a copy in the private-use planes 15 and 16. ``georgian`` can be read: a-z become Mkhedruli letters
    by the Georgian QWERTY layout, A-Z the Mtavruli capitals of these, all other characters of Latin-1 the Braille
    pattern of the same number; the rest as ``private``.
    """
    natural = sorted(set(characters))
    others = iter(_OTHERS)
    table: dict[str, str] = {}
    for character in natural:
        code = ord(character)
        if script == "georgian" and code < 0x100:
            table[character] = _georgian(character)
        elif code < 2 * _PLANE:
            table[character] = chr(_COPIES + code)
        else:
            table[character] = chr(next(others, 0))
    taken = sorted(set(natural) & {*table.values(), MARKER})
    if taken or len(set(table.values())) < len(natural):
        found = (
            f"{counted(len(taken), 'character')}, the first of them {ord(taken[0]):#x}" if taken else f"{len(natural)}"
        )
        problem = "the vocabulary has characters of the derived script already" if taken else "too many characters"
        expected = "no character of the script" if taken else f"{len(_OTHERS)} beyond Unicode's planes 0 and 1"
        remedy = ("choose the other script, or the natural language's own model as", Parameter("spm"))
        raise XalignError(problem, parameter="script", found=f"{script}: {found}", expected=expected, remedy=remedy)
    return table


def _georgian(character: str) -> str:
    if character in _MKHEDRULI:
        return _MKHEDRULI[character]
    if character.lower() in _MKHEDRULI:
        return chr(ord(_MKHEDRULI[character.lower()]) + _MTAVRULI)
    return chr(_BRAILLE + ord(character))
