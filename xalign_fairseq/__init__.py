"""Cross-lingual alignment objectives for fairseq: tasks, criterions, models and a word aligner.

Most programs can import what they need from here; each name is loaded on first use::

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

# Public name -> the module to load it from on first use.
_HOMES = {
    "Aligner": "xalign_fairseq.aligner.neural.aligner",
    "Alignment": "xalign_fairseq.aligner.protocol",
    "AlignmentModel": "xalign_fairseq.training.alignment_model",
    "AlignmentTrainer": "xalign_fairseq.training.trainer",
    "Batches": "xalign_fairseq.training.batches",
    "DictionaryRun": "xalign_fairseq.aligner.dictionary",
    "filter_files": "xalign_fairseq.aligner.filtering",
    "FilterRun": "xalign_fairseq.aligner.filtering",
    "find_segmenter": "xalign_fairseq.core.text.segmentation",
    "Gold": "xalign_fairseq.links.pharaoh",
    "Linking": "xalign_fairseq.transport.linking",
    "load_aligner": "xalign_fairseq.aligner.load",
    "parse_line": "xalign_fairseq.links.pharaoh",
    "project_files": "xalign_fairseq.projection.run",
    "ProjectRun": "xalign_fairseq.projection.run",
    "read_gold": "xalign_fairseq.links.gold",
    "score": "xalign_fairseq.links.aer",
    "score_pair": "xalign_fairseq.aligner.pair_scores",
    "show_links": "xalign_fairseq.aligner.render.matrix",
    "sinkhorn": "xalign_fairseq.transport.sinkhorn.reference",
    "sinkhorn_plan": "xalign_fairseq.transport.sinkhorn.plan",
    "SinkhornOptions": "xalign_fairseq.transport.options",
    "write_dictionary": "xalign_fairseq.aligner.dictionary",
    "write_phrases": "xalign_fairseq.links.phrases",
}
__all__ = ["XalignError", "__version__", "register", *_HOMES]

if TYPE_CHECKING:
    from xalign_fairseq.aligner.dictionary import DictionaryRun as DictionaryRun
    from xalign_fairseq.aligner.dictionary import write_dictionary as write_dictionary
    from xalign_fairseq.aligner.filtering import FilterRun as FilterRun
    from xalign_fairseq.aligner.filtering import filter_files as filter_files
    from xalign_fairseq.aligner.load import load_aligner as load_aligner
    from xalign_fairseq.aligner.neural.aligner import Aligner as Aligner
    from xalign_fairseq.aligner.pair_scores import score_pair as score_pair
    from xalign_fairseq.aligner.protocol import Alignment as Alignment
    from xalign_fairseq.aligner.render.matrix import show_links as show_links
    from xalign_fairseq.core.text.segmentation import find_segmenter as find_segmenter
    from xalign_fairseq.links.aer import score as score
    from xalign_fairseq.links.gold import read_gold as read_gold
    from xalign_fairseq.links.pharaoh import Gold as Gold
    from xalign_fairseq.links.pharaoh import parse_line as parse_line
    from xalign_fairseq.links.phrases import write_phrases as write_phrases
    from xalign_fairseq.projection.run import ProjectRun as ProjectRun
    from xalign_fairseq.projection.run import project_files as project_files
    from xalign_fairseq.training.alignment_model import AlignmentModel as AlignmentModel
    from xalign_fairseq.training.batches import Batches as Batches
    from xalign_fairseq.training.trainer import AlignmentTrainer as AlignmentTrainer
    from xalign_fairseq.transport.linking import Linking as Linking
    from xalign_fairseq.transport.options import SinkhornOptions as SinkhornOptions
    from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan as sinkhorn_plan
    from xalign_fairseq.transport.sinkhorn.reference import sinkhorn as sinkhorn


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if "fairseq" in sys.modules:
    register()
