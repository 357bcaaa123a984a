"""An encoder's word scores of a text, stored in files, so that the encoder reads each sentence once."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from xalign_fairseq.aligner.protocol import Alignment, Progress, SentencePair, WordAligner
from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import PairedText, WordPair, chunks
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens

AT_ONCE = 2048  # pairs read from a file at once
TOO_LONG, OVERFLOWED = -1, -2  # instead of the number of links
FORM = {
    "digest": ArrayForm(np.uint64, 1),
    "shape": ArrayForm(np.int32, 2),
    "count": ArrayForm(np.int32, 1),
    "place": ArrayForm(np.int32, 2),
    "score": ArrayForm(np.float32, 1),
}
LEAST = 1e-3  # smaller scores count as 0
REMEDY = "remove it and all files with higher numbers"


class KeptScores(WordAligner):
    """An encoder whose scores of one text are kept in ``folder``, in files of 2,048 pairs each."""

    def __init__(self, encoder: WordAligner, folder: Path):
        self._encoder, self._folder = encoder, folder
        self._files, parts = 0, [_pack([], [])]
        while (path := self._path()).is_file():
            parts.append(_load(path))
            self._files += 1
        self._join(parts)

    def __len__(self) -> int:
        return len(self._kept["count"])

    def unknown(self) -> UnknownTokens:
        return self._encoder.unknown()

    def describe(self) -> str:
        return self._encoder.describe()

    def signature(self) -> str:
        return self._encoder.signature()

    def close(self) -> None:
        self._encoder.close()

    def read(self, text: PairedText, progress: Progress | None = None) -> None:
        """Score the pairs without stored scores; ``progress`` gets the number of stored pairs, then of new ones."""
        if progress:
            progress(len(self))
        parts = [self._kept]
        rest = (pair for number, pair in enumerate(text) if number >= len(self._kept["count"]))
        for chunk in chunks(rest, AT_ONCE):
            parts.append(_pack(chunk, self._encoder.stream(chunk, progress, matrices=True)))
            write_arrays(self._path(), parts[-1])
            self._files += 1
        self._join(parts)

    def guide(self, line: int) -> np.ndarray | None:
        """Scores of a line of the text; ``None`` if the line was too long."""
        count = int(self._kept["count"][line])
        if count < 0:
            return None
        here = slice(self._ends[line] - count, self._ends[line])
        scores = np.zeros(self._kept["shape"][line], np.float32)
        scores[tuple(self._kept["place"][here].T)] = self._kept["score"][here]
        return scores

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        """Scores of pairs as ``matrix``, without links; only pairs outside the text are read by the encoder."""
        for chunk in chunks(pairs, AT_ONCE):
            lines = [self._line(pair) for pair in chunk]
            unread = (pair for pair, line in zip(chunk, lines, strict=True) if line is None)
            others = self._encoder.stream(unread, matrices=True)
            for (src, tgt), line in zip(chunk, lines, strict=True):
                if line is None:
                    yield next(others)
                    continue
                count = self._kept["count"][line]
                matrix = self.guide(line)
                yield Alignment(src, tgt, {}, too_long=count == TOO_LONG, finite=count != OVERFLOWED, matrix=matrix)
            next(others, None)  # read to the end, so that a stream closes its pool
            if progress:
                progress(len(chunk))

    def _path(self) -> Path:
        return self._folder / f"scores-{self._files:05d}.npz"

    def _join(self, parts: list[dict[str, np.ndarray]]) -> None:
        self._kept = {field: np.concatenate([part[field] for part in parts]) for field in FORM}
        self._ends = np.cumsum(self._kept["count"].clip(min=0))
        self._order = np.argsort(self._kept["digest"])

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


def kept_scores(matrix: np.ndarray | None) -> np.ndarray | None:
    """Scores of words in the stored form: small scores are 0."""
    return None if matrix is None else np.where(matrix >= LEAST, matrix, np.float32(0))


def _pack(pairs: Iterable[WordPair], alignments: Iterable[Alignment]) -> dict[str, np.ndarray]:
    rows = list(zip(pairs, alignments, strict=True))
    none = np.zeros((0, 0), np.float32)
    scores = [none if (kept := kept_scores(found.matrix)) is None else kept for _, found in rows]
    counts = [
        OVERFLOWED if not found.finite else TOO_LONG if found.too_long else int(np.count_nonzero(kept))
        for (_, found), kept in zip(rows, scores, strict=True)
    ]
    return {
        "digest": np.array([_digest(pair) for pair, _ in rows], np.uint64),
        "shape": np.array([[len(side) for side in pair] for pair, _ in rows], np.int32).reshape(-1, 2),
        "count": np.array(counts, np.int32),
        "place": np.concatenate([np.argwhere(each) for each in (none, *scores)], dtype=np.int32),
        "score": np.concatenate([each[each > 0] for each in (none, *scores)]),
    }


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
        raise XalignError("stored scores are inconsistent", where=path, remedy=REMEDY)
    return part
