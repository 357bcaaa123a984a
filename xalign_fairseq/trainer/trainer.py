"""fairseq's trainer with this package's additions: :meth:`XalignTrainer.train_step` is an update from batch to log."""

import functools
import logging
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import fairseq.trainer
import torch
from fairseq import checkpoint_utils, optim
from fairseq.data import iterators
from fairseq.distributed import utils
from fairseq.logging import metrics
from fairseq.trainer import Trainer
from omegaconf import DictConfig, open_dict

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.signals import REQUEUE
from xalign_fairseq.trainer import nonfinite, requeue
from xalign_fairseq.trainer.checkpoint_repair import LAST, repair, with_training
from xalign_fairseq.trainer.compat import torchrun
from xalign_fairseq.trainer.compat.patching import Function, instead, replace, swapped, training_loop
from xalign_fairseq.trainer.host_numbers import as_sample_size, as_tensor, counting, read_with_logs
from xalign_fairseq.trainer.iterators import ClockedIterator, DataWait, TrainIterator
from xalign_fairseq.trainer.log_rows import OPTIMIZER
from xalign_fairseq.trainer.messages import log_as_typed
from xalign_fairseq.trainer.nonfinite import LossScaleMinimum, NonfiniteGradient
from xalign_fairseq.trainer.optim.registered import HalfPrecision
from xalign_fairseq.trainer.options import check_options
from xalign_fairseq.trainer.requeue import hold
from xalign_fairseq.trainer.resuming import CONTINUED, absolute, continues_after, require_same_run

NAME = "XalignTrainer"
STOPPING = "early_stopping"
logger = logging.getLogger(__name__)


