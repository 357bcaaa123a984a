"""torchrun without ``--distributed-world-size`` stops instead of training N times.

Why: with at most one visible GPU, fairseq's world size is 1 and it ignores torchrun's variables. Every process then
trains the whole model, all write to the same folder, and all exit with 0.
Touches: ``fairseq.distributed.utils.call_main``, the command line's entry. The package's trainer checks too, because
fairseq-hydra-train imports the user-dir after that entry.
Can go: when fairseq takes the world size from torchrun.
"""

import os
from collections.abc import Mapping
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.trainer.compat.patching import Function, instead, source_has, wrapping

LAUNCHER = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")


def check(world_size: int, environment: Mapping[str, str] = os.environ) -> None:
    """Compare fairseq's world size with the launcher's."""
    if world_size != 1 or any(name not in environment for name in LAUNCHER):
        return
    started = environment["WORLD_SIZE"]
    if started != "1":
        problem = "torchrun started several processes, but fairseq would train alone in each of them"
        remedy = ("add", Parameter("distributed_world_size", started), "(in YAML to distributed_training)")
        raise XalignError(problem, parameter="distributed_world_size", found="1", remedy=remedy)


@instead
def _checked_main(original: Function, cfg: Any, main: Any, **kwargs: Any) -> Any:
    check(cfg.distributed_training.distributed_world_size)
    return original(cfg, main, **kwargs)


def needed() -> bool:
    """Whether fairseq still returns before it reads the launcher's variables."""
    from fairseq.distributed import utils

    return source_has(utils.infer_init_method, "if cfg.distributed_world_size == 1:\n        return")


_WHY = "under torchrun, fairseq with a world size of 1 trains once per process into one folder"
UNIT = wrapping("torchrun check", _WHY, "fairseq.distributed.utils", "call_main", _checked_main)._replace(needed=needed)
