"""Copies of a checkpoint are complete or absent.

Why: fairseq copies a checkpoint over ``checkpoint_best.pt`` and ``checkpoint_last.pt`` in place. A kill or a full disk
leaves half of the file that the next run needs.
Touches: ``fairseq.file_io.PathManager.copy``, for local files.
Can go: when fairseq copies to a temporary name first.
"""

import functools
from collections.abc import Callable

from xalign_fairseq.core.files import atomic_copy
from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "checkpoint copies"
WHY = "fairseq copies checkpoints in place, and a kill leaves half of one"


def needed() -> bool:
    """Whether fairseq still copies onto the file itself."""
    from fairseq.file_io import PathManager

    return source_has(PathManager.copy, "shutil.copyfile(src_path, dst_path)")


def install() -> None:
    """Copy to a temporary name next to the file, and rename that."""
    from fairseq.file_io import PathManager

    replace(PathManager, "copy", NAME, _whole)


def _whole(copy: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(copy)
    def copy_whole(src_path: str, dst_path: str, overwrite: bool = False) -> bool:
        from fairseq.file_io import PathManager

        if not PathManager.supports_rename(dst_path):  # not on this machine
            return copy(src_path, dst_path, overwrite)
        atomic_copy(src_path, dst_path)
        return True

    return copy_whole