class XalignTrainer(Trainer):
    """fairseq's trainer with the package's additions.

    - The criterion's ``begin_update`` sees all micro-batches of an update before the first one runs, so that losses can
      be divided by counts over all micro-batches.
    - ``data_wait`` in the log: percentage of time spent waiting for batches.
    - An update whose gradient is not finite is skipped with a warning; several in a row end the training.
    - After SIGUSR1 it saves and ends with exit code 75. All processes end after the same update.
    - It resumes from the newest complete checkpoint if the last one is damaged, and passes a checkpoint's task state to
      the task, which refuses another dictionary.
    - ``--patience`` counts across resumptions, and a finished run does not train again.
    """

    def __init__(self, cfg: Any, *args: object, **kwargs: object):
        torchrun.check(cfg.distributed_training.distributed_world_size)
        self.clock = DataWait()
        self.nonfinite_in_a_row = 0
        self.left_out = False
        self.logs: list[dict[str, Any]] = []  # the logs of the update's micro-batches
        self.agreed: dict[str, Any] = {"requeue": False}
        self.checked_update = -1
        if loop := training_loop():
            requeue.Signalled.trains = True
            requeue.listen()
            replace(loop, "train", NAME, _train_epoch)
            replace(loop, "validate_and_save", NAME, _validate_and_save)
        super().__init__(cfg, *args, **kwargs)
        if getattr(cfg.task, "data", None):
            cfg.task.data = absolute(cfg.task.data)

    def train_step(self, samples: list[Any], raise_oom: bool = False) -> Any:
        """One update; its log, or None if it is skipped."""
        try:
            logs = self.clock.work(self._update, samples, raise_oom)
        except LossScaleMinimum as minimum:
            raise nonfinite.scale_error(self, samples, str(minimum)) from None
        except NonfiniteGradient:
            self.nonfinite_in_a_row += 1
            nonfinite.warn(self, samples, self.nonfinite_in_a_row)
            self.zero_grad()
            if hasattr(self.optimizer, "_multiply_factor") and getattr(self.optimizer, "scaler", 0) is None:
                self.optimizer._multiply_factor = 1.0  # fairseq's bfloat16 optimizer keeps it until a step
            return None
        finally:
            # Weighted by time, the mean over updates is the share of the total time.
            metrics.log_scalar("data_wait", 100 * self.clock.share, self.clock.seconds, priority=810, round=2)
            self.clock.reset()
        self.nonfinite_in_a_row = 0
        return logs

    def _update(self, samples: list[Any], raise_oom: bool) -> Any:
        criterion = self.get_criterion()
        if hasattr(criterion, "begin_update"):
            criterion.begin_update(samples, self.device)
        # If this process lacks a micro-batch at the end of an epoch, fairseq runs another one with zero gradient, and
        # drops the counts of the whole update if that one is last. So replacements come first, with count 0. The list
        # is sorted in place, because later code refers to micro-batches by number.
        samples.sort(key=bool)
        self.logs = []
        with swapped(self.task, "train_step", counting(self.task.train_step, self.logs)), self._cuda_or_none():
            return super().train_step(samples, raise_oom)

    def _cuda_or_none(self) -> AbstractContextManager[None]:
        """Without a GPU fairseq's ``.cuda()`` after an overflow of ``--fp16`` does nothing."""
        if self.cuda:
            return nullcontext()
        return swapped(torch.Tensor, "cuda", lambda tensor, *args, **kwargs: tensor)

    def clip_grad_norm(self, clip_norm: float) -> torch.Tensor:
        """Clip by all processes' norm; this moves all logged values to the host, the update's only synchronisation.

        Raises:
            NonfiniteGradient: instead of the end of the training, unless ``--fp16`` scales the loss.
            LossScaleMinimum: ``--fp16`` cannot reduce the loss scale further.
        """
        self.left_out = True
        try:
            norm: torch.Tensor = super().clip_grad_norm(clip_norm)
        except FloatingPointError as minimum:  # fairseq would repeat the update to find the module, and fail
            raise LossScaleMinimum(str(minimum)) from None
        norm = read_with_logs(norm, [*self.logs, self.agreed])
        if not norm.isfinite():
            raise NonfiniteGradient
        self.left_out = False
        return norm

    def _aggregate_logging_outputs(
        self, logging_outputs: list[Any], size: object, *counts: object, ignore: bool = False
    ) -> Any:
        """Also sum over processes whether one received SIGUSR1, so that all know after the same update."""
        received = float(requeue.Signalled.received)
        self.logs, (size, *summed, any_received) = super()._aggregate_logging_outputs(
            logging_outputs, as_tensor(size), *counts, received, ignore=ignore
        )
        self.agreed = {"requeue": any_received}
        return self.logs, [as_sample_size(size), *summed]

    def _reduce_and_log_stats(self, logging_outputs: list[Any], size: object, norm: object = None) -> Any:
        return super()._reduce_and_log_stats(logging_outputs, as_tensor(size), norm)

    def _build_optimizer(self) -> None:
        with swapped(optim, "FP16Optimizer", HalfPrecision):
            super()._build_optimizer()
        inner: Any = self._optimizer
        while isinstance(inner, optim.FairseqOptimizer) and hasattr(inner, "optimizer"):  # of half precision
            inner = inner.optimizer
        logger.info("%s%s.%s", OPTIMIZER, type(inner).__module__, type(inner).__qualname__)

    def is_finished(self) -> bool:
        """Whether the run has all its updates, or ``--patience`` ended it; fairseq asks after each update."""
        most, patience, done = self.cfg.optimization.max_update, self.cfg.checkpoint.patience, self.get_num_updates()
        if most and done >= most:
            level = logging.WARNING if done > most else logging.INFO
            logger.log(level, "the run is complete: %d updates, %s", done, Parameter("max_update", most))
            return True
        counted = getattr(stopping_counter(), "num_runs", 0)
        if 0 < patience <= counted:
            logger.info("the run has ended: no improvement in %d validations (%s)", counted, Parameter("patience"))
            return True
        return False

    def requeue_if_signalled(self, epoch_itr: object) -> None:
        """After SIGUSR1 always write ``checkpoint_last.pt``, and end with exit code 75."""
        alone = self.data_parallel_world_size == 1
        if not (requeue.Signalled.received if alone else self.agreed["requeue"]):
            return
        cfg = self.cfg.checkpoint
        with open_dict(cfg):
            cfg.no_save = cfg.no_last_checkpoints = cfg.no_save_optimizer_state = False
        saved = checkpoint_utils.save_checkpoint(cfg, self, epoch_itr, None)  # None if the model is not finite
        if torch.distributed.is_initialized():  # when the first process ends, the launcher ends the others
            torch.distributed.barrier()
        what = "saved" if saved else "ends without a new checkpoint"
        logger.info("SIGUSR1: %s at update %d; the same command resumes", what, self.get_num_updates())
        raise SystemExit(REQUEUE)

    def save_checkpoint(self, filename: str, extra_state: dict[str, Any]) -> str | None:
        """Save, with the count of validations without improvement, which fairseq does not store."""
        counter = stopping_counter()
        if hasattr(counter, "num_runs"):
            extra_state = {**extra_state, STOPPING: {"best": counter.best, "num_runs": counter.num_runs}}
        path: str | None = super().save_checkpoint(filename, extra_state)
        return path

    def load_checkpoint(
        self,
        filename: str,
        reset_optimizer: bool = False,
        reset_lr_scheduler: bool = False,
        optimizer_overrides: dict[str, Any] | None = None,
        reset_meters: bool = False,
    ) -> dict[str, Any] | None:
        """Load a checkpoint; the newest complete one replaces a damaged last one."""
        if filename == self._own:
            if self.data_parallel_rank == 0 and Path(filename).is_file():
                newest, damaged = repair(Path(filename).parent, logger.warning)
                if newest is None and Path(filename) in damaged:
                    remedy = ("remove the file to start again, or set", Parameter("restore_file", "FILE"))
                    raise XalignError("the checkpoint is damaged", where=filename, remedy=remedy)
            if torch.distributed.is_initialized():  # other ranks read the same file: let them wait
                torch.distributed.barrier()
        with self._task_sees_its_state(filename, reset_optimizer):
            try:
                extra_state: dict[str, Any] | None = super().load_checkpoint(
                    filename, reset_optimizer, reset_lr_scheduler, optimizer_overrides, reset_meters
                )
            except AssertionError as error:  # of another criterion or optimizer
                if "reset the optimizer" not in str(error):
                    raise
                remedy = ("start with a new optimizer:", Parameter("reset_optimizer"))
                problem = "the checkpoint's optimizer belongs to another training"
                raise XalignError(problem, where=filename, found=error, remedy=remedy) from None
        counter = stopping_counter()
        if extra_state and STOPPING in extra_state and counter and not (reset_optimizer or reset_meters):
            counter.best, counter.num_runs = extra_state[STOPPING]["best"], extra_state[STOPPING]["num_runs"]
        return extra_state

    @property
    def _own(self) -> str:
        """The checkpoint that the same command continues from; empty if the command names another one."""
        cfg = self.cfg.checkpoint
        return os.path.join(cfg.save_dir, LAST) if cfg.restore_file == LAST else ""

    @contextmanager
    def _task_sees_its_state(self, filename: str, reset_optimizer: bool) -> Iterator[None]:
        """Pass a checkpoint's task state to the task as soon as the checkpoint is read or received from rank 0."""
        cfg = self.cfg.checkpoint
        restart_data = cfg.reset_dataloader or (
            cfg.finetune_from_model is not None and filename == cfg.finetune_from_model
        )

        def shown(state: object) -> Any:
            if isinstance(state, dict) and filename == self._own and not (reset_optimizer or restart_data):
                require_same_run(state, self.cfg, cfg.save_dir)
            if isinstance(state, dict) and "task_state" in state:
                own = {key: each for key, each in state["task_state"].items() if not (restart_data and key == "shard")}
                self.task.load_state_dict(own)
            if isinstance(state, dict) and self.cfg.ema.store_ema and "model" in state:
                # later, fairseq would look for it in the dropped model
                state.setdefault("extra_state", {}).setdefault("ema", dict(state["model"]))
            return state

        read, send = checkpoint_utils.load_checkpoint_to_cpu, utils.broadcast_object

        def sent(*args: object, **kwargs: object) -> Any:
            state = send(*args, **kwargs)
            return shown(state) if self.data_parallel_rank > 0 else state

        upgrade, restart = checkpoint_utils._upgrade_state_dict, restart_data and reset_optimizer

        def upgraded(state: dict[str, Any]) -> Any:
            return upgrade(with_training(state, filename, restart))

        with (
            swapped(checkpoint_utils, "_upgrade_state_dict", upgraded),
            swapped(checkpoint_utils, "load_checkpoint_to_cpu", lambda *args, **kwargs: shown(read(*args, **kwargs))),
            swapped(utils, "broadcast_object", sent),
        ):
            yield


