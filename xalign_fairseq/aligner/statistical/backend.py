"""Which code runs the passes over a text: the reference in numpy, or the compiled one."""

import functools
import logging
from types import ModuleType

from xalign_fairseq.aligner.statistical import compiled, reference
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.transport.sinkhorn.building import library

logger = logging.getLogger(__name__)
BACKENDS = ("auto", "reference", "cpu")

_selected = "auto"


def select(name: str) -> None:
    """Choose for this process: ``auto`` (the compiled code if available), ``reference`` or ``cpu``.

    Raises:
        XalignError: there is no such backend, or the compiled code is not available.
    """
    global _selected
    check_values("there is no such backend", ("backend", name, name in BACKENDS, " or ".join(BACKENDS)))
    if name == "cpu":
        library("cpu")
    _selected = name


def backend() -> ModuleType:
    """The module that has ``seen_pairs``, ``expected_counts`` and ``add_scores``."""
    return reference if _selected == "reference" or (_selected == "auto" and _fault()) else compiled


@functools.cache
def _fault() -> str | None:
    """Why the compiled code is not available."""
    try:
        library("cpu")
    except XalignError as error:
        logger.warning("statistics are computed by the reference, which is several times slower: %s", error)
        return str(error)
    logger.info("statistics are computed by the compiled operator")
    return None
