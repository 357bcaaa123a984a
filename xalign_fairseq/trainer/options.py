"""Checks of fairseq-train's configuration before anything is read or built."""

import ast
import importlib.util
import logging
import math
import operator
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import torch
from fairseq.criterions import CRITERION_REGISTRY
from fairseq.file_io import PathManager
from fairseq.models import ARCH_MODEL_REGISTRY
from fairseq.optim import build_optimizer
from fairseq.tasks import TASK_REGISTRY
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from xalign_fairseq.core.counts import listed
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.trainer.checkpoint_repair import LAST
from xalign_fairseq.trainer.resuming import CONTINUED, continues_after

logger = logging.getLogger(__name__)
# The minimum value of each number; -1 is "never" or "all" in fairseq.
LEAST = {
    "common": {"seed": 0, "log_interval": 1, "fp16_init_scale": 1, "fp16_scale_window": 1},
    "dataset": {
        **dict.fromkeys(("batch_size", "batch_size_valid", "max_tokens", "max_tokens_valid", "validate_interval"), 1),
        **dict.fromkeys(("num_workers", "validate_interval_updates", "data_buffer_size"), 0),
        "required_batch_size_multiple": 1,
    },
    "optimization": {"max_epoch": 0, "max_update": 0, "update_freq": 1, "clip_norm": 0, "stop_time_hours": 0},
    "checkpoint": {
        "save_interval": 1,
        "save_interval_updates": 0,
        **dict.fromkeys(("keep_interval_updates", "keep_last_epochs", "keep_best_checkpoints", "patience"), -1),
    },
    "distributed_training": {"distributed_world_size": 1},
    "optimizer": {"weight_decay": 0, "momentum": 0},
    "lr_scheduler": {"warmup_updates": 0, "total_num_update": 1, "end_learning_rate": 0},
    "model": {
        **dict.fromkeys(("encoder_layers", "encoder_embed_dim", "encoder_ffn_embed_dim", "encoder_attention_heads"), 1),
        "max_positions": 3,
    },
    "task": {"nonfinite_updates": 1},
}
ABOVE_0 = {
    "common": ("min_loss_scale", "threshold_loss_scale"),
    "optimization": ("lr",),
    "optimizer": ("adam_eps",),
    "lr_scheduler": ("power",),
    "model": ("layer_norm_eps",),
}
SHARES = {"model": ("dropout", "attention_dropout", "activation_dropout"), "optimizer": ("adam_betas",)}
PACKAGE, METRIC = "xalign_fairseq", "best_checkpoint_metric"


def check_options(cfg: DictConfig) -> None:
    """Refuse options that would fail with fairseq's traceback, or train differently from what was requested."""
    check_numbers(cfg)
    check_parts(_get(cfg.task, "_name"), _get(cfg.criterion, "_name"), _get(cfg.model, "_name"))
    check_warmup(cfg)
    check_precision(cfg)
    if _kind(TASK_REGISTRY.get(_get(cfg.task, "_name"))) in ("pretraining", "transfer"):
        choose_valid_subsets(cfg.dataset)
    check_conflicts(cfg)
    check_start(cfg.checkpoint)
    check_curves(_get(cfg.common, "tensorboard_logdir"))
    check_metric(str(_get(cfg.checkpoint, METRIC)), cfg.checkpoint.maximize_best_checkpoint_metric)
    if cfg.checkpoint.write_checkpoints_asynchronously and importlib.util.find_spec("iopath") is None:
        parameter, remedy = "write_checkpoints_asynchronously", "pip install iopath"
        raise XalignError("asynchronous checkpoints need iopath", parameter=parameter, remedy=remedy)


def check_numbers(cfg: DictConfig) -> None:
    """Raise :class:`XalignError` for the first number that is out of range; missing numbers are allowed."""
    for group, limits in LEAST.items():
        for name, least in limits.items():
            _require(cfg, group, name, partial(operator.le, least), f"at least {least}")
    for group, names in ABOVE_0.items():
        for name in names:
            _require(cfg, group, name, lambda value: value > 0, "a number above 0")
    for group, names in SHARES.items():
        for name in names:
            _require(cfg, group, name, lambda value: 0 <= value < 1, "from 0 to below 1")
    _require(cfg, "common", "seed", lambda value: value < 2**32, "below 2 ** 32")
    _require(cfg, "ema", "ema_decay", lambda value: 0 <= value <= 1, "from 0 to 1")


