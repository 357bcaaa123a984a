"""The units for counting: tokens, prefixes of tokens, or sentencepiece pieces of tokens."""

import functools
import io
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import require_unicode

# Scripts without spaces between words: each character is a token.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
APOSTROPHES = "'’"


@functools.lru_cache(maxsize=1 << 18)
def tokens_of(word: str) -> tuple[str, ...]:
    """The lower-case tokens of text between white space: ``L'homme,`` is ``l'``, ``homme`` and ``,``.

    A run of letters, marks and digits is a token; an apostrophe between two letters ends the token before it; a letter
    of a script without spaces, and any other character, is one token.
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


LETTERS = 4
TYPES = {"unigram2000": ("unigram", 2000), "pieces2000": ("bpe", 2000), "pieces8000": ("bpe", 8000)}
"""The type and size of sentencepiece's models, by the names of their units."""
NAMES = ("prefix4", *TYPES)
"""The units of an aligner; chosen on development gold."""


class Units:
    """How one side of a text is cut: the first four letters of a token (Fraser and Marcu, 2005), or its pieces.

    ``model`` is sentencepiece's model of the pieces, by merges (Sennrich et al., 2016) or a unigram model (Kudo, 2018);
    without one, a token's letters are its unit.
    """

    def __init__(self, model: bytes = b""):
        self.model = model
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model) if model else None

    def of(self, tokens: list[str]) -> list[list[str]]:
        """The units of each token, at least one."""
        if self._processor is None:
            return [[token[:LETTERS]] for token in tokens]
        try:
            found = self._processor.encode(tokens, out_type=str, num_threads=1)
        except TypeError:  # sentencepiece's error for half a surrogate pair
            for token in tokens:
                require_unicode(token, "a word")
            raise
        return [pieces or [token] for token, pieces in zip(tokens, found, strict=True)]


def learned_pieces(counts: Mapping[str, int], model_type: str, size: int) -> bytes:
    """Sentencepiece's model of the tokens of one side and their counts; a small text has fewer than ``size`` pieces."""
    stream = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(f"{token}\t{count}" for token, count in sorted(counts.items())),
            input_format="tsv",
            model_writer=stream,
            model_type=model_type,
            vocab_size=max(size, len({character for token in counts for character in token}) + 10),
            hard_vocab_limit=False,
            character_coverage=1.0,
            normalization_rule_name="identity",
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:  # such as a side of one very long word
        problem, found = "no word pieces can be learned from this text", str(error).partition("\n")[0]
        raise XalignError(problem, found=found, remedy="check that both sides have words") from None
    return stream.getvalue()


def make_units(name: str, words: Mapping[str, int], model: bytes | None = None) -> Units:
    """The units of one of :data:`NAMES`, learned from words and their counts unless the model is given."""
    if name not in NAMES:
        raise XalignError("unknown units", found=name, expected=", ".join(NAMES))
    if name not in TYPES:
        return Units()
    if model:
        return Units(model)
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for token in tokens_of(word):
            counts[token] += count
    return Units(learned_pieces(counts, *TYPES[name]))


def cut_all(units: Units, words: Iterable[str]) -> list[list[str]]:
    """The units of each word."""
    tokens = [tokens_of(word) for word in words]
    different = list(dict.fromkeys(chain.from_iterable(tokens)))
    found = dict(zip(different, units.of(different), strict=True))
    return [[unit for token in each for unit in found[token]] for each in tokens]
