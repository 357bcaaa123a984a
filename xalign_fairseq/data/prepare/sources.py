"""The inputs of a data-bin: the texts and options of ``xalign prepare``."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.files import StrPath, require_no_colon, require_outside
from xalign_fairseq.core.locks import require_no_loss
from xalign_fairseq.core.progress import say
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.core.text.corpus import require_files
from xalign_fairseq.data.prepare.filters import Filters

LANGUAGE = re.compile(r"[^\s.\-=/]+")
PARTS = r"(dict\.txt|model\.pt|(wordpiece|pipeline|lexicon\.[^/]+)\.json|[^/]+\.(bin|idx|model))"  # of a data-bin
RESERVED = ("links", "words", "None")  # words used instead of a language in file names


def require_language(code: str) -> None:
    """Raise :class:`XalignError` unless a language code can be part of the names of a data-bin's files."""
    if not LANGUAGE.fullmatch(code) or code in RESERVED:
        problem = "this language code can't be part of the data-bin's file names"
        expected = f"no space, dot, hyphen, equals sign or slash (pt_BR, not pt-BR); not one of {RESERVED}"
        raise XalignError(problem, found=repr(code), expected=expected)


@dataclass(frozen=True)
class PairSource:
    """The files of one split of a bitext; ``links`` is a Pharaoh file over the words of the text, or ``None``."""

    split: str
    src: str
    tgt: str
    src_path: str
    tgt_path: str
    links: str | None = None


@dataclass(frozen=True)
class MonoSource:
    """The files of one split of a language's monolingual text, read in order."""

    split: str
    lang: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class PrepareOptions:
    """The options of :func:`xalign_fairseq.data.prepare.prepare.prepare`.

    Args:
        spm: an existing sentencepiece model; ``None`` trains one over all training text.
        dictionary: fairseq's ``dict.txt`` for it; ``None`` makes one from the model's pieces.
        tokenizer: the name of a model whose tokenizer is used instead; :func:`.prepare.prepare` gets that tokenizer.
        trim_vocabulary: whether the model's tokenizer is trimmed to these texts.
        workers: processes; the files written do not depend on it.
        shard: ``(i, n)`` writes the i-th, from 0, of n contiguous shares of the training text; None: all of it.
        resume: continue an interrupted run with the same options and texts, and keep unfinished files if this run is
            interrupted.
    """

    destdir: StrPath
    pairs: Sequence[PairSource] = ()
    mono: Sequence[MonoSource] = ()
    spm: StrPath | None = None
    dictionary: StrPath | None = None
    tokenizer: StrPath | None = None
    trim_vocabulary: bool = False
    vocab_size: int = 8000
    seed: int = 1
    workers: int = 1
    filters: Filters = field(default_factory=Filters)
    shard: tuple[int, int] | None = None
    overwrite: bool = False
    resume: bool = False
    quiet: bool = False

    @property
    def texts(self) -> tuple[PairSource | MonoSource, ...]:
        """Bitexts, then monolingual texts."""
        return (*self.pairs, *self.mono)

    @property
    def trains_model(self) -> bool:
        """Whether a sentencepiece model is trained, because none is given."""
        return self.spm is None and self.tokenizer is None

    @property
    def text_paths(self) -> list[str]:
        """All text files, each once."""
        pairs = [path for pair in self.pairs for path in (pair.src_path, pair.tgt_path)]
        return list(dict.fromkeys([*pairs, *(path for mono in self.mono for path in mono.paths)]))

    @property
    def paths(self) -> list[str]:
        """All text and link files, each once."""
        return list(dict.fromkeys([*self.text_paths, *(pair.links for pair in self.pairs if pair.links is not None)]))

    @property
    def inputs(self) -> list[str]:
        """All text and link files, then sentencepiece model and dictionary, if any."""
        return [*self.paths, *(os.fspath(path) for path in (self.spm, self.dictionary) if path)]

    def check(self) -> None:
        """Raise :class:`XalignError` if options contradict each other, files are missing, there is nothing to do, or an
        output would replace an input.
        """
        if not self.texts:
            remedy = ("give", Parameter("pair"), "and", Parameter("trainpref"), "or", Parameter("mono"))
            raise XalignError("there is nothing to prepare", remedy=remedy)
        check_values("the number of workers is below 1", ("workers", self.workers, self.workers >= 1, "1 or more"))
        if self.tokenizer is not None and self.spm is not None:
            raise XalignError("there are two tokenizers", parameter=("tokenizer", "spm"), expected="one of them")
        if self.trim_vocabulary and self.tokenizer is None:
            problem = "a vocabulary can only be trimmed together with its model"
            raise XalignError(problem, parameter=("trim_vocabulary", "tokenizer"))
        if self.dictionary is not None and self.spm is None:
            problem = "a dictionary needs the sentencepiece model that it belongs to"
            raise XalignError(problem, parameter=("dict", "spm"))
        if self.trains_model and not any(text.split == "train" for text in self.texts):
            problem = "there is no training text to train a sentencepiece model on"
            raise XalignError(problem, parameter=("trainpref", "mono", "tokenizer", "spm"))
        if self.shard is not None and not 0 <= self.shard[0] < self.shard[1]:
            index, number = self.shard
            expected = f"0/{number} to {number - 1}/{number}" if number else "I/N, such as 0/4"
            raise XalignError("there is no such shard", parameter="shard", found=f"{index}/{number}", expected=expected)
        if self.shard is not None and self.trains_model:
            problem = "shards need one tokenizer, and each would train its own"
            raise XalignError(problem, parameter=("shard", "spm", "tokenizer"))
        require_no_colon(self.destdir)
        self.filters.check()
        self._check_names()
        require_files(self.inputs, remedy="check the path; a prefix P and the pair en-de mean P.en and P.de")
        # The output has a copy of the sentencepiece model and of the dictionary.
        for path in self.paths:
            require_outside(file_of(path), self.destdir)
        require_no_loss(self.destdir, self.overwrite, r"manifest\.json", PARTS)

    def _check_names(self) -> None:
        for lang in [lang for pair in self.pairs for lang in (pair.src, pair.tgt)] + [text.lang for text in self.mono]:
            require_language(lang)
        for pair in self.pairs:
            if pair.src == pair.tgt:
                raise XalignError("a pair has one language only", found=f"{pair.src}-{pair.tgt}")
            if os.path.realpath(pair.src_path) == os.path.realpath(pair.tgt_path):
                say(f"warning: both sides of {pair.src}-{pair.tgt} are the same file: {pair.src_path}")
        names = Counter(f"{pair.split} {pair.src}-{pair.tgt}" for pair in self.pairs)
        names.update(f"{text.split} {text.lang}" for text in self.mono)
        if twice := [name for name, times in names.items() if times > 1]:
            raise XalignError("a text is given twice", found=", ".join(twice))