def _require(cfg: DictConfig, group: str, name: str, fits: Callable[[float], bool], expected: str) -> None:
    value = _get(_get(cfg, group), name)
    if value is None:
        return
    try:
        numbers = ast.literal_eval(value) if isinstance(value, str) else value
        numbers = list(numbers) if isinstance(numbers, Iterable) else [numbers]
        right = all(math.isfinite(each) and fits(each) for each in numbers) and numbers
    except (ValueError, SyntaxError, TypeError):
        right = False
    if not right:
        raise XalignError("an option is out of range", parameter=name, found=value, expected=expected)


def _get(group: object, name: str) -> Any:
    """A value; None if it is missing or interpolated."""
    try:
        return getattr(group, name, None)
    except OmegaConfBaseException:
        return None


def check_warmup(cfg: DictConfig) -> None:
    """Raise :class:`XalignError` for a warm-up that is longer than the schedule of the learning rate."""
    warmup = _get(cfg.lr_scheduler, "warmup_updates")
    total, most = _get(cfg.lr_scheduler, "total_num_update"), _get(cfg.optimization, "max_update")
    name, updates = ("max_update", most) if total is None else ("total_num_update", total)
    if not warmup or not updates or warmup <= updates:
        return
    where = Parameter(name, int(updates))
    raise XalignError("the warm-up is longer than the training", where=where, parameter="warmup_updates", found=warmup)


def check_precision(cfg: DictConfig) -> None:
    """Raise :class:`XalignError` for ``amp``, and for an optimizer that can't keep its parameters in half precision.

    Float16 is slow on CPUs: this is logged.
    """
    if _get(cfg.common, "fp16") and _get(cfg.common, "cpu"):
        logger.warning("float16 is slow on a CPU: leave out %s, or use %s", Parameter("fp16"), Parameter("bf16"))
    if _get(cfg.common, "amp"):
        raise XalignError("this precision is not supported", parameter="amp", expected="fp16 or bf16")
    asked = [name for name in ("memory_efficient_fp16", "memory_efficient_bf16") if _get(cfg.common, name)]
    name = _get(cfg.optimizer, "_name")
    if not asked or name in (None, "composite") or _is_memory_efficient(cfg.optimizer):
        return
    problem, where = "the optimizer can't keep its parameters in half precision", Parameter("optimizer", name)
    remedy = Parameter(asked[0].removeprefix("memory_efficient_"))
    raise XalignError(problem, where=where, parameter=asked[0], remedy=remedy)


def choose_valid_subsets(cfg: DictConfig) -> None:
    """Make fairseq validate on each named subset, and on no others; XalignError if they are to be combined."""
    if cfg.combine_valid_subsets:
        parameter, remedy = "combine_valid_subsets", ("name the subsets in", Parameter("valid_subset"))
        raise XalignError("validation subsets are not combined", parameter=parameter, remedy=remedy)
    cfg.valid_subset = ",".join(listed(cfg.valid_subset))
    cfg.ignore_unused_valid_subsets = True  # fairseq would miss valid1.en-de.en in the list, although valid1 is there


def check_conflicts(cfg: DictConfig) -> None:
    """Raise :class:`XalignError` for options that fairseq does not take together."""
    common, processes = cfg.common, cfg.distributed_training
    first, window, port = "finetune_from_model", "fp16_scale_window", "distributed_port"
    starts = [name for name, value in CONTINUED.items() if cfg.checkpoint[name] != value]
    schedule = len(cfg.optimization.update_freq) > 1 and common[window] is None
    alone = processes.distributed_world_size == 1 or processes.distributed_init_method is not None
    for conflict, parameters, remedy in (
        (cfg.checkpoint[first] and starts, (first, *starts), ("leave out all but", Parameter(first))),
        (schedule and (common.fp16 or common.bf16), ("update_freq",), ("set", Parameter(window, 128))),
        (processes[port] > 0 and not alone, (port,), "leave it out: only Slurm needs it"),
    ):
        if conflict:
            raise XalignError("fairseq does not take these options together", parameter=parameters, remedy=remedy)


