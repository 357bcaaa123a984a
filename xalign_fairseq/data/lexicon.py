"""A bilingual lexicon as subword ids, and its files in a data-bin, with training and held-out entries.

``lexicon.SRC-TGT.SRC.entries`` and ``lexicon.SRC-TGT.TGT.entries`` (mmap) hold the subword ids of each entry's sides,
``lexicon.SRC-TGT.part`` (mmap) one number per entry, ``lexicon.SRC-TGT.json`` their sources.
"""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import require_free, scratch_folder
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapReader, MMapWriter, dtype_for_vocabulary
from xalign_fairseq.data.samples import PAD

TRAINED, HELD_OUT, UNUSED = 0, 1, 2
PARTS = ("trained", "held out", "unused")
ARRAYS = ("src_ids", "src_sizes", "tgt_ids", "tgt_sizes", "part")

_AGAIN = ("run again", Command("lexicon", Parameter("overwrite")))
_ABOUT = re.compile(r"lexicon\.(?P<src>[^.-]+)-(?P<tgt>[^.-]+)\.json")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Entries of a dictionary between two languages, each side as subword ids.

    Attributes:
        src, tgt: the languages.
        src_ids, tgt_ids: the concatenated ids of all entries, flat int64.
        src_sizes, tgt_sizes: (N,) int64, the number of ids of each entry, at least 1.
        part: (N,) int64: :data:`TRAINED`, :data:`HELD_OUT` or :data:`UNUSED`.

    Raises:
        XalignError: inconsistent arrays, or an unknown part.
    """

    src: str
    tgt: str
    src_ids: np.ndarray
    src_sizes: np.ndarray
    tgt_ids: np.ndarray
    tgt_sizes: np.ndarray
    part: np.ndarray

    def __post_init__(self) -> None:
        for name in ARRAYS:
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int64))
        if (
            not len(self.src_sizes) == len(self.tgt_sizes) == len(self.part)
            or any(sizes.min(initial=1) < 1 for sizes in (self.src_sizes, self.tgt_sizes))
            or self.src_sizes.sum() != len(self.src_ids)
            or self.tgt_sizes.sum() != len(self.tgt_ids)
            or not np.isin(self.part, (TRAINED, HELD_OUT, UNUSED)).all()
        ):
            where = f"lexicon {self.src}-{self.tgt}"
            raise XalignError("the arrays of a lexicon are inconsistent", where=where, remedy=_AGAIN)

    def __len__(self) -> int:
        return len(self.part)

    def entries(self, part: int) -> "Lexicon":
        """The entries of one part."""
        chosen = self.part == part
        return Lexicon(
            self.src,
            self.tgt,
            self.src_ids[np.repeat(chosen, self.src_sizes)],
            self.src_sizes[chosen],
            self.tgt_ids[np.repeat(chosen, self.tgt_sizes)],
            self.tgt_sizes[chosen],
            self.part[chosen],
        )

    def padded(self) -> tuple[Tensor, Tensor]:
        """Both sides as int64 (N, Ls) and (N, Lt), each as wide as its longest entry, with padding."""
        return _padded(self.src_ids, self.src_sizes), _padded(self.tgt_ids, self.tgt_sizes)

    def state(self) -> dict[str, Any]:
        """Languages and tensors for a checkpoint, which ``weights_only`` loads; see :meth:`from_state`."""
        arrays = {name: torch.from_numpy(getattr(self, name).copy()) for name in ARRAYS}
        return {"src": self.src, "tgt": self.tgt, **arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Lexicon":
        """The lexicon that :meth:`state` described."""
        return cls(state["src"], state["tgt"], *(state[name].numpy() for name in ARRAYS))

    @cached_property
    def digest(self) -> str:
        """sha256 of languages, entries and parts: equal for equal lexicons."""
        content = hashlib.sha256(f"{self.src}-{self.tgt}".encode())
        for name in ARRAYS:
            content.update(len(getattr(self, name)).to_bytes(8, "little"))
            content.update(getattr(self, name).astype("<i8").tobytes())
        return content.hexdigest()


def _padded(ids: np.ndarray, sizes: np.ndarray) -> Tensor:
    table = np.full((len(sizes), int(sizes.max(initial=0))), PAD, dtype=np.int64)
    table[np.arange(table.shape[1]) < sizes[:, None]] = ids
    return torch.from_numpy(table)


def lexicons(data: DataBin) -> list[tuple[str, str]]:
    """``(src, tgt)`` of the lexicons of a data-bin, sorted."""
    found = (_ABOUT.fullmatch(entry.name) for entry in data.path.iterdir())
    return sorted((match["src"], match["tgt"]) for match in found if match)


def read(data: DataBin, src: str, tgt: str) -> Lexicon:
    """A lexicon of a data-bin.

    Raises:
        XalignError: no lexicon of these languages (the error lists the lexicons); its files are damaged, do not belong
            together, or were made with another dictionary.
    """
    about = read_about(data, src, tgt)
    if about["dictionary"] != data.dictionary.digest:
        problem = "the lexicon was made with another dictionary than the data-bin's"
        raise XalignError(problem, where=about_path(data, src, tgt), remedy=_AGAIN)
    sides = [_flat(MMapReader(data.path / entries_prefix(src, tgt, lang))) for lang in (src, tgt)]
    parts, _ = _flat(MMapReader(data.path / part_prefix(src, tgt)))
    lexicon = Lexicon(src, tgt, *sides[0], *sides[1], parts)
    if lexicon.digest != about["digest"]:
        where = about_path(data, src, tgt)
        raise XalignError("the files of a lexicon do not match", where=where, remedy=_AGAIN)
    return lexicon


class About(TypedDict):
    """The fields of a lexicon's description that are read."""

    dictionary: str
    digest: str