def stopping_counter() -> Any:
    """The fairseq function whose attributes count validations without improvement; None without training."""
    return getattr(training_loop(), "should_stop_early", None)


@instead
def _train_epoch(train: Function, cfg: object, trainer: XalignTrainer, *rest: object) -> Any:
    if trainer.is_finished():
        return [None], True
    with swapped(iterators, "GroupedIterator", functools.partial(ClockedIterator, trainer.clock)):
        return train(cfg, trainer, *rest)


@instead
def _validate_and_save(
    original: Function, cfg: object, trainer: XalignTrainer, task: object, epoch_itr: object, *rest: Any
) -> tuple[list[Any], bool]:
    """``rest``: the validation sets, and whether the epoch ends."""
    # After a skipped update, fairseq would validate the same model again, and count it for --patience.
    losses, stops, newest = [None], False, trainer.get_num_updates()
    is_checked, trainer.checked_update = newest == trainer.checked_update, newest
    if not is_checked or rest[-1]:
        losses, stops = original(cfg, trainer, task, epoch_itr, *rest)
    if not stops:  # a run that is stopping already has its checkpoint
        trainer.requeue_if_signalled(epoch_itr)
    return losses, stops


@instead
def _save_what_is_finite(save: Function, cfg: object, trainer: Any, *rest: object) -> Any:
    # Parameters are unchanged; an objective's state from earlier batches may be damaged.
    if getattr(trainer, "left_out", False) and (name := nonfinite.spoilt(trainer.get_model().state_dict())):
        logger.warning("no checkpoint is written: a non-finite update damaged %s", name)
        return None
    return save(cfg, trainer, *rest)


