"""Check that a resumed run has the same bilingual lexicons."""

from collections.abc import Mapping, Sequence
from typing import Any

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.lexicon import Lexicon


def require_same_lexicons(
    lexicons: Sequence[Lexicon], states: Sequence[Mapping[str, Any]] | None, where: StrPath
) -> None:
    """Raise :class:`XalignError` unless checkpoint and data-bin have the same lexicons."""
    if states is not None and {Lexicon.from_state(state).digest for state in states} != {
        each.digest for each in lexicons
    }:
        raise XalignError(
            "the data-bin's lexicon is not the one that the checkpoint was trained with",
            where=where,
            found="other entries, or another choice of those that are trained on",
            remedy=(
                Command("lexicon"),
                "with the options of that run, or a new run with",
                Parameter("init_checkpoint"),
            ),
        )
