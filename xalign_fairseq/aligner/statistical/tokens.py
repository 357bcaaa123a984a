"""Raw text to tokens, by one rule for all languages, and the user's word that each token belongs to."""

import functools
import unicodedata

# Scripts that write no spaces between words: each of their characters is a token.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
APOSTROPHES = "'’"


@functools.lru_cache(maxsize=1 << 18)
def tokens_of(word: str) -> tuple[str, ...]:
    """The tokens of what white space separates, in lower case: ``L'homme,`` is ``l'``, ``homme`` and ``,``.

    A run of letters, marks and digits is a token; an apostrophe between two letters ends the token before it; a letter
    of a script without spaces and every other character is a token by itself.
    """
    found: list[str] = []
    run = ""
    word = word.lower()
    for place, character in enumerate(word):
        following = word[place + 1 : place + 2]
        if _joins(character):
            run += character
        elif run and character in APOSTROPHES and following and _joins(following):
            found.append(run + character)
            run = ""
        else:
            found += [run, character] if run else [character]
            run = ""
    return (*found, run) if run else tuple(found)


@functools.lru_cache(maxsize=1 << 14)
def _joins(character: str) -> bool:
    """Whether a character is part of a longer token."""
    if character.isascii():
        return character.isalnum()
    return unicodedata.category(character)[0] in "LMN" and not unicodedata.name(character, "").startswith(UNSPACED)
