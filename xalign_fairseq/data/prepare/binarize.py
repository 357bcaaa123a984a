"""One chunk of lines to ids: the work that ``xalign prepare`` spreads over processes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from typing import ClassVar

import numpy as np

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.corpus import TextFile
from xalign_fairseq.core.text.lines import split_words
from xalign_fairseq.core.workers import Workers
from xalign_fairseq.data.databin import links_prefix, mono_prefix, pair_prefix, words_prefix
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.tokenizers.tokenizer import Ragged, Tokenizer
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens, count_unknown
from xalign_fairseq.links.arrays import link_arrays
from xalign_fairseq.links.pharaoh import check_bounds, parse_line

# Reasons for dropping, as the manifest has them.
EMPTY, EMPTY_SRC, EMPTY_TGT, EMPTY_BOTH = "empty", "empty source", "empty target", "both sides empty"
UNKNOWN_IN = "unknown in"  # prefix of the counts of a language's unknown tokens by script


@dataclass(frozen=True)
class Encoded:
    """The result of a chunk: the items of each output file, and counts of kept and dropped sentences."""

    items: tuple[Ragged, ...]
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PairText:
    """One split of a bitext, with word links or without.

    Pairs with an empty side, or that fail a filter, are dropped with their link lines; all others stay.
    """

    split: str
    src: str
    tgt: str
    src_file: TextFile
    tgt_file: TextFile
    links_file: TextFile | None = None
    kept: ClassVar = "pairs"

    @property
    def name(self) -> str:
        return f"{self.split} {self.src}-{self.tgt}"

    @property
    def lines(self) -> int:
        return self.src_file.lines

    @property
    def sources(self) -> tuple[TextFile, ...]:
        return self.src_file, self.tgt_file

    @property
    def ids_outputs(self) -> tuple[str, ...]:
        """Names of the files of ids, which have the dictionary's dtype."""
        return tuple(pair_prefix(self.split, self.src, self.tgt, lang) for lang in (self.src, self.tgt))

    @property
    def side_outputs(self) -> tuple[str, ...]:
        """Names of the files of word indices and links."""
        if self.links_file is None:
            return ()
        words = tuple(words_prefix(self.split, self.src, self.tgt, lang) for lang in (self.src, self.tgt))
        return (*words, links_prefix(self.split, self.src, self.tgt))

    def share(self, index: int, number: int) -> "PairText":
        """One of ``number`` contiguous shares of the lines."""
        src, tgt = (file.share(index, number) for file in self.sources)
        links = self.links_file.share(index, number) if self.links_file is not None else None
        return replace(self, src_file=src, tgt_file=tgt, links_file=links)

    def parts(self) -> "Iterator[PairText]":
        """Chunks of lines: copies of the bitext, each with parts of its files."""
        files = [self.src_file.parts(), self.tgt_file.parts()]
        links = self.links_file.parts() if self.links_file is not None else repeat(None)
        for src_file, tgt_file, links_file in zip(*files, links, strict=False):
            yield replace(self, src_file=src_file, tgt_file=tgt_file, links_file=links_file)

    def encode(self, tokenizer: Tokenizer, filters: Filters | None = None) -> Encoded:
        """Ids of both sides, each with ``</s>``; with links also the word of each token and the links of each pair."""
        texts = [file.read() for file in self.sources]
        words: list[Ragged] = []
        if self.links_file is None:
            sides = [tokenizer.encode_batch(lines) for lines in texts]
        else:
            both = [tokenizer.encode_words_batch([split_words(line) for line in lines]) for lines in texts]
            sides, words = [ids for ids, _ in both], [index for _, index in both]
        no_src, no_tgt = (sizes == 0 for _, sizes in sides)
        keep, filtered = _filter(~(no_src | no_tgt), filters, [sizes for _, sizes in sides])
        counts = {
            "lines": len(keep),
            "pairs": int(keep.sum()),
            **filtered,
            EMPTY_SRC: int((no_src & ~no_tgt).sum()),
            EMPTY_TGT: int((no_tgt & ~no_src).sum()),
            EMPTY_BOTH: int((no_src & no_tgt).sum()),
        }
        items = [_select(side, keep) for side in sides]
        for lang, side, lines in zip((self.src, self.tgt), items, texts, strict=True):
            kept_lines = [line for line, kept in zip(lines, keep, strict=True) if kept]
            counts |= _token_counts(lang, count_unknown(tokenizer, side, kept_lines))
        items = [_with_eos(side, tokenizer.dictionary.eos_index) for side in items]
        if self.links_file is not None:
            links = link_arrays(self.links_file.read()).of_rows(keep)
            counts["sure links"] = int(links.sure.sum())
            counts["possible links"] = len(links.sure) - counts["sure links"]
            items += [_select(index, keep) for index in words]
            # The sorted i, j, sure of each pair's links, flat.
            triples = np.stack([links.src, links.tgt, links.sure], axis=1).reshape(-1)
            items.append((triples, 3 * np.bincount(links.rows, minlength=int(keep.sum())).astype(np.int32)))
        return Encoded(tuple(items), counts)


