"""The projection of words or sentences before they are contrasted."""

import torch.nn.functional as F
from torch import Tensor, nn


class Projection(nn.Module):
    """z = W2 ReLU(W1 h), without biases (Wu & Dredze 2020, section 2.1; PPA, Pan et al. 2021, Eq. 2)."""

    def __init__(self, dim: int, projection_dim: int):
        super().__init__()
        self.inner = nn.Linear(dim, dim, bias=False)
        self.outer = nn.Linear(dim, projection_dim, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden (B, H), any floating dtype -> (B, D) in that of the weights."""
        made: Tensor = self.outer(F.relu(self.inner(hidden.to(self.inner.weight.dtype))))
        return made
