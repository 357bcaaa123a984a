"""A small bitext, enough for a statistical aligner, and quick units for it."""

import itertools

WORDS = {"das": "the", "ein": "a", "haus": "house", "buch": "book", "ist": "is", "alt": "old", "neu": "new"}
SENTENCES = [f"{a} {b} ist {c}" for a, b, c in itertools.product(("Das", "Ein"), ("Haus", "Buch"), ("alt.", "neu."))]


def translated(sentence: str) -> str:
    """Word by word."""
    words = (WORDS[word.lower().rstrip(".")] + "." * word.endswith(".") for word in sentence.split())
    return " ".join(words).capitalize()


def write(folder, times=6):
    """Files text.de and text.en; their paths."""
    lines = SENTENCES * times
    (folder / "text.de").write_text("".join(f"{line}\n" for line in lines))
    (folder / "text.en").write_text("".join(f"{translated(line)}\n" for line in lines))
    return str(folder / "text.de"), str(folder / "text.en")
