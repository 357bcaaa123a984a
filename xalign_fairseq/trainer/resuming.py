"""A resumed run has the options that it started with."""

import logging
import os
from collections.abc import Mapping
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.trainer.checkpoint_repair import LAST

logger = logging.getLogger(__name__)

# A command with these options continues from the last checkpoint, whatever wrote it.
CONTINUED = {"restore_file": LAST, "reset_optimizer": False, "reset_lr_scheduler": False}
CONTINUED |= {"reset_meters": False, "reset_dataloader": False}

# Different values of these parts of fairseq's configuration, or of the criterion's options, mean another run.
IDENTITY = {"task._name": "task", "model._name": "arch", "model.init_checkpoint": "init_checkpoint"}
IDENTITY |= {"task.data": "data", "common.seed": "seed", "criterion._name": "criterion"}


def continues_after(cfg: Mapping[str, Any]) -> int:
    """The updates of the last checkpoint if a command with this ``cfg.checkpoint`` continues from it, or 0."""
    from xalign_fairseq.encoder.checkpoint import options, read_if_whole, updates_in  # here, because it loads torch

    state = read_if_whole(os.path.join(cfg["save_dir"], LAST))
    if state is None:
        return 0
    before = options(state, "checkpoint")
    own = all(before.get(name) == cfg[name] for name in ("continue_once", *CONTINUED))  # of the same command
    if not (own or all(cfg[name] == value for name, value in CONTINUED.items())):
        return 0
    return updates_in(state) if state.get("last_optimizer_state") else 0


def require_same_run(state: Mapping[str, Any], cfg: Mapping[str, Any], folder: object) -> None:
    """Refuse options of another run than the last checkpoint's; log other changed options.

    Otherwise one run would mix two settings, and a complete run would look like one with the new options.

    Raises:
        XalignError: an option of the criterion or of its objectives, the task, the architecture, the initial
            checkpoint or the seed has another value, or the data's folders or their order changed.
    """
    found, others = {}, {}
    for group in ("criterion", "task", "model", "common", "dataset"):
        before, now = (each.get(group) or {} for each in (state.get("cfg") or {}, cfg))
        for name in now:
            key = f"{group}.{name}"
            if name not in before or before[name] == now[name]:
                continue
            if name == "init_checkpoint" and _is_one_file(before[name], now[name]):
                continue
            kept = False
            if key == "task.data":  # a checkpoint names folders by number
                old, new = _data(before), _data(now)
                if new[: len(old)] == old:  # a run may get more data
                    continue
                kept = old[: len(new)] == new
            if group == "criterion" or (key in IDENTITY and not kept):
                found[IDENTITY.get(key, name)] = f"{before[name]}, now {now[name]}"
            elif name in ("batch_size", "max_tokens") or (group in ("task", "model") and name != "max_update"):
                others[name] = f"{before[name]}, now {now[name]}"
    if found:
        reset = ("with", Parameter("reset_optimizer")) if "criterion" in found else ()
        start = (Parameter("restore_file", "FILE"), *reset, "to choose a checkpoint")
        raise XalignError(
            "the folder has a run with other options",
            where=folder,
            parameter=tuple(name for name in found if name != "data"),
            found=_listed(found),
            remedy=("set another", Parameter("save_dir"), "or", *start),
        )
    if others:
        logger.warning("the run continues with other options: %s", _listed(others))


def absolute(data: str) -> str:
    """Data-bins by absolute paths, which are valid from any folder."""
    return ":".join(map(os.path.abspath, data.split(":")))


def _is_one_file(*paths: str | None) -> bool:
    found = [each for each in paths if each and os.path.exists(each)]
    return len(found) == 2 and os.path.samefile(*found)


def _data(options: Mapping[str, Any]) -> list[str]:
    return [os.path.realpath(each) for each in str(options["data"]).split(":")]


def _listed(found: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {each}" for name, each in found.items())
