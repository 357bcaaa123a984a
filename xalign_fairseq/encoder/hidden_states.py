"""Hidden states by layer, from passes that run each layer once, up to the highest requested layer."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input, in_second_text
from xalign_fairseq.data.packing import Packing, Place, pack, positions_of
from xalign_fairseq.encoder import graphs
from xalign_fairseq.encoder.config import EncoderConfig


class Stack(Protocol):
    """The embeddings and layers of a pass: :data:`xalign_fairseq.encoder.transformer.Body`."""

    config: EncoderConfig
    layers: nn.ModuleList
    packs: bool
    takes_rows: bool
    graphs: bool

    def sentences(self, inputs: Sequence[Input], packing: Packing | None) -> Any:
        """The data about the inputs that every layer reads."""

    def embed(
        self, tokens: Tensor, positions: Tensor, languages: Tensor | None, second: Tensor | None, training: bool
    ) -> Tensor:
        """Hidden states of layer 0 (..., H)."""


class Pass:
    """A pass of the layers over one or more inputs; runs each layer once, up to the requested one.

    Args:
        inputs: one input, or several with a packing.
        packing: the packing of the inputs; None: run the input with padding.
    """

    def __init__(self, encoder: Stack, inputs: Sequence[Input], packing: Packing | None, training: bool, grad: bool):
        self.encoder, self.inputs, self.packing, self.training, self.grad = encoder, inputs, packing, training, grad
        self._sentences: Any = encoder.sentences(inputs, packing)
        self._states: list[Tensor] = []
        self.ended = False  # whether any row has passed the last layer

    @property
    def reached(self) -> int:
        """The highest layer that has run for all rows, -1 before any."""
        return len(self._states) - 1

    def upto(self, layer: int) -> Tensor:
        """Hidden states of a layer (0: the embeddings), (N, H) packed, or (B, T, H) with padding."""
        with torch.set_grad_enabled(self.grad):
            while len(self._states) <= layer:
                self._states += self._next(layer)
        return self._states[layer]

    def ending(self, rows: Tensor) -> Tensor:
        """States (K, H) of the last layer at packed rows (K,); unless the layer has run, only these are computed."""
        layers = self.encoder.layers
        if self.reached == len(layers) or not self.encoder.takes_rows:
            return self.upto(len(layers)).index_select(0, rows)
        before, self.ended = self.upto(len(layers) - 1), True
        with torch.set_grad_enabled(self.grad):
            made: Tensor = layers[-1](before, self._sentences, self.training, rows)
            return made

    def _next(self, layer: int) -> list[Tensor]:
        """Run one or more further layers, up to ``layer``, and return their states."""
        if self._states:
            given, layers = self._states[-1], self.encoder.layers[self.reached : layer]
            if self.encoder.graphs and self.packing is not None and len(given):
                return graphs.run(layers, given, self._sentences.on_device(), self.training)
            return [layers[0](given, self._sentences, self.training)]
        config, row = self.encoder.config, self._row
        longest = max(given.tokens.shape[1] for given in self.inputs)
        if longest > config.max_positions:
            problem = "a sequence is longer than the encoder's positions"
            raise XalignError(problem, found=f"{longest} tokens", expected=f"at most {config.max_positions}")
        tokens = row([given.tokens for given in self.inputs])
        positions = row([positions_of(given) for given in self.inputs])
        languages = row([_languages(given, config) for given in self.inputs]) if config.languages else None
        second = row([in_second_text(given) for given in self.inputs]) if config.token_types > 1 else None
        x = self.encoder.embed(tokens, positions, languages, second, self.training)
        return [x.masked_fill(tokens.eq(config.pad)[..., None], 0) if self.packing is None else x]

    def _row(self, values: Sequence[Tensor]) -> Tensor:
        return values[0] if self.packing is None else self.packing.row(values)


class DetachedPass(Pass):
    """Reads another pass without gradient up to a layer, then runs its own layers."""

    def __init__(self, live: Pass, shared: int):
        super().__init__(live.encoder, live.inputs, live.packing, live.training, grad=False)
        self._live, self._shared = live, shared

    def _next(self, layer: int) -> list[Tensor]:
        shared = min(layer, max(self._shared, self._live.reached))
        if self.reached >= shared:
            return super()._next(layer)
        self._live.upto(shared)
        return [self._live.upto(each).detach() for each in range(self.reached + 1, shared + 1)]


class HiddenStates:
    """The hidden states of one input by layer, from a pass that other inputs may share."""

    def __init__(self, run: Pass, number: int):
        self._run, self._number = run, number
        self._layers: dict[int, Tensor] = {}

    @property
    def grad(self) -> bool:
        """Whether the states have a gradient."""
        return self._run.grad

    @property
    def _place(self) -> Place:
        assert self._run.packing is not None
        return self._run.packing.places[self._number]

    @property
    def reached(self) -> int:
        """The highest layer that has run, at least for some rows; -1 before any."""
        return len(self._run.encoder.layers) if self._run.ended else self._run.reached

    def layer(self, layer: int = -1) -> Tensor:
        """Hidden states (B, T, H) of ``layer`` (0 embeddings, -1 last); lower layers are kept, higher ones do not run.

        Values at padding have no meaning.
        """
        layer = self._run.encoder.config.resolve_layer(layer)
        if layer not in self._layers:
            row = self._run.upto(layer)
            self._layers[layer] = row if self._run.packing is None else self._place.unpack(row)
        return self._layers[layer]

    def first(self) -> Tensor:
        """(B, H), states of the last layer at the first token of each row, by :meth:`at_last`."""
        tokens = self._run.inputs[self._number].tokens
        [found] = self.at_last([self], [torch.arange(0, tokens.numel(), tokens.shape[1], device=tokens.device)])
        return found

    @staticmethod
    def at_last(
        states: Sequence["HiddenStates"], positions: Sequence[Tensor], whole: Collection["HiddenStates"] = ()
    ) -> list[Tensor]:
        """For each input, hidden states (K, H) of the last layer at positions (K,) in its flattened tokens (B * T,).

        If the last layer has not run yet, its part after attention runs only for these tokens. With 12 layers, a pass
        that only predicts masked tokens then saves a sixteenth of its products. Inputs in ``whole`` need the last layer
        at all tokens; they are computed in the same run.
        """
        wanted: dict[Pass, list[int]] = {}
        for number, each in enumerate(states):
            if each._run.packing is not None and each not in whole:
                wanted.setdefault(each._run, []).append(number)
        found: dict[int, Tensor] = {}
        for run, numbers in wanted.items():
            rows = [states[number]._place.rows_at(positions[number]) for number in numbers]
            # Each of several inputs has its own rows.
            beside = {each: own for each in whole if each._run is run and (own := each._place.rows) is not None}
            rows += beside.values()
            parts = run.ending(torch.cat(rows)).split([len(each) for each in rows])
            found.update(zip(numbers, parts, strict=False))
            for each, part in zip(beside, parts[len(numbers) :], strict=True):
                each._layers[len(run.encoder.layers)] = each._place.spread(part)
        return [
            found[number] if number in found else each.layer(-1).flatten(0, 1).index_select(0, positions[number])
            for number, each in enumerate(states)
        ]

    def detached(self, shared: int) -> "HiddenStates":
        """These states without gradient; for them, the pass with gradient runs only up to layer ``shared``.

        Higher layers are read from that pass if another reader has run them; otherwise they run separately.
        """
        return HiddenStates(DetachedPass(self._run, shared), self._number)


def open_passes(
    encoder: Stack, inputs: Sequence[Input], *, training: bool = False, grad: bool = True
) -> list[HiddenStates]:
    """The states of each input, from one packed pass over all; with unknown lengths, from one padded pass each."""
    grad = grad and torch.is_grad_enabled()
    packing = pack(inputs) if encoder.packs else None
    if packing is not None and encoder.graphs:
        packing = packing.filled()
    if packing is None:
        return [HiddenStates(Pass(encoder, [given], None, training, grad), 0) for given in inputs]
    run = Pass(encoder, inputs, packing, training, grad)
    return [HiddenStates(run, number) for number in range(len(inputs))]


def _languages(given: Input, config: EncoderConfig) -> Tensor:
    """(B, T) int64, rows of the language embeddings."""
    if given.languages is None:
        problem = "the encoder has language embeddings, but the language of a text is not given"
        raise XalignError(problem, expected=", ".join(config.languages))
    return given.languages.expand_as(given.tokens)


@dataclass(frozen=True, eq=False)
class Prediction:
    """Tokens to predict from the last layer's states. Predictions are compared by identity.

    Attributes:
        input: the encoder's input.
        positions: (N,) int64, the tokens' positions in the flattened input (B * T,).
    """

    input: Input
    positions: Tensor
    labels: Tensor

    @classmethod
    def of(cls, given: Input, targets: Tensor, positions: Tensor) -> "Prediction":
        """A prediction of the targets (B, T) at given positions."""
        return cls(given, positions, targets.flatten().index_select(0, positions))
