"""The encoder with the heads of its objectives, for any trainer."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TypeVar

import torch
from torch import Tensor, nn

from xalign_fairseq.core.devices import fast_bfloat16
from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.encoder import graphs
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder

Result = TypeVar("Result")


class HeadedEncoder(nn.Module):
    """Encoder plus the heads of the objectives that train it, under ``encoder`` and ``heads``.

    Heads belong to the model, so they are saved, restored and optimised with it. The sum of objectives attaches them
    after the model is built; a checkpoint's heads are kept until their objective is attached.
    """

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict()
        self.num_updates = 0  # updates before the current one
        self.frozen_updates = 0  # number of first updates that leave the encoder unchanged
        self.autocast = "no"  # bfloat16 in matrix products: yes, no, or auto (if it is fast on the device)
        self._waiting: dict[str, Tensor] = {}

    def attach_head(self, name: str, head: nn.Module, fresh: bool = False) -> None:
        """Attach a head to the model as ``heads.<name>``; ``fresh`` ignores its weights in the initial checkpoint."""
        if name in self.heads:
            return
        like = self.encoder.lm_head.bias
        self.heads[name] = head.to(device=like.device, dtype=like.dtype)
        prefix = f"heads.{name}."
        mine = {key: self._waiting.pop(key) for key in list(self._waiting) if key.startswith(prefix)}
        if mine and not fresh:
            own = {prefix + key: value for key, value in head.state_dict().items()}
            require_fitting_head(name, mine, own)
            head.load_state_dict({key.removeprefix(prefix): value for key, value in mine.items()})
        elif begin := getattr(head, "begin_from", None):
            begin(self.encoder.lm_head)

    def freeze_lm_head(self) -> None:
        """Freeze the MLM head; distributed wrappers refuse parameters that never get a gradient."""
        for name, parameter in self.encoder.lm_head.named_parameters():
            if name != "weight":  # shared with the embeddings
                parameter.requires_grad_(False)

    def freeze_layers(self, count: int) -> None:
        """Freeze the embeddings and the first ``count`` layers."""
        parts = self.encoder.sentence_encoder
        most = len(parts.layers)
        known = f"0 (embeddings alone) to {most}"
        check_values("invalid number of layers", ("freeze_layers", count, 0 <= count <= most, known))
        for name, module in parts.named_children():
            if name != "layers":
                module.requires_grad_(False)
        for layer in list(parts.layers)[:count]:
            layer.requires_grad_(False)

    def run(self, run: Callable[[StepEncoder], Result]) -> Result:
        """Run all objectives of an update in one call; distributed wrappers must see it as one forward pass."""
        device = self.encoder.device
        enabled = self.autocast == "yes" or (self.autocast == "auto" and fast_bfloat16(device))
        # fairseq's own half precision is left unchanged.
        enabled = enabled and self.encoder.lm_head.bias.dtype == torch.float32
        if (body := self.encoder.sentence_encoder).graphs:
            dtype = torch.bfloat16 if enabled else self.encoder.lm_head.bias.dtype
            graphs.require(self.encoder.config, device, dtype)
            graphs.begin(body.layers)
        with torch.autocast(device.type, torch.bfloat16) if enabled else nullcontext():
            frozen = self.training and self.num_updates < self.frozen_updates
            return run(StepEncoder(self.encoder, self.heads, self.training, self.num_updates, frozen))

    def max_positions(self) -> int:
        """Longest sequence, special tokens included."""
        return self.encoder.config.max_positions


def require_fitting_head(name: str, given: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> None:
    """Raise :class:`XalignError` if a checkpoint has this head with other tensors than this run's."""
    sizes = [
        {key: tuple(value.shape) for key, value in each.items() if key.startswith(f"heads.{name}.")}
        for each in (given, own)
    ]
    differing = sorted(key for key in sizes[0].keys() | sizes[1].keys() if sizes[0].get(key) != sizes[1].get(key))
    if sizes[0] and differing:
        first = differing[0]
        raise XalignError(
            f"the checkpoint's head of {name} was made with other options, languages or versions",
            where=first,
            found=f"shape {sizes[0][first]} in the checkpoint" if first in sizes[0] else "nothing in the checkpoint",
            expected=f"shape {sizes[1][first]}" if first in sizes[1] else "nothing in this run",
            remedy=(
                f"use that run's options of {name} and",
                Parameter("lang_pairs"),
                "or a checkpoint without this head",
            ),
        )
