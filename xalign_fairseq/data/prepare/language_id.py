"""The language that a line is in, by a fastText model such as ``lid.176.bin`` (Joulin et al. 2016)."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath

LABEL = "__label__"  # begins fastText's names of languages
MODELS = "lid.176.bin or lid.176.ftz, see https://fasttext.cc/docs/en/language-identification.html"


def in_language(path: StrPath, language: str, lines: Sequence[str]) -> np.ndarray:
    """(n,) bool: which lines are most probably in a language."""
    wanted = LABEL + code(language)
    predict = _load(os.fspath(path)).predict
    # A line without known parts has no label.
    return np.array([wanted in predict(line)[0] for line in lines], dtype=bool)


def require_model(path: StrPath) -> None:
    """:class:`XalignError` unless a model can be read."""
    _load(os.fspath(path))


def code(language: str) -> str:
    """The language of a code that may name a region or a script, too."""
    return re.split("[_-]", language)[0]


@lru_cache(maxsize=1)
def _load(path: str) -> Any:
    try:
        import fasttext
    except ImportError:
        raise XalignError(
            "language identification needs fastText", where=path, remedy="pip install fasttext-predict"
        ) from None
    if not os.path.isfile(path):
        raise XalignError("there is no language identification model", where=path, expected=MODELS)
    try:
        model = fasttext.load_model(path)
        model.predict("a")
    except (ValueError, RuntimeError, MemoryError) as error:
        problem = "the file is not a fastText model that identifies languages"
        raise XalignError(problem, where=path, found=error, expected=MODELS) from None
    return model
