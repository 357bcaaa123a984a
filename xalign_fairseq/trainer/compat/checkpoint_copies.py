"""Copies of a checkpoint are complete or absent.

Why: fairseq copies a checkpoint over ``checkpoint_best.pt`` and ``checkpoint_last.pt`` in place. A kill or a full disk
leaves the file that the next run needs incomplete.
Touches: ``fairseq.file_io.PathManager.copy``, for local files.
Can go: when fairseq copies to a temporary name first.
"""

from typing import Any

from xalign_fairseq.core.files import atomic_copy
from xalign_fairseq.trainer.compat.patching import Function, instead, wrapping


@instead
def _whole(copy: Function, src_path: str, dst_path: str, overwrite: bool = False) -> Any:
    from fairseq.file_io import PathManager

    if not PathManager.supports_rename(dst_path):  # a remote path
        return copy(src_path, dst_path, overwrite)
    atomic_copy(src_path, dst_path)
    return True


UNIT = wrapping(
    "checkpoint copies",
    "fairseq copies checkpoints in place, so a kill leaves an incomplete file",
    "fairseq.file_io:PathManager",
    "copy",
    _whole,
    has="shutil.copyfile(src_path, dst_path)",
)
