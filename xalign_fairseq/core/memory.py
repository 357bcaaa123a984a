"""Memory that a process frees and allocates again in every step."""

import ctypes
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

# glibc's M_MMAP_MAX: no block has a mapping of its own, however large; and M_TRIM_THRESHOLD at its most (malloc.h).
OPTIONS = {-4: 0, -1: 2**31 - 1}

# How many products oneDNN keeps compiled, at 1.5 MB each, in its own cache and in torch's (1,024 by default). Each
# number of tokens has its own, of which an update of e5-small needs 11; to compile one takes less than a millisecond.
COMPILED = "32"
CACHES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")


def keep_freed_memory(device: "torch.device") -> bool:
    """Let a process on the CPU keep freed memory, instead of returning it to the system and requesting it again.

    It keeps fewer compiled products for that, unless the environment says how many; call this before the first one.

    The tensors of a step on a CPU take megabytes, and the gradient of a whole vocabulary hundreds: glibc maps each
    separately, or shrinks its heap when they are freed, and the system clears their pages when they are allocated
    again. This is a tenth of an update of e5-small in bfloat16, and a quarter of one that trains 250,000 pieces of 256
    numbers.

    Returns:
        whether memory is kept from now on; C libraries other than glibc are unchanged.
    """
    if device.type != "cpu":
        return False
    for cache in CACHES:
        os.environ.setdefault(cache, COMPILED)
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all([mallopt(option, value) for option, value in OPTIONS.items()])
