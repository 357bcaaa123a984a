"""Tokens that carry the concepts which they express; two tokens are linked if they express a concept in common.

A sentence is realised in each language as a list of ``(text, keys)``. ``keys`` is a set of concepts as the bits of an
integer, 0 for a word that expresses nothing of its own (an article before a language without articles keeps its bit,
and finds no partner there; English "do" in a question has no bit at all). One-to-many links follow by themselves:
"front" and "door" carry one concept each, German "Haustür" carries both.
"""

from collections.abc import Iterable

from xalign_fairseq.languages.sample.lexicon import Entry

Token = tuple[str, int]


def gold_links(src: list[Token], tgt: list[Token]) -> list[tuple[int, int]]:
    """The 0-based links ``(i, j)`` between tokens that share a concept, in order."""
    return [(i, j) for i, (_, a) in enumerate(src) for j, (_, b) in enumerate(tgt) if a & b]


def fixed_phrase(text: str, first: int) -> list[Token]:
    """Tokens of a table cell such as ``last/a week/b``: letter a is concept ``first``, b the next, and so on."""
    tokens = []
    for word in text.split():
        word, _, letters = word.partition("/")
        tokens.append((word, sum(first << (ord(letter) - ord("a")) for letter in letters)))
    return tokens


def time_phrase(entry: Entry, language: str, first: int, year: int, number: int) -> list[Token]:
    """A time adverbial; its blanks YEAR and NUMBER are filled in."""
    text = entry[language]
    if "YEAR" in text or "NUMBER" in text:
        text = text.replace("YEAR", str(year)).replace("NUMBER", str(number))
    return fixed_phrase(text, first)


def finish(tokens: Iterable[Token]) -> list[Token]:
    """Merge commas in a row, drop a comma before the final mark, and write the first letter as a capital."""
    out: list[Token] = []
    for text, keys in tokens:
        if out and out[-1][0] == ",":
            if text == ",":
                out[-1] = (",", out[-1][1] | keys)
                continue
            if text in (".", "?"):
                out.pop()
        out.append((text, keys))
    text, keys = out[0]
    out[0] = (text[0].upper() + text[1:], keys)
    return out
