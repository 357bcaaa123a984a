"""Bilingual lexicons of a data-bin in training: which are read, and that a resumed run has the same."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from xalign_fairseq.data import lexicon
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.errors import XalignError


def trained_lexicons(data: DataBin) -> list[Lexicon]:
    """All lexicons of a data-bin.

    Raises:
        XalignError: there is none, or none of which an entry is trained on.
    """
    found = [lexicon.read(data, src, tgt) for src, tgt in lexicon.lexicons(data)]
    if not any((each.part == lexicon.TRAINED).any() for each in found):
        raise XalignError(
            "an objective needs a bilingual lexicon, and the data-bin has none to train on",
            where=data.path,
            found="all entries held out" if found else "no lexicon",
            next=f"xalign lexicon {data.path} --pair SRC-TGT --from DICTIONARY",
        )
    return found


def require_same_lexicons(
    lexicons: Sequence[Lexicon], states: Sequence[Mapping[str, Any]] | None, where: str | os.PathLike
) -> None:
    """Raise :class:`XalignError` unless a checkpoint's lexicons (``Lexicon.state()`` each) are those of the data-bin.

    Otherwise entries that were held out would be trained on after a restart. A checkpoint of objectives that read no
    lexicon has none to compare.
    """
    if states is not None and {Lexicon.from_state(state).digest for state in states} != {
        each.digest for each in lexicons
    }:
        raise XalignError(
            "the data-bin's lexicon is not the one that the checkpoint was trained with",
            where=where,
            found="other entries, or another choice of those that are trained on",
            next="run xalign lexicon with the options of that run, or begin a new run from it by --init-checkpoint",
        )