def read_about(data: DataBin, src: str, tgt: str) -> About:
    """The description of a lexicon by ``xalign lexicon``: options, counts, sources; errors as :func:`read`."""
    path = about_path(data, src, tgt)
    if not path.exists():
        there = lexicons(data)
        found = ", ".join(f"{a}-{b}" for a, b in there) or "no lexicon at all"
        remedy = f"name it {tgt}-{src}" if (tgt, src) in there else _make_lexicon(data, f"{src}-{tgt}")
        raise XalignError("the data-bin has no such lexicon", where=data.path, found=found, remedy=remedy)
    return read_json(path, About)


def write(data: DataBin, lexicon: Lexicon, about: Mapping[str, Any], overwrite: bool = False) -> None:
    """Write a lexicon into a data-bin, completely or not at all; an existing one only with ``overwrite``."""
    src, tgt = lexicon.src, lexicon.tgt
    require_free(about_path(data, src, tgt), overwrite=overwrite)
    if src == tgt or not _ABOUT.fullmatch(about_path(data, src, tgt).name):
        raise XalignError("the two languages need different codes without dots or hyphens", found=f"{src}, {tgt}")
    largest = max(side.max(initial=0) for side in (lexicon.src_ids, lexicon.tgt_ids))
    if largest >= data.dictionary.embedding_size:
        raise XalignError("the lexicon has an id that the dictionary does not have", where=data.path, found=largest)
    content = {"pair": f"{src}-{tgt}", **about, "dictionary": data.dictionary.digest, "digest": lexicon.digest}
    dtype = dtype_for_vocabulary(data.dictionary.embedding_size)
    prefixes = (entries_prefix(src, tgt, src), entries_prefix(src, tgt, tgt), part_prefix(src, tgt))
    ones = np.ones(len(lexicon), dtype=np.int64)
    items = ((lexicon.src_ids, lexicon.src_sizes), (lexicon.tgt_ids, lexicon.tgt_sizes), (lexicon.part, ones))
    with scratch_folder(about_path(data, src, tgt)) as folder:
        for prefix, (flat, sizes) in zip(prefixes, items, strict=True):
            with MMapWriter(folder / prefix, dtype) as writer:
                writer.add_many(flat, sizes)
        about_file = folder / about_path(data, src, tgt).name
        write_json(about_file, content)
        for name in (f"{prefix}{suffix}" for prefix in prefixes for suffix in (".bin", ".idx")):
            os.replace(folder / name, data.path / name)
        os.replace(about_file, data.path / about_file.name)


def require_languages(data: DataBin, *languages: str) -> None:
    """Raise :class:`XalignError` for a language without text, if the data-bin's files name languages."""
    known = {lang for _, src, tgt in data.pairs for lang in (src, tgt)} | {lang for _, lang in data.monos}
    unknown = [language for language in languages if language not in known]
    if unknown and known and "" not in known:
        problem, remedy = "the data-bin has no text in a language of the lexicon", ("correct", Parameter("pair"))
        found, expected = (", ".join(sorted(each)) for each in (unknown, known))
        raise XalignError(problem, where=data.path, found=found, expected=expected, remedy=remedy)


def entries_prefix(src: str, tgt: str, lang: str) -> str:
    """The file name, without ``.bin`` and ``.idx``, of one side; no bitext's name has this ending."""
    return f"lexicon.{src}-{tgt}.{lang}.entries"


def part_prefix(src: str, tgt: str) -> str:
    """The file name of the parts."""
    return f"lexicon.{src}-{tgt}.part"


def about_path(data: DataBin, src: str, tgt: str) -> Path:
    """The description of a lexicon."""
    return data.path / f"lexicon.{src}-{tgt}.json"


def _flat(reader: MMapReader) -> tuple[np.ndarray, np.ndarray]:
    return reader.span(0, reader.tokens), np.asarray(reader.sizes, dtype=np.int64)


def trained_lexicons(data: DataBin) -> list[Lexicon]:
    """All lexicons of a data-bin; :class:`XalignError` if there are none with a training entry."""
    found = [read(data, src, tgt) for src, tgt in lexicons(data)]
    if not any((each.part == TRAINED).any() for each in found):
        problem = "an objective needs a bilingual lexicon, and the data-bin has none to train on"
        raise XalignError(problem, where=data.path, remedy=_make_lexicon(data, "SRC-TGT"))
    return found


def _make_lexicon(data: DataBin, pair: str) -> Command:
    return Command("lexicon", str(data.path), Parameter("pair", pair), Parameter("from", "FILE"))


def require_same_lexicons(lexicons: Sequence[Lexicon], states: Sequence[Mapping[str, Any]] | None, where: Path) -> None:
    """Raise :class:`XalignError` unless a checkpoint has the states (:meth:`Lexicon.state`) of these lexicons."""
    if states is None or {Lexicon.from_state(each).digest for each in states} == {each.digest for each in lexicons}:
        return
    problem = "the data-bin's lexicon is not the one that the checkpoint was trained with"
    raise XalignError(problem, where=where, remedy=("for a new run, set", Parameter("init_checkpoint")))
