"""Messages about updates with a non-finite gradient, and the limit of consecutive ones."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.trainer.checkpoint_repair import LAST

if TYPE_CHECKING:
    from fairseq.trainer import Trainer

logger = logging.getLogger(__name__)


class NonfiniteGradient(Exception):
    """The norm of an update's gradient is infinite or NaN; nothing has changed."""


class LossScaleMinimum(Exception):
    """The gradient of ``--fp16`` overflows although the loss scale is at ``--min-loss-scale``."""


def warn(trainer: "Trainer", samples: list[Any], in_a_row: int) -> None:
    """Warn of a skipped update, with the criterion's ``nonfinite`` text about its batches."""
    why, where, start = _why(trainer, samples), _where(trainer), _start(trainer)
    most = getattr(trainer.task.cfg, "nonfinite_updates", 3)  # other tasks lack the option
    if in_a_row < most:
        logger.warning("%s is not finite and is skipped (%d in a row; %d end the run): %s", where, in_a_row, most, why)
        return
    raise XalignError(
        f"training diverged: {counted(in_a_row, 'consecutive update')} with non-finite gradients",
        where=where,
        found=why,
        remedy=(start, "with a lower", Parameter("lr"), "or without the objective, if one is named"),
    )


def scale_error(trainer: "Trainer", samples: list[Any], message: str) -> XalignError:
    """The error for a loss scale at its minimum, with objective and batch; ``message`` is fairseq's."""
    return XalignError(
        "the loss scale has reached its minimum: gradients overflow in every update",
        where=_where(trainer),
        parameter="min_loss_scale",
        found=f"{message.split(').')[0]}); {_why(trainer, samples)}",
        remedy=(_start(trainer), "with a lower", Parameter("lr"), "or in", Parameter("bf16")),
    )


def _why(trainer: "Trainer", samples: list[Any]) -> str:
    """The non-finite losses and their batches; if all losses are finite, the gradients."""
    criterion = trainer.get_criterion()
    why = criterion.nonfinite(samples) if hasattr(criterion, "nonfinite") else ""
    if why:
        return why
    grads = [(name, each.grad) for name, each in trainer.get_model().named_parameters() if each.grad is not None]
    # torch cannot test sparse gradients (--embedding-updates lazy) directly.
    values = ((name, grad.coalesce().values() if grad.is_sparse else grad) for name, grad in grads)
    spoilt = [name for name, each in values if not each.isfinite().all()]
    return f"the gradient of {', '.join(spoilt[:3]) or 'another process'}"


def _where(trainer: "Trainer") -> str:
    return f"update {trainer.get_num_updates() + 1}"


def _start(trainer: "Trainer") -> str:
    last = Path(trainer.cfg.checkpoint.save_dir) / LAST
    return f"resume from {last}, the last good checkpoint," if last.is_file() else "start"


def spoilt(state: dict[str, Any]) -> str:
    """The name of the first non-finite tensor of a model's state, or an empty string."""
    found = (name for name, each in state.items() if isinstance(each, Tensor) and not each.isfinite().all())
    return next(found, "")
