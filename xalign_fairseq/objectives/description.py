"""Descriptions of objectives for ``xalign objectives`` and the reference."""

import dataclasses
import difflib
import re
import sys
from typing import Any, NamedTuple

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.papers import Paper
from xalign_fairseq.objectives.presets import PRESETS
from xalign_fairseq.objectives.registry import OBJECTIVES, Objective

# How to add a stream to a data-bin.
SOURCES = {
    "bitext": "xalign prepare --pair SRC-TGT --trainpref PREFIX",
    "mono": "xalign prepare --mono LANGUAGE=FILE",
    "links": "xalign prepare --pair SRC-TGT --trainpref PREFIX --links FILE",
    "lexicon": "xalign lexicon DATA_BIN --pair SRC-TGT --from FILE",
}


class OptionRow(NamedTuple):
    """An option: its flag, its default, and its meaning."""

    flag: str
    default: Any
    help: str

    @property
    def default_text(self) -> str:
        """The default as text: empty if there is none, ``required`` if it must be given."""
        return {"None": "", "???": "required"}.get(str(self.default), str(self.default))


def option_rows(dataclass: Any, prefix: str = "") -> list[OptionRow]:
    """The options of a configuration class, in order, such as ``--dwa-weight``, without fairseq's options."""
    return [
        OptionRow(
            f"--{prefix}{field.name}".replace("_", "-"),
            field.default,
            re.sub(r"\s+", " ", field.metadata.get("help", "")),
        )
        for field in dataclasses.fields(dataclass)
        if field.init and not field.name.startswith("_") and not str(field.default).startswith("${")
    ]


@dataclasses.dataclass(frozen=True)
class Description:
    """An objective's description, from the registry and the objective's file."""

    name: str
    what: str
    about: tuple[str, ...]
    paper: Paper | None
    reads: tuple[str, ...]
    head: str | None
    predicts_tokens: bool
    freezes_encoder: bool
    logs: tuple[str, ...]
    options: tuple[OptionRow, ...]


def describe(name: str) -> Description:
    """The description of a registered objective; :class:`XalignError` with similar names for an unknown one."""
    cls = registered(name)
    paragraphs = tuple(re.sub(r"\s+", " ", part.strip()) for part in (cls.__doc__ or "").strip().split("\n\n"))
    module = (sys.modules[cls.__module__].__doc__ or "").strip().split("\n")[0]
    builds = cls.build_head is not Objective.build_head
    return Description(
        name=name,
        what=(module or paragraphs[0]).rstrip("."),
        about=paragraphs,
        paper=cls.paper,
        reads=cls().traits.needs,
        head=(cls.build_head.__doc__ or "a module").strip().split("\n")[0].rstrip(".") if builds else None,
        predicts_tokens=cls.traits.predicts_tokens,
        freezes_encoder=cls.traits.freezes_encoder,
        logs=tuple(f"{name}_{stat}" for stat in ("loss", *cls.traits.stats)),
        options=tuple(option_rows(cls, f"{name}_")),
    )


def registered(name: str) -> type[Objective]:
    """The class of an objective; XalignError with similar names if the name is unknown."""
    if name in OBJECTIVES:
        return OBJECTIVES[name]
    # With dashes, as in options.
    near = difflib.get_close_matches(name.replace("-", "_").lower(), [*OBJECTIVES, *PRESETS], n=3, cutoff=0.6)
    expected = " or ".join(near) if near else ", ".join(sorted(OBJECTIVES))
    raise XalignError("unknown objective", where=name, expected=expected)
