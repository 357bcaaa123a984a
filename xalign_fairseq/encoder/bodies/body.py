"""An encoder's embeddings and layers by modules of transformers, in the place of our own."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import Packing
from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.families import WHERE, read_settings
from xalign_fairseq.encoder.bodies.family import BodyFamily, Theirs
from xalign_fairseq.encoder.config import EncoderConfig


class TransformersLayer(nn.Module):
    """A layer of transformers', and behind the last one the model's final norm.

    Attributes:
        checkpoint_activations: as of :class:`~xalign_fairseq.encoder.transformer.EncoderLayer`.
    """

    checkpoint_activations = False

    def __init__(self, body: "TransformersBody", inner: nn.Module, final: nn.Module | None):
        super().__init__()
        self.inner, self.final = inner, final
        # Of the body, which is not a submodule.
        self._share: Callable[[Tensor, Surroundings], Any] = body.share
        self._finish: Callable[[Tensor, bool], Tensor] = body.finish
        self._family = body.family

    def forward(self, x: Tensor, around: Surroundings, training: bool) -> Tensor:
        """x (N, H), packed, or (B, T, H) -> the same shape."""
        shared = around.once(lambda: self._share(x, around))
        if self.checkpoint_activations and torch.is_grad_enabled():
            made: Tensor = checkpoint(
                self.run, x, around, shared, training, use_reentrant=False, preserve_rng_state=training
            )
            return made
        return self.run(x, around, shared, training)

    def run(self, x: Tensor, around: Surroundings, shared: Theirs, training: bool) -> Tensor:
        """:meth:`forward` with what the pass shares; it sets the mode, which may be another's when it runs again."""
        if self.training != training:
            self.train(training)
        x = self._family.run(self.inner, around.batch(x), around, shared)
        return around.row(x if self.final is None else self._finish(self.final(x), training))

    @property
    def self_attn(self) -> Any:
        """An error: attention weights are read only from our own layers."""
        problem = "the attention of this encoder's layers can't be looked into"
        found = self._family.title
        remedy = ("set", Parameter("ot_align_marginals", "uniform"))
        raise XalignError(problem, found=found, expected="an encoder of XLM-R's or BERT's kind", remedy=remedy)


class TransformersBody(nn.Module):
    """Stands for :class:`~xalign_fairseq.encoder.transformer.SentenceEncoder`: the same calls, transformers' layers.

    Token embeddings are by our ids. State k is what transformers gives as ``hidden_states[k]``, so the last one has the
    final norm; layers above the requested one do not run.

    Args:
        config: with ``transformers_config``.

    Attributes:
        packs: whether inputs are read without their padding.
        takes_rows: whether a layer runs for some of its rows; transformers' do not.
        rest: the model without token embeddings, layers and final norm.
    """

    takes_rows = False

    def __init__(self, config: EncoderConfig):
        super().__init__()
        if config.language_embeddings:
            problem = "an encoder that transformers runs has no language embeddings"
            raise XalignError(problem, parameter="language_embeddings", found=config.language_embeddings)
        self.config = config
        self.family, settings = read_settings(config.transformers_config, WHERE)
        self.packs = self.family.packs
        model = self.family.built(config, settings, WHERE)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.encoder_embed_dim, padding_idx=config.pad)
        _replace(model, self.family.embeddings, nn.Identity())
        layers = list(_replace(model, self.family.layers, nn.ModuleList()))  # type: ignore[call-overload]
        final = _replace(model, self.family.norm, nn.Identity()) if self.family.norm else None
        self.layers = nn.ModuleList(
            TransformersLayer(self, layer, final if layer is layers[-1] else None) for layer in layers
        )
        self.rest = model

    def sentences(self, inputs: Sequence[Input], packing: Packing | None) -> Surroundings:
        """The facts that the layers of a pass over these inputs need."""
        return Surroundings.of(inputs, packing, self.config.pad)

    def embed(
        self, tokens: Tensor, positions: Tensor, languages: Tensor | None, second: Tensor | None, training: bool
    ) -> Tensor:
        """Like our own encoder, without language embeddings, and with one token type."""
        self._rest_in(training)
        return self.family.embed(self.rest, self.embed_tokens(tokens), positions)

    def share(self, x: Tensor, around: Surroundings) -> Theirs:
        """The values that all layers of a pass read."""
        return self.family.share(self.rest, self.layers[0].inner, x, around)

    def finish(self, x: Tensor, training: bool) -> Tensor:
        """The step after the final norm."""
        self._rest_in(training)
        return self.family.finish(self.rest, x)

    def _rest_in(self, training: bool) -> None:
        if self.rest.training != training:
            self.rest.train(training)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "TransformersBody":
        """Move and convert parameters; tables of positions stay in float32, as transformers has them."""
        tables = [(each, name, table) for each in self.modules() for name, table in each._buffers.items()]
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for module, name, table in tables:
            now = module._buffers[name]
            if table is not None and now is not None and now.dtype != table.dtype:
                module._buffers[name] = table.to(now.device)
        return self


def their_name(family: BodyFamily, ours: str, layers: int) -> str:
    """The name in transformers' model of a parameter of :class:`TransformersBody`."""
    if ours.startswith("embed_tokens."):
        return ours.replace("embed_tokens", family.embeddings, 1)
    if ours.startswith("rest."):
        return ours.removeprefix("rest.")
    final = f"layers.{layers - 1}.final."
    if ours.startswith(final):
        return f"{family.norm}.{ours.removeprefix(final)}"
    return ours.replace("layers.", f"{family.layers}.", 1).replace(".inner.", ".", 1)


def _replace(model: nn.Module, name: str, other: nn.Module) -> nn.Module:
    """Replace a module, and return the old one."""
    parent, _, child = name.rpartition(".")
    owner = model.get_submodule(parent)
    found: nn.Module = getattr(owner, child)
    setattr(owner, child, other)
    return found
