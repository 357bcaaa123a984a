"""What dictionaries write around a word: grammar, usage and explanations in brackets."""

import re

_OPEN = re.compile(r"[(<{[]")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^][]*\]|<[^<>]*>|\{[^{}]*\}")
# Some of FreeDict's dictionaries join the words of a phrase so.
_JOINTS = str.maketrans("~_", "  ")


def without_notes(text: str) -> str:
    """The text without what is in brackets, nested ones too, and with single blanks between its words."""
    while _OPEN.search(text) and (shorter := _BRACKETED.sub(" ", text)) != text:
        text = shorter
    return " ".join(text.translate(_JOINTS).split())
