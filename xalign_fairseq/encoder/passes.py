"""The encoder as objectives see it in one update: shared passes and the MLM head."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from xalign_fairseq.data.batches import Bitext
from xalign_fairseq.data.inputs import Input, as_input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import HiddenStates, Prediction, open_passes
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, States
from xalign_fairseq.encoder.transformer import Body, Encoder
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses, linear_cross_entropy

# The key of a pass: tokens, positions, whether it labels.
Key = tuple[int, int, bool]


class StepEncoder:
    """The encoder in one call of the model; objectives share passes over the same tokens.

    For example, TLM and DWA read the same perturbed pair: the second request gets the states of the first. With
    ``frozen``, only the heads' outputs have a gradient.
    """

    def __init__(self, encoder: Encoder, heads: nn.ModuleDict, training: bool, update: int, frozen: bool = False):
        self._encoder = encoder
        # Inputs are kept with their passes so that no other tensor gets the same id.
        self._passes: dict[Key, tuple[Input, HiddenStates]] = {}
        self._expected: dict[Key, tuple[Input, int]] = {}
        self._whole: dict[Key, None] = {}  # inputs whose last layer is read at all tokens
        self._grad = torch.is_grad_enabled() and not frozen
        self._predictions: dict[Prediction, TokenLosses | None] = {}
        self.heads = heads
        self.training = training
        self.update = update

    @property
    def config(self) -> EncoderConfig:
        """Sizes of the encoder."""
        return self._encoder.config

    @property
    def sentence_encoder(self) -> Body:
        """The parameters behind :meth:`states`, for momentum copies."""
        return self._encoder.sentence_encoder

    def expect(self, reads: Iterable[tuple[Input, int]], *, labelling: bool = False) -> None:
        """Announce inputs to read, each with its highest layer.

        Inputs with the same highest layer run in one packed pass, at the first request for one of them.
        """
        for given, layer in reads:
            layer = self.config.resolve_layer(layer)
            if layer == self.config.encoder_layers and not labelling:
                self._whole[_key(given, labelling)] = None
            self._expect(given, layer, labelling)

    def _expect(self, given: Input, layer: int, labelling: bool) -> None:
        key = _key(given, labelling)
        self._expected[key] = given, max(layer, self._expected.get(key, (given, 0))[1])

    def states(self, given: Tensor | Input, *, labelling: bool = False) -> HiddenStates:
        """The pass over tokens (B, T). ``labelling``: evaluation mode and no gradient, as for self-labels.

        Without dropout, if a pass with gradient over the same tokens is open or expected, labelling reuses its layers.
        """
        read = as_input(given)
        key = _key(read, labelling)
        if key not in self._passes:
            if labelling and self._lives(read):
                live = self.states(read)
                self._passes[key] = read, live.detached(self._expected.get(_key(read, False), (read, -1))[1])
            else:
                self._open(key, read, labelling)
        return self._passes[key][1]

    def _lives(self, given: Input) -> bool:
        """Whether labelling can read a pass with gradient over the same tokens."""
        key, drops = _key(given, False), self.training and self.config.drops
        return not drops and (key in self._passes or key in self._expected)

    def _open(self, key: Key, given: Input, labelling: bool) -> None:
        """Open the pass over an input and over expected inputs with the same highest layer."""
        together = {key: given}
        _, layer = self._expected.get(key, (given, None))
        for other, (read, upto) in self._expected.items():
            alike = upto == layer and other[-1] == labelling and other not in self._passes
            if alike and not (labelling and self._lives(read)):
                together[other] = read
        with torch.set_grad_enabled(self._grad):
            states = open_passes(
                self.sentence_encoder,
                list(together.values()),
                training=self.training and not labelling,
                grad=not labelling,
            )
        self._passes.update({key: (read, each) for (key, read), each in zip(together.items(), states, strict=True)})

    def pair_states(
        self,
        bitext: Bitext,
        layer: int,
        encoding: str = "joint",
        *,
        labelling: bool = False,
        maps: LanguageMaps | None = None,
        languages: Sequence[str] = (),
    ) -> tuple[Tensor, Tensor]:
        """Hidden states (B, T, H) of unperturbed pairs, both sides in one row, and the sides' positions (B, 4).

        Args:
            encoding: ``joint``: the pair sequences; ``separate``: each side encoded alone, the target after the source.
            maps: linear maps for separately encoded sides, if any.
        """
        inputs = bitext.pair_inputs(encoding)
        self.expect([(given, layer) for given in inputs], labelling=labelling)
        passes: list[States] = [self.states(given, labelling=labelling) for given in inputs]
        if encoding == "joint":
            return passes[0].layer(layer), bitext.spans
        if maps is not None:
            names = [*languages, ""]  # languages only in validation have the number -1 and no map
            passes = [
                MappedStates(states, maps, [names[number] for number in bitext.host.langs[:, side]])
                for side, states in enumerate(passes)
            ]
        src, tgt = (states.layer(layer) for states in passes)
        n, m = (bitext.spans[:, 1::2] - bitext.spans[:, 0::2]).unbind(1)
        first = torch.ones_like(n)
        second = first + src.shape[1]
        return torch.cat([src, tgt], 1), torch.stack([first, first + n, second, second + m], 1)

    def idle(self, heads: Iterable[str] = (), *, lm_head: bool = False) -> Tensor:
        """A zero that depends on all trainable parameters of layers that no pass with gradient ran.

        Distributed wrappers wait for every gradient, but objectives on inner layers give none to higher layers.

        Args:
            heads: heads of objectives without data in the batch; the zero depends on them too.
        """
        reached = max((states.reached for _, states in self._passes.values() if states.grad), default=-1)
        encoder = self._encoder.sentence_encoder
        modules: list[nn.Module] = list(encoder.layers)[max(reached, 0) :]
        if reached < 0:
            modules += [module for name, module in encoder.named_children() if name != "layers"]
        modules += [self.heads[name] for name in heads if name in self.heads]
        parameters = [p for module in modules for p in module.parameters() if p.requires_grad]
        if lm_head:  # its output map is the embeddings
            named = self._encoder.lm_head.named_parameters()
            parameters += [p for name, p in named if p.requires_grad and name != "weight"]
        # One element of each parameter is enough; a sum could overflow in half precision.
        zeros = [0.0 * p.flatten()[0].float() for p in parameters]
        return sum(zeros, start=torch.zeros((), device=encoder.embed_tokens.weight.device))

    def expect_predictions(self, predictions: Iterable[Prediction]) -> None:
        """Announce predictions for :meth:`losses`, and their inputs."""
        for prediction in predictions:
            self._predictions.setdefault(prediction, None)
            self._expect(prediction.input, self.config.encoder_layers, labelling=False)

    def losses(self, prediction: Prediction) -> TokenLosses:
        """The losses of a prediction by the MLM head; the first request runs it for all expected predictions.

        So the gradient of the embeddings (768 MB in XLM-R base) is computed once instead of once per objective.
        """
        self.expect_predictions([prediction])
        found = self._predictions[prediction]
        if found is not None:
            return found
        waiting = [each for each, losses in self._predictions.items() if losses is None]
        hidden = self.predicted_states(waiting)
        all_losses = self.lm_losses(torch.cat(hidden), torch.cat([each.labels for each in waiting]))
        sizes = [len(each.labels) for each in waiting]
        made = dict(zip(waiting, map(TokenLosses, *(each.split(sizes) for each in all_losses)), strict=True))
        self._predictions.update(made)
        return made[prediction]

    def predicted_states(self, predictions: Sequence[Prediction]) -> list[Tensor]:
        """For each prediction, states (N, H) of the last layer at its positions."""
        states, positions = [self.states(each.input) for each in predictions], [each.positions for each in predictions]
        whole = [self._passes[key][1] for key in self._whole if key in self._passes]
        return HiddenStates.at_last(states, positions, whole)

    def lm_losses(self, hidden: Tensor, labels: Tensor) -> TokenLosses:
        """The tied MLM head's losses for hidden states (N, H) and labels (N,)."""
        return self.vocabulary_losses(self._encoder.lm_head.features(hidden), labels)

    def vocabulary_losses(self, features: Tensor, labels: Tensor) -> TokenLosses:
        """Losses for another head's features x (N, H), with the MLM head's tied output layer E x + b."""
        head = self._encoder.lm_head
        return linear_cross_entropy(features, head.weight, head.bias, labels)


def _key(given: Input, labelling: bool) -> Key:
    return id(given.tokens), id(given.positions), labelling