@dataclass(frozen=True)
class MonoText:
    """One split of a language's monolingual text, from one file or several.

    Lines without a token, or that fail a filter, are dropped.
    """

    split: str
    lang: str
    files: tuple[TextFile, ...]
    kept: ClassVar = "sentences"

    @property
    def name(self) -> str:
        return f"{self.split} {self.lang}"

    @property
    def lines(self) -> int:
        return sum(file.lines for file in self.files)

    @property
    def sources(self) -> tuple[TextFile, ...]:
        return self.files

    @property
    def ids_outputs(self) -> tuple[str, ...]:
        return (mono_prefix(self.split, self.lang),)

    @property
    def side_outputs(self) -> tuple[str, ...]:
        return ()

    def share(self, index: int, number: int) -> "MonoText":
        """One of ``number`` contiguous shares of the lines of each file."""
        return replace(self, files=tuple(file.share(index, number) for file in self.files))

    def parts(self) -> "Iterator[MonoText]":
        """Chunks of lines: copies of the text, each with a part of one of its files."""
        for file in self.files:
            for part in file.parts():
                yield replace(self, files=(part,))

    def encode(self, tokenizer: Tokenizer, filters: Filters | None = None) -> Encoded:
        """Ids of each line, with ``</s>``."""
        lines = [line for file in self.files for line in file.read()]
        ids, sizes = tokenizer.encode_batch(lines)
        keep, filtered = _filter(sizes > 0, filters, [sizes])
        kept = _select((ids, sizes), keep)
        kept_lines = [line for line, each in zip(lines, keep, strict=True) if each]
        counts = {
            "lines": len(sizes),
            "sentences": int(keep.sum()),
            EMPTY: int((sizes == 0).sum()),
            **filtered,
            **_token_counts(self.lang, count_unknown(tokenizer, kept, kept_lines)),
        }
        return Encoded((_with_eos(kept, tokenizer.dictionary.eos_index),), counts)


def _filter(
    keep: np.ndarray, filters: Filters | None, sizes: Sequence[np.ndarray]
) -> tuple[np.ndarray, dict[str, int]]:
    """The part of ``keep`` (n,) bool that passes the filters, and how many items each filter dropped, in order."""
    counts = {}
    for reason, failing in filters.failing(sizes) if filters is not None else ():
        counts[reason] = int((keep & failing).sum())
        keep = keep & ~failing
    return keep, counts


def _select(sequences: Ragged, keep: np.ndarray) -> Ragged:
    flat, sizes = sequences
    return flat[np.repeat(keep, sizes)], sizes[keep]


def _with_eos(sequences: Ragged, eos: int) -> Ragged:
    flat, sizes = sequences
    return np.insert(flat, np.cumsum(sizes), eos), sizes + 1


def _token_counts(lang: str, found: UnknownTokens) -> dict[str, int]:
    scripts = {f"{UNKNOWN_IN} {lang} {script}": count for script, count in found.scripts.items()}
    return {f"tokens {lang}": found.tokens, f"unknown {lang}": found.unknown, **scripts}


SIDE_DTYPE = np.dtype(np.uint16)  # of word indices and links
MOST_WORDS = int(np.iinfo(SIDE_DTYPE).max) + 1


def require_fitting_links(text: PairText, filters: Filters, run: Workers) -> None:
    """Raise :class:`XalignError` if links can't be written with their sentences; a text without links is fine.

    Errors: a malformed link, a link outside its sentences, or a sentence of more than :data:`MOST_WORDS` words. The
    error names line, link and lengths. Only a file with an error is read completely, to detect 1-based links.
    """
    file = text.links_file
    if file is None:
        return
    is_filtered = filters.max_length is not None and filters.max_length <= MOST_WORDS
    most_words = math.inf if is_filtered else MOST_WORDS
    if not all(run(partial(_fits, most_words), text.parts())):
        lengths = []
        for side in text.sources:
            lengths.append(_lengths(side).tolist())
            for number, words in enumerate(lengths[-1], side.first + 1):
                if words > most_words:
                    raise XalignError(
                        f"a sentence of a text with links has more than {MOST_WORDS:,} words",
                        where=f"{side.path}, line {number}",
                        found=f"{words:,} words",
                        remedy=("remove the line and its links; in training text, set", Parameter("max_length")),
                    )
        links = [
            parse_line(line, where=f"{file.path}, line {number}").possible
            for number, line in enumerate(file.read(), file.first + 1)
        ]
        check_bounds(links, list(zip(*lengths, strict=True)), where=file.path, first=file.first + 1)


def _fits(most_words: float, part: PairText) -> bool:
    assert part.links_file is not None
    try:
        links = link_arrays(part.links_file.read())
    except XalignError:
        return False  # named with its place in the error
    lengths = [_lengths(file) for file in part.sources]
    return max(each.max() for each in lengths) <= most_words and all(
        (words < counts[links.rows]).all() for words, counts in zip(links[1:3], lengths, strict=True)
    )


def _lengths(file: TextFile) -> np.ndarray:
    return np.array([len(split_words(line)) for line in file.read()], dtype=np.int64)
