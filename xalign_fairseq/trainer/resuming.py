"""A resumed run has the options that it began with."""

import logging
from collections.abc import Mapping
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError

logger = logging.getLogger(__name__)


def require_same_run(state: Mapping[str, Any], cfg: Mapping[str, Any], folder: object) -> None:
    """Refuse other options of the criterion than those in the last checkpoint's state; log those of task and model.

    One run would otherwise mix two settings, and a complete run would pass for one with the new options.

    Raises:
        XalignError: an option of the criterion or of its objectives has another value.
    """
    found = {name: each for group in ("task", "model") for name, each in _changed(state, cfg, group).items()}
    for name in ("data", "max_update"):  # a run may get more data and more updates
        found.pop(name, None)
    if found:
        logger.warning("the run continues with other options: %s", _listed(found))
    if found := _changed(state, cfg, "criterion"):
        raise XalignError(
            "the folder has a run with other options",
            where=folder,
            parameter=tuple(found),
            found=_listed(found),
            expected="the options of that run, to continue it",
            remedy=("set another", Parameter("save_dir"), "or", Parameter("restore_file", "FILE"), "to start from it"),
        )


def _changed(state: Mapping[str, Any], cfg: Mapping[str, Any], group: str) -> dict[str, tuple[object, object]]:
    """Options of a part of fairseq's configuration that both have, with both values, if they differ."""
    before, now = (each.get(group) or {} for each in (state.get("cfg") or {}, cfg))
    return {name: (before[name], now[name]) for name in now if name in before and before[name] != now[name]}


def _listed(found: Mapping[str, tuple[object, object]]) -> str:
    return ", ".join(f"{name} {before}, now {now}" for name, (before, now) in found.items())
