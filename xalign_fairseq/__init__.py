"""Cross-lingual alignment objectives for fairseq: tasks, criterions, models and a word aligner.

What most programs need can be imported from here, and is loaded when it is first asked for::

    >>> from xalign_fairseq import parse_line, score
    >>> score([{(0, 0), (1, 2)}], [parse_line("0-0 1-1")]).aer
    0.5

This folder is fairseq's ``--user-dir``. Importing it from a fairseq command registers everything; importing it from
plain Python imports neither fairseq nor torch, so that the aligner and all below it stay light. ``register()`` does the
registration on demand.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__
from xalign_fairseq.registration import register

if TYPE_CHECKING:
    from xalign_fairseq.aligner.dictionary import DictionaryRun, write_dictionary
    from xalign_fairseq.aligner.filtering import FilterRun, filter_files
    from xalign_fairseq.aligner.load import load_aligner
    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.pair_scores import score_pair
    from xalign_fairseq.aligner.protocol import Alignment
    from xalign_fairseq.aligner.render.matrix import show_links
    from xalign_fairseq.core.text.segmentation import find_segmenter
    from xalign_fairseq.core.text.segmented import SegmentedText
    from xalign_fairseq.links.aer import score
    from xalign_fairseq.links.gold import read_gold
    from xalign_fairseq.links.linked_text import LinkedText
    from xalign_fairseq.links.pharaoh import Gold, parse_line
    from xalign_fairseq.links.phrases import write_phrases
    from xalign_fairseq.projection.run import ProjectRun, project_files
    from xalign_fairseq.training.alignment_model import AlignmentModel
    from xalign_fairseq.training.batches import Batches
    from xalign_fairseq.training.trainer import AlignmentTrainer
    from xalign_fairseq.transport.linking import Linking
    from xalign_fairseq.transport.options import SinkhornOptions
    from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan
    from xalign_fairseq.transport.sinkhorn.reference import sinkhorn

__all__ = [
    "Aligner",
    "Alignment",
    "AlignmentModel",
    "AlignmentTrainer",
    "Batches",
    "DictionaryRun",
    "FilterRun",
    "Gold",
    "LinkedText",
    "Linking",
    "ProjectRun",
    "SegmentedText",
    "SinkhornOptions",
    "XalignError",
    "__version__",
    "filter_files",
    "find_segmenter",
    "load_aligner",
    "parse_line",
    "project_files",
    "read_gold",
    "register",
    "score",
    "score_pair",
    "show_links",
    "sinkhorn",
    "sinkhorn_plan",
    "write_dictionary",
    "write_phrases",
]
# Public name -> the module to load it from on first use.
_HOMES = {
    "Aligner": "xalign_fairseq.aligner.neural.aligner",
    "Alignment": "xalign_fairseq.aligner.protocol",
    "AlignmentModel": "xalign_fairseq.training.alignment_model",
    "DictionaryRun": "xalign_fairseq.aligner.dictionary",
    "FilterRun": "xalign_fairseq.aligner.filtering",
    "LinkedText": "xalign_fairseq.links.linked_text",
    "SegmentedText": "xalign_fairseq.core.text.segmented",
    "filter_files": "xalign_fairseq.aligner.filtering",
    "find_segmenter": "xalign_fairseq.core.text.segmentation",
    "score_pair": "xalign_fairseq.aligner.pair_scores",
    "write_dictionary": "xalign_fairseq.aligner.dictionary",
    "write_phrases": "xalign_fairseq.links.phrases",
    "AlignmentTrainer": "xalign_fairseq.training.trainer",
    "Batches": "xalign_fairseq.training.batches",
    "Gold": "xalign_fairseq.links.pharaoh",
    "SinkhornOptions": "xalign_fairseq.transport.options",
    "Linking": "xalign_fairseq.transport.linking",
    "load_aligner": "xalign_fairseq.aligner.load",
    "parse_line": "xalign_fairseq.links.pharaoh",
    "project_files": "xalign_fairseq.projection.run",
    "ProjectRun": "xalign_fairseq.projection.run",
    "read_gold": "xalign_fairseq.links.gold",
    "score": "xalign_fairseq.links.aer",
    "show_links": "xalign_fairseq.aligner.render.matrix",
    "sinkhorn": "xalign_fairseq.transport.sinkhorn.reference",
    "sinkhorn_plan": "xalign_fairseq.transport.sinkhorn.plan",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if "fairseq" in sys.modules:
    register()
