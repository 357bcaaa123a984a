"""``--store-ema`` in a run that was begun without it begins with the model as it is.

Why: fairseq means to do so, and has deleted the model's weights from the checkpoint by then: a KeyError.
Touches: ``fairseq.checkpoint_utils.load_checkpoint_to_cpu`` inside ``fairseq.trainer.Trainer.load_checkpoint``, whose
result then has the weights as the average, too.
Can go: when fairseq keeps them.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has, swapped

NAME = "--store-ema of old runs"
WHY = "fairseq can't add --store-ema to a run that was begun without it"
WHY_NOT = "fairseq adds --store-ema to a run that was begun without it"


def needed() -> bool:
    """Whether the weights are still deleted before they are asked for."""
    from fairseq.trainer import Trainer

    return source_has(Trainer.load_checkpoint, 'state["model"], build_fp32_params=self.cfg.ema.ema_fp32')


def install() -> None:
    """Give the average what it begins with."""
    from fairseq.trainer import Trainer

    replace(Trainer, "load_checkpoint", NAME, _begun)


def _begun(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def load_checkpoint(self: Any, *args: Any, **kwargs: Any) -> Any:
        from fairseq import checkpoint_utils

        if not self.cfg.ema.store_ema:
            return load(self, *args, **kwargs)
        read = checkpoint_utils.load_checkpoint_to_cpu

        def with_average(*read_args: Any, **read_kwargs: Any) -> dict[str, Any]:
            state = read(*read_args, **read_kwargs)
            if "extra_state" in state and "ema" not in state["extra_state"]:
                state["extra_state"]["ema"] = state["model"]
            return state

        with swapped(checkpoint_utils, "load_checkpoint_to_cpu", with_average):
            return load(self, *args, **kwargs)

    return load_checkpoint
