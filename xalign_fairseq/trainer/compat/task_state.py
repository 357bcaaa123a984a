"""Training that goes on from a checkpoint shows it to the task, which refuses one of another dictionary.

Why: the trainer saves the task's state, but only ``fairseq-validate`` and generation read it again. Training from
``--restore-file`` or ``--finetune-from-model`` on data of another dictionary with as many symbols would go on with
embeddings of other words, without a word.
With several processes rank 0 alone reads a checkpoint and sends it to the others, whose tasks see what was sent.
Which of several data-bins the run was at (``shard``) is not shown where the data begin anew (``--reset-dataloader``,
``--finetune-from-model``).
Touches: ``fairseq.trainer.Trainer.load_checkpoint``.
Can go: when the trainer restores the task's state.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has, swapped

NAME = "task state"
WHY = "fairseq's trainer saves the task's state and does not restore it"
WHY_NOT = "fairseq's trainer restores the task's state"


def needed() -> bool:
    """Whether the trainer still ignores it."""
    from fairseq.trainer import Trainer

    return not source_has(Trainer.load_checkpoint, "task_state")


def install() -> None:
    """Give the state to the task as soon as it is read."""
    from fairseq.trainer import Trainer

    replace(Trainer, "load_checkpoint", NAME, _shown)


def _shown(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def load_checkpoint(self: Any, *args: Any, **kwargs: Any) -> Any:
        from fairseq import checkpoint_utils
        from fairseq.distributed import utils

        read = checkpoint_utils.load_checkpoint_to_cpu
        send = utils.broadcast_object
        left_out = _left_out(self.cfg.checkpoint, args[0] if args else kwargs.get("filename"))

        def show(state: dict[str, Any]) -> None:
            self.task.load_state_dict({key: each for key, each in state["task_state"].items() if key not in left_out})

        def read_and_show(*read_args: Any, **read_kwargs: Any) -> dict[str, Any]:
            state = read(*read_args, **read_kwargs)
            if "task_state" in state:
                show(state)
            return state

        def send_and_show(*send_args: Any, **send_kwargs: Any) -> Any:
            state = send(*send_args, **send_kwargs)
            if self.data_parallel_rank > 0 and isinstance(state, dict) and "task_state" in state:
                show(state)
            return state

        with (
            swapped(checkpoint_utils, "load_checkpoint_to_cpu", read_and_show),
            swapped(utils, "broadcast_object", send_and_show),
        ):
            return load(self, *args, **kwargs)

    return load_checkpoint


def _left_out(cfg: Any, filename: str | None) -> tuple[str, ...]:
    """What of a task's state is not taken over: the place in the data, of a run whose data are read from the start."""
    anew = cfg.reset_dataloader or (cfg.finetune_from_model is not None and filename == cfg.finetune_from_model)
    return ("shard",) if anew else ()
