"""The content of a data-bin folder, written by ``xalign prepare`` or by ``fairseq-preprocess``."""

import re
from functools import cached_property
from pathlib import Path
from typing import Required, TypedDict

import numpy as np

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.data.mmap import MMapReader
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import (
    SENTENCEPIECE,
    TokenizerModel,
    find_model,
    make_tokenizer,
    read_model,
)

MANIFEST = "manifest.json"
DICTIONARY = "dict.txt"

_PAIR = re.compile(r"(?P<split>[^.]+)\.(?P<src>[^.-]+)-(?P<tgt>[^.-]+)\.(?P<lang>[^.-]+)\.idx")
_MONO = re.compile(r"(?P<split>[^.]+)(?:\.(?P<lang>[^.-]+))?\.idx")


class FileEntry(TypedDict):
    """The manifest's entry of a file."""

    bytes: int
    sha256: str


class TextEntry(TypedDict, total=False):
    """The manifest's entry of a bitext, or of a text in one language."""

    split: Required[str]
    src: str
    tgt: str
    lang: str
    pairs: int
    sentences: int


class TokenizerEntry(TypedDict, total=False):
    """The manifest's entry of the tokenizer; ``digest`` is the digest of the dictionary."""

    digest: str


class Manifest(TypedDict, total=False):
    """The fields of the manifest that are read."""

    tokenizer: TokenizerEntry
    pairs: list[TextEntry]
    mono: list[TextEntry]
    files: dict[str, FileEntry]


def pair_prefix(split: str, src: str, tgt: str, lang: str) -> str:
    """The file name, without ``.bin`` and ``.idx``, of one side of a pair."""
    return f"{split}.{src}-{tgt}.{lang}"


def words_prefix(split: str, src: str, tgt: str, lang: str) -> str:
    """The file name of the word index of each token (without ``</s>``) of one side of a pair."""
    return f"{split}.{src}-{tgt}.{lang}.words"


def links_prefix(split: str, src: str, tgt: str) -> str:
    """The file name of a pair's word links."""
    return f"{split}.{src}-{tgt}.links"


def align_prefix(split: str, src: str, tgt: str) -> str:
    """The file name of the links of a pair's tokens that ``fairseq-preprocess --align-suffix`` writes."""
    return f"{split}.align.{src}-{tgt}"


def mono_prefix(split: str, lang: str) -> str:
    """The file name of monolingual sentences."""
    return f"{split}.{lang}"


def has_dictionary(folder: Path) -> bool:
    """Whether a folder contains a data-bin's dictionary."""
    return (folder / DICTIONARY).is_file() or any(folder.glob("dict.*.txt"))


class LinksReader:
    """The word links of a pair's sentences; ``reader[i]`` is ``(src_words, tgt_words, links)``.

    ``src_words`` (n,) and ``tgt_words`` (m,) give each token (``</s>`` has none) the 0-based index of its word;
    ``links`` (k, 3) holds ``i, j, sure``: word ``i`` of the source, word ``j`` of the target, 1 sure or 0 possible.
    All int64. Can be pickled.
    """

    def __init__(self, src_words: MMapReader, tgt_words: MMapReader, triples: MMapReader):
        self.src_words, self.tgt_words, self.triples = src_words, tgt_words, triples

    def __len__(self) -> int:
        return len(self.triples)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        triples = self.triples[index]
        if len(triples) % 3:
            where = f"{self.triples.prefix}.idx, pair {index}"
            raise XalignError("the links of a pair are damaged", where=where, remedy="prepare the data again")
        return self.src_words[index], self.tgt_words[index], triples.reshape(-1, 3)


