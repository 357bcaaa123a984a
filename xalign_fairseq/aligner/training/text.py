"""The text of a run: its languages, its development set, and a digest of what is in its files."""

import os
from typing import NamedTuple

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.containers import suffix_of, text_sha256


class DevelopmentSet(NamedTuple):
    """Text whose gold links choose the best checkpoint."""

    src: str
    tgt: str
    gold: str


def development_set(src: str | None, tgt: str | None, gold: str | None) -> DevelopmentSet | None:
    """The three files, or None; :class:`XalignError` if only some are given."""
    given = {"valid_src": src, "valid_tgt": tgt, "valid_gold": gold}
    if src is not None and tgt is not None and gold is not None:
        return DevelopmentSet(src, tgt, gold)
    if found := [path for path in given.values() if path is not None]:
        raise XalignError(
            "the development set is not complete",
            parameter=tuple(given),
            found=", ".join(found),
            remedy="give all three, or none (then the last checkpoint is used)",
        )
    return None


def languages_of(src: str | os.PathLike[str], tgt: str | os.PathLike[str]) -> tuple[str, str]:
    """The languages that two files are named by, as in ``train.de`` and ``train.en``."""
    first, second = (suffix_of(path)[1:] for path in (src, tgt))
    if not first or not second or first == second:
        raise XalignError(
            "the file names do not show their languages",
            where=f"{src}, {tgt}",
            expected="names that end in two languages, as train.de and train.en",
            remedy=("set", Parameter("languages", "SRC-TGT")),
        )
    return first, second


def text_digest(path: str) -> str:
    """16 hexadecimal digits of a text's content, with the part of the file that it is."""
    digest, hash_sign, part = text_sha256(path).partition("#")
    return digest[:16] + hash_sign + part
