"""Training without fairseq: the weighted sum of objectives (shared with the criterions), a model, and batches.

docs/plain_torch.md has a training loop of thirty lines.
"""

from xalign_fairseq.data.pretraining import PretrainingData as PretrainingData
from xalign_fairseq.data.pretraining import PretrainingDataOptions as PretrainingDataOptions
from xalign_fairseq.training.alignment_model import AlignmentLoss as AlignmentLoss
from xalign_fairseq.training.alignment_model import AlignmentModel as AlignmentModel
from xalign_fairseq.training.batches import Batches as Batches
