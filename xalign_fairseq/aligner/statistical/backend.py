"""The code for passes over a text: compiled, or the numpy reference if there is no compiled code."""

import functools
import logging
from types import ModuleType

from xalign_fairseq.aligner.statistical import compiled, reference
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn.building import library

logger = logging.getLogger(__name__)


@functools.cache
def backend() -> ModuleType:
    """The module with ``seen_pairs``, ``expected_counts`` and ``add_scores``."""
    try:
        library("cpu")
    except XalignError as error:
        logger.warning("statistics are computed by the reference, which is several times slower: %s", error)
        return reference
    logger.info("statistics are computed by the compiled operator")
    return compiled
