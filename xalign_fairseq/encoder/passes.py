"""What an objective sees of the encoder during one update: shared passes, its heads, the MLM head."""

import torch
from torch import Tensor, nn

from xalign_fairseq.data.batches import Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder, HiddenStates, SentenceEncoder
from xalign_fairseq.ops.products import linear


class StepEncoder:
    """The encoder during one call of the model; passes over the same tokens are shared between objectives.

    TLM and DWA, for one, read the same perturbed pair: whoever asks second gets the states of the first.

    Example::

        hidden = encoder.states(batch.bitext.input("masked")).layer(-1)      # with gradient and dropout
        labels = encoder.states(batch.bitext.input(), labelling=True).layer(10)   # neither
    """

    def __init__(self, encoder: Encoder, heads: nn.ModuleDict, training: bool, update: int):
        self._encoder = encoder
        self._passes: dict[tuple[int, int, bool], tuple[Input, HiddenStates]] = {}
        self.heads = heads
        self.training = training
        self.update = update

    @property
    def config(self) -> EncoderConfig:
        """Sizes of the encoder."""
        return self._encoder.config

    @property
    def sentence_encoder(self) -> SentenceEncoder:
        """The parameters that :meth:`states` runs: what momentum copies follow."""
        return self._encoder.sentence_encoder

    def states(self, given: Tensor | Input, *, labelling: bool = False) -> HiddenStates:
        """The pass over tokens (B, T). ``labelling``: evaluation mode and no gradient, as for self-labels."""
        read = given if isinstance(given, Input) else Input(given)
        key = (id(read.tokens), id(read.positions), labelling)
        if key not in self._passes:
            states = self._encoder.states(read, training=self.training and not labelling, grad=not labelling)
            # The tensors are kept beside the pass so that their ids cannot be taken by others.
            self._passes[key] = (read, states)
        return self._passes[key][1]

    def pair_states(
        self, bitext: Bitext, layer: int, encoding: str = "joint", *, labelling: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Hidden states (B, T, H) of both sides of unperturbed pairs in one row, and where they are in it, (B, 4).

        Args:
            layer: whose states.
            encoding: ``joint``: the pair sequences; ``separate``: each side read by itself, the target behind the
                source.
            labelling: as in :meth:`states`.

        Example::

            hidden, spans = encoder.pair_states(batch.bitext, 8, "separate")
            links = method(hidden.detach(), spans, sizes=batch.bitext.longest)
        """
        if encoding == "joint":
            return self.states(bitext.input(), labelling=labelling).layer(layer), bitext.spans
        src, tgt = (self.states(bitext.side_input(side), labelling=labelling).layer(layer) for side in (0, 1))
        n, m = (bitext.spans[:, 1::2] - bitext.spans[:, 0::2]).unbind(1)
        first = torch.ones_like(n)
        second = first + src.shape[1]
        return torch.cat([src, tgt], 1), torch.stack([first, first + n, second, second + m], 1)

    def idle(self) -> Tensor:
        """A zero that depends on every trainable parameter of the layers that no pass with gradient has run.

        Distributed wrappers wait for the gradient of each; objectives that read an inner layer give them none.
        """
        reached = max((states.reached for _, states in self._passes.values() if states.grad), default=-1)
        encoder = self._encoder.sentence_encoder
        modules: list[nn.Module] = list(encoder.layers)[max(reached, 0) :]
        if reached < 0:
            modules += [module for name, module in encoder.named_children() if name != "layers"]
        parameters = [p for module in modules for p in module.parameters() if p.requires_grad]
        # One number of each will do, and no sum that half precision could not hold.
        zeros = [0.0 * p.flatten()[0].float() for p in parameters]
        return sum(zeros, start=torch.zeros((), device=encoder.embed_tokens.weight.device))

    def lm_logits(self, hidden: Tensor) -> Tensor:
        """Logits (N, V) of the tied MLM head for hidden states (N, H)."""
        return self._encoder.lm_head(hidden)

    def vocabulary_logits(self, features: Tensor) -> Tensor:
        """E x + b (N, V) for features (N, H) of a head of its own: the MLM head's tied output layer alone."""
        return linear(features, self._encoder.lm_head.weight, self._encoder.lm_head.bias)