def _is_memory_efficient(cfg: DictConfig) -> bool:
    try:
        return bool(build_optimizer(cfg, [torch.nn.Parameter(torch.zeros(1))]).supports_memory_efficient_fp16)
    except ImportError:  # fairseq names the missing package
        return True


def check_parts(task: str | None, criterion: str | None, arch: str | None) -> None:
    """Raise :class:`XalignError` for a criterion or an architecture of another kind of task."""
    kinds = [
        _kind(registry.get(name))
        for registry, name in ((TASK_REGISTRY, task), (CRITERION_REGISTRY, criterion), (ARCH_MODEL_REGISTRY, arch))
    ]
    if None in kinds or set(kinds) == {"other"}:
        return
    of_task, of_criterion, of_model = kinds
    if of_task == "other":
        parameter = "task"
        fitting = _names(TASK_REGISTRY, {"transfer"} if of_criterion == "transfer" else {"pretraining", "transfer"})
    elif of_criterion != of_task:
        parameter, fitting = "criterion", _names(CRITERION_REGISTRY, {str(of_task)})
    elif of_model == "other":
        parameter, fitting = "arch", _names(ARCH_MODEL_REGISTRY, {"model"})
    else:
        return
    problem = "task, criterion and architecture do not match"
    where = (Parameter("task", task), Parameter("criterion", criterion), Parameter("arch", arch))
    raise XalignError(problem, where=where, parameter=parameter, expected=", ".join(fitting))


def _kind(cls: type | None) -> str | None:
    """The kind of a registered class: ``pretraining``, ``transfer``, ``model`` or ``other``; None if it is not ours."""
    if cls is None:
        return None
    homes = [base.__module__ for base in cls.__mro__ if base.__module__.startswith(f"{PACKAGE}.")]
    if not homes:
        return "other"
    if any(home.startswith(f"{PACKAGE}.models") for home in homes):
        return "model"
    return "transfer" if any(home.endswith(".transfer") for home in homes) else "pretraining"


def _names(registry: dict[str, type], kinds: set[str]) -> Iterator[str]:
    return (name for name in sorted(registry) if _kind(registry[name]) in kinds)


def check_start(cfg: DictConfig) -> None:
    """Raise :class:`XalignError` for a missing initial checkpoint, without which fairseq trains from scratch."""
    if cfg.restore_file != LAST:
        asked = {} if continues_after(cfg) else {"restore_file": cfg.restore_file}
    elif PathManager.isfile(os.path.join(cfg.save_dir, LAST)):  # a resumed run does not read its initial checkpoint
        return
    else:
        asked = {name: _get(cfg, name) for name in ("continue_once", "finetune_from_model")}
    for name, path in asked.items():
        if path is not None and not PathManager.isfile(path):
            remedy = f"without it, a run resumes from its own {LAST}, if any"
            raise XalignError("the initial checkpoint is not a file", parameter=name, found=path, remedy=remedy)


def check_curves(folder: str | None) -> None:
    """Make the folder of TensorBoard's files, if any; raise :class:`XalignError` if it can't be written."""
    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise XalignError("no curves can be written", parameter="tensorboard_logdir", found=error) from None


def check_metric(name: str, maximised: bool) -> None:
    """Raise :class:`XalignError` if the checkpoint with the worst score, of a known direction, would be kept."""
    falls, rises = name[:3] == "aer" or name[-4:] == "loss", name.endswith(("accuracy", "precision", "recall", "score"))
    if falls if maximised else rises:
        remedy = ("leave out" if falls else "set", Parameter("maximize_best_checkpoint_metric"))
        raise XalignError("the worst checkpoint would be kept", parameter=METRIC, found=name, remedy=remedy)