class AlignReader(LinksReader):
    """The links that ``fairseq-preprocess --align-suffix`` has written: pairs of the tokens of both sides, all sure.

    Each token counts as one word, because these data do not group tokens into words. ``reader[i]`` has the form of
    :class:`LinksReader`.
    """

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sides = [np.arange(len(side[index]) - 1) for side in (self.src_words, self.tgt_words)]
        numbers = self.triples[index]
        links = numbers[: len(numbers) // 2 * 2].reshape(-1, 2)
        lengths = [len(side) for side in sides]
        if len(numbers) % 2 or (links < 0).any() or (links >= lengths).any():
            raise XalignError(
                "a link of fairseq-preprocess is outside its sentences",
                where=f"{self.triples.prefix}.idx, pair {index}",
                found=" ".join(f"{i}-{j}" for i, j in links),
                expected=f"tokens below {lengths[0]} and {lengths[1]}, counted in the text that was encoded",
            )
        return sides[0], sides[1], np.column_stack([links, np.ones(len(links), dtype=np.int64)])


class DataBin:
    """A data-bin folder: its pairs, splits and monolingual texts, and readers of them.

    Args:
        path: the folder. Its dictionary is ``dict.txt``, or identical ``dict.LANG.txt`` files.

    Raises:
        XalignError: missing folder; unknown pair, split or language (the error lists the known ones); sides of
            different lengths; different dictionaries.
    """

    def __init__(self, path: StrPath):
        self.path = Path(path)
        if not self.path.is_dir():
            where = self.path if self.path.is_absolute() else f"{self.path}, in {Path.cwd()}"  # hydra changes it
            remedy = Command("prepare", Parameter("out", str(self.path)))
            raise XalignError("the data-bin does not exist", where=where, found=nearly(self.path), remedy=remedy)
        pairs: set[tuple[str, str, str]] = set()
        self._mono: dict[tuple[str, str], str] = {}
        names = sorted(entry.name for entry in self.path.iterdir())
        for name in names:
            if match := _PAIR.fullmatch(name):
                split, src, tgt, lang = match.group("split", "src", "tgt", "lang")
                if tgt == "None":  # the name that fairseq-preprocess --only-source --source-lang LANG gives
                    self._mono.setdefault((split, lang), name.removesuffix(".idx"))
                elif lang in (src, tgt):
                    pairs.add((split, src, tgt))
            elif match := _MONO.fullmatch(name):
                # without a language: fairseq-preprocess --only-source
                self._mono[match["split"], match["lang"] or ""] = name.removesuffix(".idx")
        self.pairs = sorted(pairs)  # (split, src, tgt) of every bitext here
        links = {f"{prefix(*pair)}.idx": pair for pair in pairs for prefix in (links_prefix, align_prefix)}
        self.linked = {links[name] for name in names if name in links}  # those with word links

    @property
    def monos(self) -> list[tuple[str, str]]:
        """``(split, lang)`` of every monolingual text here, sorted; ``lang`` is empty if the file names have none."""
        return sorted(self._mono)

    @property
    def splits(self) -> list[str]:
        """The names of all splits, sorted."""
        return sorted({split for split, *_ in self.pairs} | {split for split, _ in self._mono})

    def languages(self, split: str) -> list[str]:
        """The languages of the monolingual texts of a split, sorted."""
        return [lang for name, lang in sorted(self._mono) if name == split]

    def pair(self, split: str, src: str, tgt: str) -> tuple[MMapReader, MMapReader]:
        """Both sides of a bitext; each item ends with ``</s>``."""
        if (split, src, tgt) not in self.pairs:
            found = ", ".join(f"{name} {a}-{b}" for name, a, b in self.pairs) or "no pair at all"
            turned = f"name it {tgt}-{src}" if (split, tgt, src) in self.pairs else None
            remedy = turned or Command("prepare", Parameter("pair", f"{src}-{tgt}"))
            raise XalignError("the data-bin has no such language pair", where=self.path, found=found, remedy=remedy)
        first, second = self._equally_long(*(pair_prefix(split, src, tgt, lang) for lang in (src, tgt)))
        return first, second

    def links(self, split: str, src: str, tgt: str) -> LinksReader | None:
        """The word links prepared with a bitext, or fairseq's token links (``--align-suffix``); otherwise ``None``."""
        first, second = self.pair(split, src, tgt)
        if not (self.path / f"{links_prefix(split, src, tgt)}.idx").exists():
            if not (self.path / f"{align_prefix(split, src, tgt)}.idx").exists():
                return None
            [links] = self._equally_long(align_prefix(split, src, tgt), length=len(first))
            return AlignReader(first, second, links)
        words = [words_prefix(split, src, tgt, lang) for lang in (src, tgt)]
        src_words, tgt_words, triples = self._equally_long(*words, links_prefix(split, src, tgt), length=len(first))
        return LinksReader(src_words, tgt_words, triples)

    def mono(self, split: str, lang: str) -> MMapReader:
        """Monolingual sentences; each item ends with ``</s>``."""
        if (split, lang) not in self._mono:
            problem = "the data-bin has no such monolingual text"
            found = ", ".join(f"{name} {code}".strip() for name, code in self.monos) or "no monolingual text at all"
            remedy = Command("prepare", Parameter("mono", f"{lang or 'LANG'}=FILE"))
            raise XalignError(problem, where=self.path, found=found, expected=f"{split} {lang}".strip(), remedy=remedy)
        return MMapReader(self.path / self._mono[split, lang])

    @cached_property
    def dictionary(self) -> Dictionary:
        """The joint dictionary of all languages here."""
        shared = self.path / DICTIONARY
        files = [shared] if shared.exists() else sorted(self.path.glob("dict.*.txt"))
        if not files:
            raise XalignError("the data-bin has no dictionary", where=self.path, expected="dict.txt")
        dictionary = Dictionary.load(files[0])
        for other in files[1:]:
            if Dictionary.load(other).digest != dictionary.digest:
                problem, remedy = "the languages have different dictionaries", Parameter("joined_dictionary")
                raise XalignError(problem, where=f"{files[0]}, {other}", remedy=("run fairseq-preprocess with", remedy))
        return dictionary

    @cached_property
    def manifest(self) -> Manifest | None:
        """The manifest of ``xalign prepare``, ``None`` for a folder of ``fairseq-preprocess``."""
        path = self.path / MANIFEST
        return read_json(path, Manifest) if path.exists() else None

    @property
    def tokenizer_model(self) -> TokenizerModel | None:
        """The tokenizer of the data; ``None`` if it is not in the folder."""
        path = find_model(self.path)
        return None if path is None else read_model(path)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the data; :class:`XalignError` if it is not in the folder."""
        path = find_model(self.path)
        if path is None:
            remedy = f"copy the model that the data were encoded with there as {SENTENCEPIECE}"
            raise XalignError("the data-bin has no tokenizer", where=self.path, remedy=remedy)
        return make_tokenizer(path, self.dictionary)

    def _equally_long(self, *names: str, length: int | None = None) -> tuple[MMapReader, ...]:
        readers = tuple(MMapReader(self.path / name) for name in names)
        expected = len(readers[0]) if length is None else length
        if any(len(reader) != expected for reader in readers):
            found = ", ".join(f"{name}: {len(reader)}" for name, reader in zip(names, readers, strict=True))
            raise XalignError("files of one bitext have different numbers of sentences", where=self.path, found=found)
        return readers
