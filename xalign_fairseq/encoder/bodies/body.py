"""An encoder whose embeddings and layers are modules of transformers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import Packing, positions_of
from xalign_fairseq.encoder.bodies.families import WHERE, BodyFamily, Theirs, read_settings, takes_positions
from xalign_fairseq.encoder.config import EncoderConfig

# Arguments of a layer in transformers besides hidden states.
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(eq=False)
class Surroundings:
    """The data of one pass that all layers read."""

    positions: Tensor  # (B, T) int64, from 1 on; 0 at padding
    arguments: list[Arguments] = field(default_factory=list)  # masks and the like, computed when the first layer runs


class Rehearsed(nn.Module):
    """Replaces a layer while transformers' model runs, to record the layer's arguments."""

    def __init__(self, layer: nn.Module, family: BodyFamily, given: list[tuple[Tensor, Arguments]]):
        super().__init__()
        self.attention_type = getattr(layer, "attention_type", None)
        self._layer, self._family = (layer,), family  # in a tuple, so that it is not a submodule
        self._given = given

    def forward(self, x: Tensor, *args: object, **options: object) -> Theirs:
        self._given.append((x, (args, options)))
        return self._family.returns(self._layer[0], x, args)


class TransformersLayer(nn.Module):
    """A layer of transformers; the last one also has the model's final norm."""

    checkpoint_activations = False  # as in EncoderLayer

    def __init__(self, body: "TransformersBody", number: int, inner: nn.Module, final: nn.Module | None):
        super().__init__()
        self.inner, self.final = inner, final
        self._number = number
        self._rehearse: Callable[..., Any] = body.rehearse  # a method of the body, which is not a submodule

    def forward(self, x: Tensor, around: Surroundings, training: bool) -> Tensor:
        if not around.arguments:
            around.arguments = [arguments for _, arguments in self._rehearse(x, around.positions)]
        given = x, around.arguments[self._number], training
        if self.checkpoint_activations and torch.is_grad_enabled():
            made: Tensor = checkpoint(self.run, *given, use_reentrant=False, preserve_rng_state=training)
            return made
        return self.run(*given)

    def run(self, x: Tensor, arguments: Arguments, training: bool) -> Tensor:
        """:meth:`forward` in the mode of this call, because a recomputation may happen in another mode."""
        if self.training != training:
            self.train(training)
        made = self.inner(x, *arguments[0], **arguments[1])
        out: Tensor = made[0] if isinstance(made, tuple) else made
        return out if self.final is None else self.final(out)


class TransformersBody(nn.Module):
    """Replaces :class:`~xalign_fairseq.encoder.transformer.SentenceEncoder`: same interface, transformers' layers.

    Token embeddings use our ids. transformers' model runs with replaced layers that record their arguments. Then the
    layers run one by one, up to the requested layer. State k is transformers' ``hidden_states[k]``, so the last one has
    the final norm. ``rest`` is the model without token embeddings, layers and final norm.
    """

    packs = takes_rows = graphs = False

    def __init__(self, config: EncoderConfig):
        super().__init__()
        if config.language_embeddings:
            problem = "an encoder that transformers runs has no language embeddings"
            raise XalignError(problem, parameter="language_embeddings", found=config.language_embeddings)
        self.config = config
        self.family, settings = read_settings(config.transformers_config, WHERE)
        self._takes_positions = takes_positions(config)
        model: Theirs = self.family.built(config, settings, WHERE)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.encoder_embed_dim, padding_idx=config.pad)
        _replace(model, self.family.embeddings, nn.Identity())
        final = _replace(model, self.family.norm, nn.Identity()) if self.family.norm else None
        self._given: list[tuple[Tensor, Arguments]] = []
        layers: Theirs = model.get_submodule(self.family.layers)
        standing = nn.ModuleList(Rehearsed(layer, self.family, self._given) for layer in layers)
        _replace(model, self.family.layers, standing)
        self.layers = nn.ModuleList(
            TransformersLayer(self, number, layer, final if layer is layers[-1] else None)
            for number, layer in enumerate(layers)
        )
        self.rest = model

    def sentences(self, inputs: Sequence[Input], packing: Packing | None) -> Surroundings:
        """The data that the layers read in a pass over an input."""
        return Surroundings(positions_of(inputs[0]))

    def embed(
        self, tokens: Tensor, positions: Tensor, languages: Tensor | None, second: Tensor | None, training: bool
    ) -> Tensor:
        """Like our encoder, without language embeddings and with one token type."""
        if self.rest.training != training:
            self.rest.train(training)
        vectors = self.embed_tokens(tokens)
        first, _ = self.rehearse(vectors, positions)[0]
        return first.to(vectors.dtype)  # tables of positions are in float32

    def rehearse(self, vectors: Tensor, positions: Tensor) -> list[tuple[Tensor, Arguments]]:
        """The arguments of transformers' layers for embeddings (B, T, H) at positions (B, T)."""
        own = {"position_ids": (positions - 1).clamp_min(0)} if self._takes_positions else {}
        self._given.clear()
        self.rest(inputs_embeds=vectors, attention_mask=positions.ne(0).long(), **own)
        made = list(self._given)
        self._given.clear()
        return made

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "TransformersBody":
        """Move and convert parameters; tables of positions stay in float32, as in transformers."""
        tables = [(each, name, table) for each in self.modules() for name, table in each._buffers.items()]
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for module, name, table in tables:
            now = module._buffers[name]
            if table is not None and now is not None and now.dtype != table.dtype:
                module._buffers[name] = table.to(now.device)
        return self


def their_name(family: BodyFamily, ours: str, layers: int) -> str:
    """The name of a parameter of :class:`TransformersBody` in transformers' model."""
    if ours.startswith("embed_tokens."):
        return ours.replace("embed_tokens", family.embeddings, 1)
    if ours.startswith("rest."):
        return ours.removeprefix("rest.")
    final = f"layers.{layers - 1}.final."
    if ours.startswith(final):
        return f"{family.norm}.{ours.removeprefix(final)}"
    return ours.replace("layers.", f"{family.layers}.", 1).replace(".inner.", ".", 1)


def _replace(model: nn.Module, name: str, other: nn.Module) -> nn.Module:
    parent, _, child = name.rpartition(".")
    owner = model.get_submodule(parent)
    found: nn.Module = getattr(owner, child)
    setattr(owner, child, other)
    return found
