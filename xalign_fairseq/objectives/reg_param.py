"""Keep the encoder's parameters close to their initial values (Wu & Dredze 2020)."""

from dataclasses import dataclass

import torch
from torch import nn

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.copies import EncoderCopy
from xalign_fairseq.objectives.registry import Loss, Objective, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step


@register_objective("reg_param")
@dataclass
class RegParam(Objective):
    """L = ||theta - theta_pretrained||^2 over the sentence encoder's parameters, without the MLM head (Eq. 5).

    theta_pretrained is a copy of the encoder at the first update; a resumed run keeps it. The count is 1, so use
    ``--loss-normalization per-objective``: ``joint`` divides the loss by the number of predictions of other objectives.
    The form ``norm`` has no gradient at theta_pretrained, where every run begins; zero is used. The weight is lambda.
    """

    traits = Traits(stats=("distance",), regularises=True, of_parameters="encoder", counts_ahead=True, in_nats=False)

    form: str = option(
        "squared", "squared (Eq. 5) or norm (released code: its square root, with a gradient of constant length)"
    )

    def __post_init__(self) -> None:
        self.require_choices(form=("squared", "norm"))

    def build_head(self) -> nn.Module:
        """A copy of the encoder at the first update."""
        return EncoderCopy(self.context.config)

    def count(self, batch: Batch) -> int:
        return 1

    def forward(self, step: Step) -> Loss:
        """The distance of the parameters, independent of the batch; zero before the first update."""
        copy: EncoderCopy = step.head
        live = step.encoder.sentence_encoder
        if step.training:
            copy.start(live, step.update)
        squared = copy.squared_distance(live) * copy.started
        # At zero, the norm's gradient is NaN; the square, with gradient zero, replaces it.
        moved = squared > 0
        norm = torch.where(moved, torch.where(moved, squared, 1).sqrt(), squared)
        count = torch.ones((), dtype=torch.int64, device=squared.device)
        return Loss(squared if self.form == "squared" else norm, count, {"distance": (norm.detach(), count)})
