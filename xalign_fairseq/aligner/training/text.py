"""The text of a run: languages and development set."""

import os
from typing import NamedTuple

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.containers import suffix_of


class DevelopmentSet(NamedTuple):
    """Text whose gold links choose the best checkpoint."""

    src: str
    tgt: str
    gold: str


def development_set(
    valid_src: str | None = None, valid_tgt: str | None = None, valid_gold: str | None = None
) -> DevelopmentSet | None:
    """The three files, or None; :class:`XalignError` if only some are given."""
    if valid_src is not None and valid_tgt is not None and valid_gold is not None:
        return DevelopmentSet(valid_src, valid_tgt, valid_gold)
    if found := [path for path in (valid_src, valid_tgt, valid_gold) if path is not None]:
        raise XalignError(
            "the development set is not complete",
            parameter=("valid_src", "valid_tgt", "valid_gold"),
            found=", ".join(found),
            remedy="give all three, or none (then the last checkpoint is used)",
        )
    return None


def languages_of(src: str | os.PathLike[str], tgt: str | os.PathLike[str]) -> tuple[str, str]:
    """The languages from two file names, as in ``train.de`` and ``train.en``."""
    first, second = (suffix_of(path)[1:] for path in (src, tgt))
    if not first or not second or first == second:
        raise XalignError(
            "the file names do not show their languages",
            where=f"{src}, {tgt}",
            expected="names that end in two languages, as train.de and train.en",
            remedy=("set", Parameter("languages", "SRC-TGT")),
        )
    return first, second
