"""Write the sample: distinct sentence pairs with gold links, in splits that share no sentence.

A checksum of an English sentence decides its split, for all language pairs and seeds.
"""

import random
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_folder
from xalign_fairseq.core.locks import require_no_loss
from xalign_fairseq.languages.sample import english, french, german
from xalign_fairseq.languages.sample.meaning import Sampler
from xalign_fairseq.languages.sample.words import LANGUAGES, Token, gold_links

SPLITS = ("train", "valid", "test")
ROOMS = ("valid", "test", *("mono",) * 5, *("train",) * 9)
"""The split of an English sentence, by its checksum modulo the length of this table."""
LONGEST = 24
"""Tokens of a side; longer sentences are not used."""
GRAMMARS = {"de": german, "fr": french}


@dataclass
class PairCounts:
    """The output for one language pair: sentence pairs, words of each side, links."""

    pair: str
    pairs: int = 0
    src_words: int = 0
    tgt_words: int = 0
    links: int = 0


def room(sentence: str) -> str:
    """The split to which an English sentence belongs: train, valid, test or mono."""
    return ROOMS[zlib.crc32(sentence.encode()) % len(ROOMS)]


def write_sample(
    out: StrPath, pairs: int, seed: int, valid: int = 500, test: int = 500, overwrite: bool = False
) -> list[PairCounts]:
    """Write the sample into a new folder; the same arguments give the same bytes.

    ``OUT/en-XX/{train,valid,test}.{en,XX,gold}`` is bitext with 0-based sure links ``i-j``,
    ``OUT/mono/{train,valid}.LANG`` half as many other sentences. Returns a summary for each language pair.
    """
    sizes = {"train": pairs, "valid": valid, "test": test}
    for split, size in sizes.items():
        if size < 1:
            name = "pairs" if split == "train" else split
            raise XalignError("the size of a split is too small", parameter=name, found=size, expected="1 or more")
    require_no_loss(out, overwrite, r"en-de/train\.en", r"(en-de|en-fr|mono)/\w+\.(en|de|fr|gold)")
    with atomic_folder(out, overwrite=overwrite) as folder:
        return [_write_pair(folder, language, seed, sizes, english_mono=language == "de") for language in LANGUAGES]


def _write_pair(folder: Path, language: str, seed: int, sizes: dict[str, int], english_mono: bool) -> PairCounts:
    """Draw and write one language pair and the monolingual text of its language (and of English, if requested)."""
    summary = PairCounts(f"en-{language}")
    missing = {**sizes, "mono": sizes["train"] // 2 + sizes["valid"]}
    sampler = Sampler(random.Random(f"{seed}/{language}"))
    seen: set[str] = set()
    split_of: dict[str, str] = {}
    with ExitStack() as stack:

        def opened(group: str, split: str, suffixes: list[str]) -> list[TextIO]:
            (folder / group).mkdir(exist_ok=True)
            paths = [folder / group / f"{split}.{suffix}" for suffix in suffixes]
            return [stack.enter_context(open(path, "w", encoding="utf-8", newline="\n")) for path in paths]

        files = {split: opened(summary.pair, split, ["en", language, "gold"]) for split in SPLITS}
        languages = [language, "en"] if english_mono else [language]
        mono = {split: opened("mono", split, languages) for split in ("valid", "train")}
        while any(missing.values()):
            sentence = sampler.sentence()
            src, text = _with_text(english.say(sentence))
            split = room(text)
            if not missing[split] or len(src) > LONGEST or text in seen:
                continue
            tgt, translation = _with_text(GRAMMARS[language].say(sentence))
            if len(tgt) > LONGEST or split_of.setdefault(translation, split) != split:
                continue
            seen.add(text)
            if split == "mono":
                part = mono["valid" if missing["mono"] > sizes["train"] // 2 else "train"]
                lines = [translation, text]
            else:
                part = files[split]
                links = gold_links(src, tgt)
                lines = [text, translation, " ".join(f"{i}-{j}" for i, j in links)]
                summary.pairs += 1
                summary.src_words += len(src)
                summary.tgt_words += len(tgt)
                summary.links += len(links)
            missing[split] -= 1
            for file, line in zip(part, lines, strict=False):
                file.write(f"{line}\n")
    return summary


def _with_text(tokens: list[Token]) -> tuple[list[Token], str]:
    """A sentence's tokens and its capitalised text."""
    text = " ".join(word for word, _ in tokens)
    return tokens, text[0].upper() + text[1:]
