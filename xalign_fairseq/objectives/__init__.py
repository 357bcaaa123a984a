"""Objectives, one file each: from hidden states to losses. Importing this package registers them, without fairseq.

An option ``--NAME-OPTION`` of the command line is a keyword argument in Python::

    from xalign_fairseq.objectives import DWA, MLM, TLM

    objectives = [MLM(), TLM(), DWA(weight=1.0, label_layer=8)]
"""

from xalign_fairseq.objectives.consistency import Consistency as Consistency
from xalign_fairseq.objectives.dict_mlm import DictMLM as DictMLM
from xalign_fairseq.objectives.dwa import DWA as DWA
from xalign_fairseq.objectives.l2_align import L2Align as L2Align
from xalign_fairseq.objectives.lexicon_align import LexiconAlign as LexiconAlign
from xalign_fairseq.objectives.linear_mapping import LinearMapping as LinearMapping
from xalign_fairseq.objectives.mlm import MLM as MLM
from xalign_fairseq.objectives.moco import MoCo as MoCo
from xalign_fairseq.objectives.ot_align import OtAlign as OtAlign
from xalign_fairseq.objectives.psi import PSI as PSI
from xalign_fairseq.objectives.reg_hidden import RegHidden as RegHidden
from xalign_fairseq.objectives.reg_param import RegParam as RegParam
from xalign_fairseq.objectives.registry import Loss as Loss
from xalign_fairseq.objectives.registry import Objective as Objective
from xalign_fairseq.objectives.registry import RunContext as RunContext
from xalign_fairseq.objectives.registry import Traits as Traits
from xalign_fairseq.objectives.registry import option as option
from xalign_fairseq.objectives.registry import register_objective as register_objective
from xalign_fairseq.objectives.self_training import SelfTraining as SelfTraining
from xalign_fairseq.objectives.sentence_mlm import SentenceMLM as SentenceMLM
from xalign_fairseq.objectives.step import Step as Step
from xalign_fairseq.objectives.tlm import TLM as TLM
from xalign_fairseq.objectives.word_contrastive import WordContrastive as WordContrastive
from xalign_fairseq.objectives.word_exchange import WordExchange as WordExchange
