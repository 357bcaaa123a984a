"""Objectives, one file each: hidden states to losses. Every module of this folder is imported, which registers it.

None of them needs fairseq. In Python an objective is made of its options, the names and defaults of ``--NAME-OPTION``::

    from xalign_fairseq.objectives import DWA, MLM, TLM

    objectives = [MLM(), TLM(), DWA(weight=1.0, label_layer=8)]
"""

import importlib
import pkgutil

for _info in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_info.name}")

from xalign_fairseq.objectives.consistency import Consistency as Consistency  # noqa: E402
from xalign_fairseq.objectives.dict_mlm import DictMaskedLanguageModel as DictMLM  # noqa: E402, F401
from xalign_fairseq.objectives.dwa import DenoisingWordAlignment as DWA  # noqa: E402, F401
from xalign_fairseq.objectives.l2_align import L2Align as L2Align  # noqa: E402
from xalign_fairseq.objectives.lexicon_align import LexiconAlign as LexiconAlign  # noqa: E402
from xalign_fairseq.objectives.linear_mapping import LinearMapping as LinearMapping  # noqa: E402
from xalign_fairseq.objectives.mlm import MaskedLanguageModel as MLM  # noqa: E402, F401
from xalign_fairseq.objectives.moco import MomentumContrast as MoCo  # noqa: E402, F401
from xalign_fairseq.objectives.ot_align import OtAlign as OtAlign  # noqa: E402
from xalign_fairseq.objectives.psi import ParallelSentenceIdentification as PSI  # noqa: E402, F401
from xalign_fairseq.objectives.reg_hidden import RegHidden as RegHidden  # noqa: E402
from xalign_fairseq.objectives.reg_param import RegParam as RegParam  # noqa: E402
from xalign_fairseq.objectives.self_training import SelfTraining as SelfTraining  # noqa: E402
from xalign_fairseq.objectives.sentence_mlm import SentenceMaskedLanguageModel as SentenceMLM  # noqa: E402, F401
from xalign_fairseq.objectives.tlm import TranslationLanguageModel as TLM  # noqa: E402, F401
from xalign_fairseq.objectives.word_contrastive import WordContrastive as WordContrastive  # noqa: E402
from xalign_fairseq.objectives.word_exchange import WordExchange as WordExchange  # noqa: E402
