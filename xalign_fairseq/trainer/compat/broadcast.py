"""Sending a checkpoint from rank 0 to the other ranks.

Why: ``broadcast_object`` sends values other than tensors by ``torch.save`` and ``torch.load``. Since torch 2.6,
``torch.load`` refuses the checkpoint's ``DictConfig``, so resuming fails on every rank except 0.
Touches: ``fairseq.distributed.utils._broadcast_object_slow``, which now sends by ``torch.distributed``'s own
``broadcast_object_list``: pickle between the ranks of one job, without a file. ``torch.load`` is unchanged.
Can go: when fairseq uses that function.
"""

from typing import Any

from xalign_fairseq.trainer.compat.patching import instead, wrapping


@instead
def _by_torch_distributed(original: object, obj: Any, src_rank: int, group: Any, dist_device: Any) -> Any:
    import torch.distributed
    from fairseq.distributed import utils

    box = [obj if utils.get_rank(group) == src_rank else None]
    torch.distributed.broadcast_object_list(box, src=src_rank, group=group, device=dist_device)
    return box[0]


UNIT = wrapping(
    "broadcast_object",
    "fairseq sends checkpoints to other ranks through torch.load, which refuses their DictConfig",
    "fairseq.distributed.utils",
    "_broadcast_object_slow",
    _by_torch_distributed,
    has="torch.load(",
    lacks="weights_only",
)
