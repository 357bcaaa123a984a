"""fairseq's own trainer of a tiny model, as one worker of several of :mod:`gloo_workers`."""

import torch
from trials import Task, build_criterion, build_model

from xalign_fairseq.tasks.heads_start import HeadsStart
from xalign_fairseq.tasks.pretraining import XalignPretrainingConfig, XalignPretrainingTask

# Imported only now, when the package's patches are in their place.
from fairseq import options  # isort: skip
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # isort: skip
from fairseq.trainer import Trainer  # isort: skip

BACKENDS = ("pytorch_ddp", "legacy_ddp")


class TrainedTask(Task, XalignPretrainingTask):
    """The steps of the task, without data."""


def make_trainer(backend, rank, count, normalization, chosen, **given):
    """The trainer of worker ``rank`` of ``count``.

    chosen: options of the weighted criterion.
    given: what the task has.
    """
    line = ["nowhere", "--task", "xalign_pretraining", "--criterion", "weighted", "--arch", "xalign_tiny"]
    line += ["--optimizer", "adam", "--lr", "0.001", "--lr-scheduler", "fixed", "--cpu", "--ddp-backend", backend]
    line += ["--distributed-world-size", str(count), "--distributed-backend", "gloo", "--distributed-rank", str(rank)]
    cfg = convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line))
    task = TrainedTask(**given)
    criterion = build_criterion("weighted", task, loss_normalization=normalization, **chosen)
    task.heads_start, task.models = HeadsStart(XalignPretrainingConfig()), [build_model(criterion, torch.float32)]
    trainer = Trainer(cfg, task, task.models[-1], criterion)
    trainer.lr_step_begin_epoch(1)
    return trainer
