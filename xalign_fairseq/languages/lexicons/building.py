"""Make a lexicon of subword ids from dictionary entries, with training and held-out parts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.data.lexicon import HELD_OUT, PARTS, TRAINED, UNUSED, Lexicon
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Ragged

POLICY = (
    "Entries with an empty side, special or unknown symbols, the same ids on both sides, or the ids of an earlier entry"
    " are dropped. Of the distinct source sides, in one random order, the first are trained on and the last held out."
)
# Reasons to drop an entry; the first that applies counts.
ONE_SIDED, SPECIAL, UNKNOWN = "one-sided", "with special symbols", "with unknown symbols"
IDENTICAL, DUPLICATE = "identical", "duplicate"
DROPPED = (ONE_SIDED, SPECIAL, UNKNOWN, IDENTICAL, DUPLICATE)

Ids = tuple[int, ...]
# Text -> its ids.
Encode = Callable[[Sequence[str]], Ragged]


@dataclass(frozen=True)
class LexiconOptions:
    """How entries become a lexicon.

    Args:
        fraction: share of the distinct source sides to train on; ``None``: all that are not held out.
        held_out: share of the distinct source sides to hold out.
        seed: seed of the order. With the same seed, the held-out entries do not depend on the fraction, and a smaller
            fraction is a subset of a larger one.

    Raises:
        XalignError: a seed below 0, a fraction outside (0, 1], a held-out part outside [0, 1), or more than all.
    """

    fraction: float | None = None
    held_out: float = 0.1
    seed: int = 1

    def __post_init__(self) -> None:
        fraction, held_out = self.fraction, self.held_out
        check_values("a seed is below 0", ("seed", self.seed, self.seed >= 0, "0 or more"))
        check_values("the held-out part is outside [0, 1)", ("held_out", held_out, 0 <= held_out < 1, "such as 0.1"))
        if fraction is None:
            return
        check_values("the fraction is outside (0, 1]", ("fraction", fraction, 0 < fraction <= 1, "such as 0.25"))
        if fraction + held_out > 1 + 1e-9:
            problem, found = "the fraction and the held-out part exceed the lexicon", f"{fraction} + {held_out}"
            raise XalignError(problem, parameter=("fraction", "held_out"), found=found)


def pieces_encoder(dictionary: Dictionary) -> Encode:
    """Each text is one symbol of the dictionary."""

    def encode(symbols: Sequence[str]) -> Ragged:
        ids = np.array([dictionary.index(symbol) for symbol in symbols if symbol], dtype=np.int32)
        return ids, np.array([bool(symbol) for symbol in symbols], dtype=np.int32)

    return encode


def build(
    src: str,
    tgt: str,
    pairs: Iterable[tuple[str, str]],
    encode: Encode,
    dictionary: Dictionary,
    options: LexiconOptions,
) -> tuple[Lexicon, dict[str, Any]]:
    """The lexicon of a dictionary's entries, in their order, and its options, counts and policy.

    Args:
        pairs: the entries as text, either side possibly empty.
        encode: for both languages, a tokenizer's ``encode_batch``, or :func:`pieces_encoder`.

    Raises:
        XalignError: no entry is left, or none to train on after fraction and held-out part; the error has the counts.
    """
    entries, counts = _entries(list(pairs), encode, dictionary)
    if not entries:
        problem = "no entry of the dictionary is in the vocabulary"
        remedy = ("check languages and columns; symbols of dict.txt need", Parameter("pieces"))
        found = ", ".join(f"{counts[reason]} {reason}" for reason in ("read", *DROPPED) if counts[reason])
        raise XalignError(problem, found=found, remedy=remedy)
    part = _parts([source for source, _ in entries], options)
    sides = [_flat(side) for side in zip(*entries, strict=True)]
    lexicon = Lexicon(src, tgt, *sides[0], *sides[1], part)
    kept = {"kept": len(entries), "source sides": len({source for source, _ in entries})}
    kept |= {name: int((part == number).sum()) for number, name in enumerate(PARTS)}
    if not kept["trained"]:
        raise XalignError("no entry is left to train on", parameter=("held_out", "fraction"))
    return lexicon, {"options": asdict(options), "counts": {**counts, **kept}, "policy": POLICY}


def _entries(
    pairs: Sequence[tuple[str, str]], encode: Encode, dictionary: Dictionary
) -> tuple[list[tuple[Ids, Ids]], dict[str, int]]:
    reasons: Counter[str] = Counter()
    entries: dict[tuple[Ids, Ids], None] = {}
    special = {dictionary.bos_index, dictionary.pad_index, dictionary.eos_index, dictionary.mask_index}
    for entry in zip(*(_encoded([pair[side] for pair in pairs], encode) for side in (0, 1)), strict=True):
        ids = set(chain(*entry))
        if not all(entry):
            reasons[ONE_SIDED] += 1
        elif ids & special:
            reasons[SPECIAL] += 1
        elif dictionary.unk_index in ids:
            reasons[UNKNOWN] += 1
        elif entry[0] == entry[1]:
            reasons[IDENTICAL] += 1
        elif entry in entries:
            reasons[DUPLICATE] += 1
        else:
            entries[entry] = None
    return list(entries), {"read": len(pairs), **{reason: reasons[reason] for reason in DROPPED}}


def _encoded(texts: Sequence[str], encode: Encode) -> list[Ids]:
    flat, sizes = encode(texts)
    bounds = np.cumsum([0, *sizes])
    ids = flat.tolist()
    return [tuple(ids[begin:end]) for begin, end in pairwise(bounds.tolist())]


def _parts(sources: Sequence[Ids], options: LexiconOptions) -> np.ndarray:
    """The part of each entry, by its source side, so that all translations of a word are in one part."""
    numbers: dict[Ids, int] = {}
    of_entry = np.array([numbers.setdefault(source, len(numbers)) for source in sources])
    total = len(numbers)
    held_out = round(options.held_out * total)
    wanted = total if options.fraction is None else round(options.fraction * total)
    order = np.random.default_rng(options.seed).permutation(total)
    part = np.full(total, UNUSED)
    part[order[: min(wanted, total - held_out)]] = TRAINED
    part[order[total - held_out :]] = HELD_OUT
    return part[of_entry]


def _flat(side: Sequence[Ids]) -> Ragged:
    return np.fromiter(chain.from_iterable(side), dtype=np.int64), np.array([len(ids) for ids in side])
