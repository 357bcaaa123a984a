"""Several processes without a GPU: ``--cpu --distributed-world-size N --distributed-backend gloo``.

Why: even with ``--cpu``, fairseq derives the number of processes from the number of GPUs, and divides by this number.
It also passes GPU ids to DistributedDataParallel, and gathers Python objects in CUDA memory.
Touches: ``call_main`` and ``all_gather_list`` of ``fairseq.distributed.utils`` and the ``DistributedDataParallel`` that
``fairseq.models.distributed_fairseq_model`` uses. Runs on GPUs are unchanged. A rank on a CPU
waits a moment at its end for gloo's threads. Without this wait it may abort (``give_way``).
Can go: when fairseq asks in these places whether the run uses CUDA.
Limit: fairseq-hydra-train imports the user-dir after counting, so several CPU processes need fairseq-train.
"""

import functools
import time
from contextlib import ExitStack
from typing import Any

import torch

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.trainer.compat.patching import FairseqPatch, Function, instead, replace, source_has, swapped

NAME = "several CPU processes"


def needed() -> bool:
    """Whether fairseq still counts CUDA devices to start processes."""
    from fairseq.distributed import utils

    return source_has(utils.call_main, "torch.cuda.device_count()")


def install() -> None:
    """Patch the three places."""
    from fairseq.distributed import utils
    from fairseq.models import distributed_fairseq_model

    replace(utils, "call_main", NAME, _start_without_gpus)
    replace(utils, "all_gather_list", NAME, _gather_without_cuda)
    replace(distributed_fairseq_model, "DistributedDataParallel", NAME, _wrap_without_device_ids)


@instead
def _start_without_gpus(original: Function, cfg: Any, main: Any, **kwargs: Any) -> Any:
    from fairseq.distributed import utils

    training = cfg.distributed_training
    on_gpu = torch.cuda.is_available() and not cfg.common.cpu  # the trainer's rule
    if on_gpu or training.distributed_world_size <= 1:
        return original(cfg, main, **kwargs)
    if training.distributed_backend == "nccl":
        problem, parameters = "several processes on a CPU need the backend gloo", ("distributed_backend", "ddp_backend")
        remedy = ("set", Parameter("distributed_backend", "gloo"), "and", Parameter("ddp_backend", "legacy_ddp"))
        raise XalignError(problem, parameter=parameters, remedy=remedy)
    with ExitStack() as stack:
        stack.enter_context(swapped(torch.cuda, "device_count", lambda: training.distributed_world_size))
        stack.enter_context(swapped(torch.cuda, "set_device", lambda device: None))
        if training.distributed_init_method is None:
            utils.infer_init_method(training)
        main = functools.partial(_run_and_give_way, main)  # spawning pickles it
        if not training.distributed_no_spawn:  # the children train, this process only starts them
            return original(cfg, main, **kwargs)
    return original(cfg, main, **kwargs)


def _run_and_give_way(main: Any, cfg: Any, **kwargs: Any) -> Any:
    result = main(cfg, **kwargs)
    give_way()
    return result


def give_way() -> None:
    """Give gloo's threads Python's lock (the GIL) to release tensors before the interpreter ends.

    Otherwise the finished process may abort with SIGABRT (https://github.com/pytorch/pytorch/issues/190489).
    """
    time.sleep(0.1)


@instead
def _gather_without_cuda(original: Function, data: object, group: Any = None, max_size: int = 16384) -> Any:
    from fairseq.distributed import utils

    group = utils.get_global_group() if group is None else group
    if torch.distributed.get_backend(group) == "nccl":
        return original(data, group=group, max_size=max_size)
    gathered: list[Any] = [None] * utils.get_world_size(group)
    torch.distributed.all_gather_object(gathered, data, group=group)
    return gathered


@instead
def _wrap_without_device_ids(original: Function, module: torch.nn.Module, **kwargs: object) -> Any:
    if not any(parameter.is_cuda for parameter in module.parameters()):
        kwargs.update(device_ids=None, output_device=None)
    return original(module=module, **kwargs)


UNIT = FairseqPatch(NAME, "fairseq counts GPUs even in --cpu runs (the patch leaves GPU runs alone)", needed, install)
