"""An update whose gradient is not finite is left out and told of; several in a row end the training.

Why: fairseq ends at the first one, in a traceback that names neither the objective nor the batch, after it has written
a ``crash.pt`` and gone through the batch again with hooks. A batch of broken text costs a run its night.
Touches: ``clip_grad_norm`` and ``train_step`` of ``fairseq.trainer.Trainer``, and
``fairseq.checkpoint_utils.save_checkpoint``, which writes nothing after such an update if the model's
state is not finite. ``--fp16`` and ``--amp`` have their own way, by the scale of the loss.
Can go: when fairseq does likewise.

The gradient's norm is the same in all processes, so that all leave the update out. How many in a row end the training
is the task's ``--nonfinite-updates``; what names objective and batch is the criterion's ``nonfinite``, if it has one.
"""

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.compat.patching import replace, source_has
from xalign_fairseq.trainer.mending import LAST

NAME = "updates that are not finite"
WHY = "fairseq ends at the first gradient that is not finite, and names neither objective nor batch"
WHY_NOT = "fairseq leaves out updates that are not finite"
IN_A_ROW = 3
"""What ends the training of a task that does not say."""
logger = logging.getLogger(__name__)


class NonfiniteGradient(Exception):
    """The norm of an update's gradient is infinite or not a number; nothing has been changed."""


def needed() -> bool:
    """Whether the trainer still ends at the first one."""
    from fairseq.trainer import Trainer

    return source_has(Trainer.train_step, 'raise FloatingPointError("gradients are Nan/Inf")')


def install() -> None:
    """Look at the norm before fairseq does."""
    from fairseq import checkpoint_utils
    from fairseq.trainer import Trainer

    replace(Trainer, "clip_grad_norm", NAME, _looked_at)
    replace(Trainer, "train_step", NAME, _left_out)
    replace(checkpoint_utils, "save_checkpoint", NAME, _good)


def _looked_at(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def clip_grad_norm(self: Any, *args: Any, **kwargs: Any) -> Any:
        norm = original(self, *args, **kwargs)
        if not self.tpu and not self.cfg.common.amp and not norm.isfinite().all():
            raise NonfiniteGradient
        return norm

    return clip_grad_norm


def _left_out(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def train_step(self: Any, samples: list[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            found = original(self, samples, *args, **kwargs)
        except NonfiniteGradient:
            self.nonfinite_in_a_row = _in_a_row(self) + 1
            _tell(self, samples)
            self.zero_grad()
            _unscale(self.optimizer)
            return None
        self.nonfinite_in_a_row = 0
        return found

    return train_step


def _unscale(optimizer: Any) -> None:
    """Forget what the gradients that were left out were multiplied with: fairseq's bfloat16 keeps it until a step."""
    if hasattr(optimizer, "_multiply_factor") and getattr(optimizer, "scaler", 0) is None:
        optimizer._multiply_factor = 1.0


def _in_a_row(trainer: Any) -> int:
    return getattr(trainer, "nonfinite_in_a_row", 0)


def _tell(trainer: Any, samples: list[Any]) -> None:
    """Warn of the update that is left out.

    Raises:
        XalignError: it is one too many.
    """
    criterion = trainer.get_criterion()
    why = criterion.nonfinite(samples) if hasattr(criterion, "nonfinite") else ""
    why = why or f"the gradient of {', '.join(_spoilt(trainer)) or 'another process'}"
    where = f"update {trainer.get_num_updates() + 1}"
    most, found = getattr(trainer.task.cfg, "nonfinite_updates", IN_A_ROW), _in_a_row(trainer)
    if found < most:
        logger.warning("%s is left out, %d in a row, %d end the training: not finite: %s", where, found, most, why)
        return
    last = Path(trainer.cfg.checkpoint.save_dir) / LAST
    raise XalignError(
        f"the training has lost its way: {found} update{'s' * (found > 1)} in a row not finite",
        where=where,
        found=why,
        remedy=f"go on from {last}, the last good checkpoint, with a lower --lr, or without what is named"
        if last.is_file() else "begin with a lower --lr, or without what is named",
    )  # fmt: skip


def _spoilt(trainer: Any) -> list[str]:
    """The first parameters whose gradients are not finite."""
    named = trainer.get_model().named_parameters()
    return [name for name, each in named if each.grad is not None and not _numbers(each.grad).isfinite().all()][:3]


def _numbers(gradient: Any) -> Any:
    """What a gradient is made of, which torch does not ask a sparse one (``--embedding-updates lazy``) about itself."""
    return gradient.coalesce().values() if gradient.is_sparse else gradient


def _not_finite(state: dict[str, Any]) -> str:
    """The name of the first entry that is not finite, or nothing."""
    from torch import Tensor

    found = (name for name, each in state.items() if isinstance(each, Tensor) and not each.isfinite().all())
    return next(found, "")


def _good(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def save_checkpoint(cfg: Any, trainer: Any, *rest: Any) -> Any:
        # Parameters are as before the update; what an objective keeps of earlier batches may be spoilt.
        if _in_a_row(trainer) and (spoilt := _not_finite(trainer.get_model().state_dict())):
            logger.warning("no checkpoint is written after an update that is not finite: it has spoilt %s", spoilt)
            return None
        return original(cfg, trainer, *rest)

    return save_checkpoint
