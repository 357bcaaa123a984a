"""Find test sets with gold links in a folder, by name."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import WordPair
from xalign_fairseq.links.gold import read_gold_text
from xalign_fairseq.links.pharaoh import Gold


@dataclass(frozen=True)
class GoldSet:
    """A named set of sentence pairs with gold links; :func:`read_set` adds languages and a digest of all files."""

    name: str
    pairs: Sequence[WordPair]
    golds: Sequence[Gold]
    languages: tuple[str, str] = ("", "")
    digest: str = ""


def find_sets(folder: str) -> list[GoldSet]:
    """Every ``S-T.gold`` below a folder, with its texts ``S-T.S`` and ``S-T.T``, sorted by name."""
    top = Path(folder)
    found = [read_set(path, top) for path in sorted(_gold_files(top))]
    if not found:
        raise XalignError(
            "there is no test set",
            where=folder,
            expected="files S-T.gold, S-T.S and S-T.T, such as de-en.gold, de-en.de and de-en.en, in it or below",
        )
    return found


def _gold_files(top: Path) -> Iterator[Path]:
    seen = set()
    for folder, inside, files in os.walk(top, followlinks=True):
        inside.sort()
        real = os.path.realpath(folder)
        if real in seen:
            inside.clear()
            continue
        seen.add(real)
        yield from (Path(folder, file) for file in files if file.endswith(".gold"))


def read_set(gold: Path, top: Path | None = None) -> GoldSet:
    """The set of ``S-T.gold``, with the texts ``S-T.S`` and ``S-T.T`` next to it; named by its path below ``top``."""
    src, dash, tgt = gold.stem.partition("-")
    if not (src and dash and tgt):
        raise XalignError("the languages of a test set are not in its name", where=gold, expected="such as de-en.gold")
    files = [gold.with_name(f"{gold.stem}.{side}") for side in (src, tgt)]
    pairs, golds = read_gold_text(files[0], files[1], gold)
    content = hashlib.sha256()
    for file in (*files, gold):
        content.update(hashlib.sha256(file.read_bytes()).digest())
    name = (gold.relative_to(top) if top else Path(gold.name)).with_suffix("").as_posix()
    return GoldSet(name, list(pairs), golds, (src, tgt), content.hexdigest()[:12])
