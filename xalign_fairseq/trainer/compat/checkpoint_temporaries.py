"""A checkpoint's temporary file is always a new file, never an existing link.

Why: fairseq opens ``checkpoint_last.pt.tmp`` by name, so it writes through another user's symbolic link.
Touches: ``fairseq.checkpoint_utils.torch_persistent_save``, for local files.
Can go: when fairseq opens its temporary as a new file.
"""

import os

from xalign_fairseq.core.files import new_file
from xalign_fairseq.trainer.compat.patching import Function, instead, wrapping


@instead
def _into_a_new_file(save: Function, obj: object, filename: str, async_write: bool = False) -> None:
    from fairseq import checkpoint_utils
    from fairseq.file_io import PathManager

    if async_write or not isinstance(filename, str) or not PathManager.supports_rename(filename):
        save(obj, filename, async_write=async_write)
        return
    temporary = f"{filename}.tmp"
    if os.path.lexists(temporary):
        os.unlink(temporary)  # left by a killed run, or a link
    with os.fdopen(new_file(temporary), "wb") as stream:
        checkpoint_utils._torch_persistent_save(obj, stream)
    os.replace(temporary, filename)


UNIT = wrapping(
    "checkpoint temporaries",
    "fairseq writes checkpoints through links with the names of its temporary files",
    "fairseq.checkpoint_utils",
    "torch_persistent_save",
    _into_a_new_file,
    has='PathManager.open(filename + ".tmp", "wb")',
)
