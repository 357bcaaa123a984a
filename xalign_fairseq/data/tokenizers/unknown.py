"""Unknown tokens of a text: their number and scripts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xalign_fairseq.data.tokenizers.tokenizer import Ragged, Tokenizer

SYMBOLS = "symbols"  # characters that are not letters, such as emoji
WORTH_A_WARNING = 0.01  # share of all tokens; every text has single rare signs
# Sentences per chunk whose unknown tokens are inspected; all are counted.
LOOKED_AT = 20
# Words after the script's name in the Unicode names of its letters.
_AFTER_SCRIPT = re.compile(
    r" (LETTER|SYLLABLE|SYLLABICS|CHARACTER|IDEOGRAPH|UNIFIED|COMPATIBILITY|SMALL|CAPITAL|VOWEL|INDEPENDENT|SIGN)\b"
)
_SCRIPTS = {"Cjk": "Han"}


@dataclass
class UnknownTokens:
    """Counts of tokens, of unknown tokens, and of the scripts of the inspected unknown tokens."""

    tokens: int = 0
    unknown: int = 0
    scripts: Counter[str] = field(default_factory=Counter)
    trimmed: tuple[str, ...] = ()

    def add(self, other: "UnknownTokens") -> None:
        self.tokens += other.tokens
        self.unknown += other.unknown
        self.scripts.update(other.scripts)
        self.trimmed = self.trimmed or other.trimmed

    def warning(self, consequence: str) -> str | None:
        """The warning about them; None if they are fewer than one in a hundred."""
        if self.unknown < max(1, WORTH_A_WARNING * self.tokens):
            return None
        script, looked = self.scripts.most_common(1)[0]
        often = "most of them" if 2 * looked > self.scripts.total() else "most often"
        where = script if script == SYMBOLS else f"in {script} script"
        counts = f"{self.unknown:,} of {self.tokens:,} tokens are unknown to the model's vocabulary"
        names = f"{', '.join(self.trimmed[:4])}{' ...' if len(self.trimmed) > 4 else ''}"
        trimmed = f"; it was trimmed to {names}, which xalign untrim undoes" if self.trimmed else ""
        return f"{counts}, {often} {where}: {consequence}{trimmed}"


def count_unknown(tokenizer: Tokenizer, ids: Ragged, lines: Sequence[str]) -> UnknownTokens:
    """The unknown tokens of lines given as ids, and the scripts of those in the first lines with unknown tokens."""
    flat, sizes = ids
    unk = tokenizer.dictionary.unk_index
    places = np.flatnonzero(flat == unk)
    counted = UnknownTokens(len(flat), len(places))
    rows = np.searchsorted(np.cumsum(sizes), places, side="right").tolist()
    for row in list(dict.fromkeys(rows))[:LOOKED_AT]:
        text = lines[row]
        tokens, begin, end = tokenizer.encode_with_offsets(text)
        counted.scripts.update(script_of(text[begin[i] : end[i]]) for i, token in enumerate(tokens) if token == unk)
    return counted


def unknown_of_texts(entries: Iterable[Mapping[str, Any]]) -> UnknownTokens:
    """The unknown tokens of texts as a data-bin's manifest lists them (``pairs``, ``mono``)."""
    counted = UnknownTokens()
    for entry in entries:
        scripts: Counter[str] = Counter()
        for each in entry["unknown_scripts"].values():
            scripts.update(each)
        counted.add(UnknownTokens(sum(entry["tokens"].values()), sum(entry["unknown"].values()), scripts))
    return counted


def script_of(text: str) -> str:
    """The script of the first letter of a text by its name in Unicode, :data:`SYMBOLS` if it has none."""
    letter = next((character for character in text if character.isalpha()), None)
    name = "" if letter is None else unicodedata.name(letter, "")
    if not name:
        return SYMBOLS
    script = _AFTER_SCRIPT.split(name)[0].title()
    return _SCRIPTS.get(script, script)
