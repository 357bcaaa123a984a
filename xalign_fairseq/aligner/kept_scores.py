"""An encoder's scores of the words of a text, kept in files: what it has read it need not read again."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.protocol import Progress, SentencePair, WordAligner
from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import SentencePairs, SpreadPairs, WordPair, chunks
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens

AT_ONCE = 2048  # pairs of a file
TOO_LONG, OVERFLOWED = -1, -2  # in place of the number of links
FORM = {
    "digest": ArrayForm(np.uint64, 1),
    "shape": ArrayForm(np.int32, 2),
    "count": ArrayForm(np.int32, 1),
    "place": ArrayForm(np.int32, 2),
    "score": ArrayForm(np.float32, 1),
}
REMEDY = "remove it and those of higher numbers"


class KeptScores(WordAligner):
    """An encoder of a text, whose scores of it are in files of 2,048 pairs.

    Args:
        encoder: what reads; its links are all scores of words.
        folder: where the files are and go; those that are there are of this encoder and text.

    Example::

        kept = KeptScores(encoder, folder)
        kept.read(text)
        kept.guide(0)  # scores (words of the source, words of the target) of the first line
    """

    def __init__(self, encoder: WordAligner, folder: Path):
        self._encoder, self._folder = encoder, folder
        self._parts: list[dict[str, np.ndarray]] = []
        while (path := self._path(len(self._parts))).is_file():
            self._parts.append(_load(path))
        self._join()

    def __len__(self) -> int:
        return len(self._kept["count"])

    def unknown(self) -> UnknownTokens:
        """How many of the tokens that were read now the encoder's vocabulary lacks."""
        return self._encoder.unknown()

    def describe(self) -> str:
        """The encoder's description."""
        return self._encoder.describe()

    def signature(self) -> str:
        """The encoder's signature."""
        return self._encoder.signature()

    def close(self) -> None:
        """End the encoder's processes, if it has any."""
        self._encoder.close()

    def read(self, text: SentencePairs | SpreadPairs, progress: Progress | None = None) -> None:
        """Read what is not kept yet; ``progress`` is called with the number of pairs newly done."""
        if progress:
            progress(len(self))
        rest = (pair for number, pair in enumerate(text) if number >= len(self._kept["count"]))
        for chunk in chunks(rest, AT_ONCE):
            part = _pack(chunk, self._encoder.stream(chunk, progress))
            write_arrays(self._path(len(self._parts)), part)
            self._parts.append(part)
        self._join()

    def guide(self, line: int) -> np.ndarray | None:
        """Scores of a line of the text; ``None`` where it was too long."""
        links = self._links(line)
        if links is None:
            return None
        scores = np.zeros(self._kept["shape"][line], np.float32)
        scores[tuple(links[0].T)] = links[1]
        return scores

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        """As of an aligner; pairs of the text are not read again, others are."""
        for chunk in chunks(pairs, AT_ONCE):
            lines = [self._line(pair) for pair in chunk]
            unread = (pair for pair, line in zip(chunk, lines, strict=True) if line is None)
            others = self._encoder.stream(unread, matrices=matrices)
            for (src, tgt), line in zip(chunk, lines, strict=True):
                if line is None:
                    yield next(others)
                    continue
                kept = self._links(line)
                links = {} if kept is None else dict(zip(map(tuple, kept[0].tolist()), kept[1].tolist(), strict=True))
                count = self._kept["count"][line]
                matrix = self.guide(line) if matrices else None
                yield Alignment(src, tgt, links, too_long=count == TOO_LONG, finite=count != OVERFLOWED, matrix=matrix)
            next(others, None)  # to its end: a stream that is left before it closes a pool
            if progress:
                progress(len(chunk))

    def _path(self, number: int) -> Path:
        return self._folder / f"scores-{number:05d}.npz"

    def _join(self) -> None:
        parts = self._parts or [_pack([], [])]
        self._kept = {field: np.concatenate([part[field] for part in parts]) for field in FORM}
        self._ends = np.cumsum(self._kept["count"].clip(min=0))
        self._order = np.argsort(self._kept["digest"])

    def _links(self, line: int) -> tuple[np.ndarray, np.ndarray] | None:
        count = int(self._kept["count"][line])
        if count < 0:
            return None
        here = slice(self._ends[line] - count, self._ends[line])
        return self._kept["place"][here], self._kept["score"][here]

    def _line(self, pair: WordPair) -> int | None:
        digest = _digest(pair)
        place = np.searchsorted(self._kept["digest"], digest, sorter=self._order)
        if place == len(self._order):
            return None
        line = int(self._order[place])
        return line if self._kept["digest"][line] == digest else None


def _digest(pair: WordPair) -> np.uint64:
    text = "\n".join(" ".join(side) for side in pair)
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))


def _pack(pairs: Iterable[WordPair], alignments: Iterable[Alignment]) -> dict[str, np.ndarray]:
    rows = list(zip(pairs, alignments, strict=True))
    links = [link for _, alignment in rows for link in alignment.links]
    return {
        "digest": np.array([_digest(pair) for pair, _ in rows], np.uint64),
        "shape": np.array([[len(side) for side in pair] for pair, _ in rows], np.int32).reshape(-1, 2),
        "count": np.array([_count(found) for _, found in rows], np.int32),
        "place": np.array(links, np.int32).reshape(-1, 2),
        "score": np.array([score for _, found in rows for score in found.links.values()], np.float32),
    }


def _count(found: Alignment) -> int:
    return OVERFLOWED if not found.finite else TOO_LONG if found.too_long else len(found.links)


def _load(path: Path) -> dict[str, np.ndarray]:
    part = read_arrays(path, FORM, remedy=REMEDY)
    shape, count, place, score = (part[name] for name in ("shape", "count", "place", "score"))
    pairs, links = len(count), count.clip(min=0).sum(dtype=np.int64)
    sizes = {"digest": (pairs,), "shape": (pairs, 2), "count": (pairs,), "place": (links, 2), "score": (links,)}
    if not (
        {name: each.shape for name, each in part.items()} == sizes
        and bool((count >= OVERFLOWED).all())
        and bool(((place >= 0) & (place < shape.repeat(count.clip(min=0), axis=0))).all())
        and bool(((score >= 0) & (score <= 1.001)).all())
    ):
        raise XalignError("kept scores are inconsistent", where=path, remedy=REMEDY)
    return part
