"""The encoder's features for a task: the last layer, or a learned mix of all layers of a frozen encoder."""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import HiddenStates
from xalign_fairseq.encoder.mappings import States


class Features(nn.Module):
    r"""Maps hidden states to a task's features (N, T, H), by default the last layer.

    With ``feature_based`` the encoder is frozen, and its layers are mixed as in ELMo (Peters et al., 2018), with
    learned w and gamma:

    .. math:: x = \gamma \sum_{l=0}^{L} softmax(w)_l h_l

    ``extra_layers`` new transformer layers then read the mix (Wu & Dredze, 2020, section 3). Linear maps apply to h_l.
    With ``first_alone`` the last layer computes only the first token: (N, 1, H).
    """

    defaults: ClassVar[dict[str, Any]] = {"feature_based": False, "extra_layers": 4}
    help: ClassVar[dict[str, str]] = {
        "feature_based": "freeze the encoder; the task reads a learned mix of all of its layers",
        "extra_layers": "new transformer layers on that mix",
    }

    def __init__(self, config: EncoderConfig, options: dict[str, Any], first_alone: bool = False):
        super().__init__()
        options = {**self.defaults, **options}
        self.frozen: bool = options["feature_based"]
        self.first_alone = first_alone
        if not self.frozen:
            return
        self.weights = nn.Parameter(torch.zeros(config.encoder_layers + 1))
        self.gamma = nn.Parameter(torch.ones(()))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                config.encoder_embed_dim,
                config.encoder_attention_heads,
                config.encoder_ffn_embed_dim,
                dropout=config.dropout,
                batch_first=True,
            )
            for _ in range(options["extra_layers"])
        )

    def forward(self, states: States, tokens: Tensor) -> Tensor:
        """Features (N, T or 1, H) of a pass, linearly mapped or not, over ``tokens`` (N, T)."""
        if not self.frozen:
            if self.first_alone and isinstance(states, HiddenStates):
                return states.first()[:, None]
            return states.layer(-1)
        x = self.gamma * sum(
            weight * states.layer(layer).detach() for layer, weight in enumerate(self.weights.softmax(0))
        )
        padding = tokens.eq(PAD)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return x


def require_finite(scores: Tensor) -> None:
    """Raise :class:`XalignError` for scores of NaN or infinity: their predictions would only be wrong answers."""
    if not scores.isfinite().all():
        raise XalignError(
            "the scores of the predictions are not finite",
            found="NaN or infinity",
            remedy=("if the training has diverged, try a lower", Parameter("lr"), "or no", Parameter("fp16")),
        )
