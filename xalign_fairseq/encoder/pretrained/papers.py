"""Papers of objectives and encoders, for model cards and ``xalign objectives``."""

from typing import NamedTuple


class Paper(NamedTuple):
    """A citation: ``Chi et al. (2021)``, the title, and the address."""

    authors: str
    title: str
    url: str


BERT = Paper(
    "Devlin et al. (2019)",
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "https://aclanthology.org/N19-1423/",
)
XLM_R = Paper(
    "Conneau et al. (2020)",
    "Unsupervised Cross-lingual Representation Learning at Scale",
    "https://aclanthology.org/2020.acl-main.747/",
)
E5 = Paper(
    "Wang et al. (2024)", "Multilingual E5 Text Embeddings: A Technical Report", "https://arxiv.org/abs/2402.05672"
)
_WU_DREDZE = Paper(
    "Wu and Dredze (2020)",
    "Do Explicit Alignments Robustly Improve Multilingual Encoders?",
    "https://aclanthology.org/2020.emnlp-main.362/",
)
_AWESOME_ALIGN = Paper(
    "Dou and Neubig (2021)",
    "Word Alignment by Fine-tuning Embeddings on Parallel Corpora",
    "https://aclanthology.org/2021.eacl-main.181/",
)
_PPA = Paper(
    "Pan et al. (2021)", "Multilingual BERT Post-Pretraining Alignment", "https://aclanthology.org/2021.naacl-main.20/"
)
# Objectives of this package -> the paper that introduced them. Other objectives name their own (Objective.paper).
PAPERS = {
    "mlm": BERT,
    "dwa": Paper(
        "Chi et al. (2021)",
        "Improving Pretrained Cross-Lingual Language Models via Self-Labeled Word Alignment",
        "https://aclanthology.org/2021.acl-long.265/",
    ),
    "tlm": Paper(
        "Conneau and Lample (2019)", "Cross-lingual Language Model Pretraining", "https://arxiv.org/abs/1901.07291"
    ),
    **dict.fromkeys(("word_contrastive", "linear_mapping", "l2_align", "reg_hidden", "reg_param"), _WU_DREDZE),
    **dict.fromkeys(("self_training", "consistency", "psi"), _AWESOME_ALIGN),
    "ot_align": Paper(
        "Alqahtani et al. (2021)",
        "Using Optimal Transport as Alignment Objective for fine-tuning Multilingual Contextualized Embeddings",
        "https://arxiv.org/abs/2110.02887",
    ),
    **dict.fromkeys(("moco", "sentence_mlm"), _PPA),
    "word_exchange": Paper(
        "Yang et al. (2021)",
        "Bilingual Alignment Pre-Training for Zero-Shot Cross-Lingual Transfer",
        "https://aclanthology.org/2021.mrqa-1.10/",
    ),
    "lexicon_align": Paper(
        "Tang et al. (2022)",
        "ALIGN-MLM: Word Embedding Alignment is Crucial for Multilingual Pre-training",
        "https://arxiv.org/abs/2211.08547",
    ),
    "dict_mlm": Paper(
        "Chaudhary et al. (2020)",
        "DICT-MLM: Improved Multilingual Pre-Training using Bilingual Dictionaries",
        "https://arxiv.org/abs/2010.12566",
    ),
}