@instead
def _load_own(load: Function, cfg: DictConfig, trainer: object, **options: object) -> Any:
    """Load the last checkpoint if this command wrote it, although the command names an initial checkpoint or resets."""
    before = {name: cfg[name] for name in CONTINUED}
    if before != CONTINUED and continues_after(cfg):
        logger.info("the same command wrote %s: the run continues from it, without resets", LAST)
        cfg.update(CONTINUED)
    loaded = load(cfg, trainer, **options)
    cfg.update(before)  # checkpoints store the command's options
    return loaded


def install() -> None:
    """Make fairseq-train use this trainer; a second call does nothing."""
    fairseq.trainer.Trainer = XalignTrainer
    iterators.EpochBatchIterator = TrainIterator
    replace(checkpoint_utils, "save_checkpoint", NAME, _save_what_is_finite)
    replace(checkpoint_utils, "load_checkpoint", NAME, _load_own)
    requeue.install()
    if loop := training_loop():  # it already imported fairseq's class
        loop.Trainer = XalignTrainer
        replace(loop, "add_defaults", NAME, _checked)


@instead
def _checked(add_defaults: Function, cfg: DictConfig) -> None:
    """Called first by fairseq-train with its whole configuration, from the command line or YAML."""
    add_defaults(cfg)
    master = utils.is_master(cfg.distributed_training)
    log_as_typed(cfg.common.log_file if master else None)
    check_options(cfg)
    if master:
        hold(cfg.checkpoint)
