"""Self-training on hidden states, without a head (awesome-align, Dou & Neubig 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch import Tensor

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.layers import at_depth
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import make_method
from xalign_fairseq.transport.names import ONE_LAYER_METHODS
from xalign_fairseq.transport.similarity import agreement

LABELS = ("found", "given", "both")


@register_objective("self_training")
@dataclass
class SelfTraining(Objective):
    """Raise the probability of the model's own links: awesome-align's objective ``so``.

    L = -sum over links (i, j) of log p(j | i) + log q(i | j). p and q are the softmaxes of cosines over the
    temperature, each over the tokens of the other side. The count is the number of links. Links are found in every
    batch, by any labelling method, without gradient or dropout. There is no head: training changes the states that
    links are made from.

    awesome-align's released code uses -sum over links of p_ij / n + q_ij / m for a pair with n and m tokens, with
    softmaxes of dot products. There, a link between two tokens links all tokens of both words.

    Labels can also come from prepared links (awesome-align's supervised form). Links found by both the model and a
    statistical aligner are more reliable than links of one of them. Use ``--loss-normalization per-objective`` with
    other objectives.
    """

    traits = Traits(needs=("bitext",), stats=("probability", "links_per_token", "pairs_without_links"), in_nats=False)

    layer: int | None = option(None, "layer to label and train (default: the method's usual depth, 8 of 12)")
    method: str = option("argmax", "labelling method, as in xalign align (awesome-align: softmax)")
    labels: str = option(
        "found",
        "links to reinforce: found (the model's own), given (prepared ones, k-th token to k-th token), or "
        "both (the model's own between words that prepared links join)",
    )
    temperature: float = option(0.05, "divides the cosines")

    def __post_init__(self) -> None:
        self.require_choices(labels=LABELS, method=ONE_LAYER_METHODS)
        self.require_values(temperature=(self.temperature > 0, "a number above 0"))
        self.labeller = make_method(self.method)
        if self.labels != "found":
            self.traits = replace(self.traits, needs=("bitext", "links"))

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        layer = self.resolve_layer("layer", at_depth(context.config.encoder_layers, self.labeller.depth)[0])
        self.linking = Linking.of(self.labeller, {"hidden": layer}, encoding="separate")

    @property
    def labelling(self) -> Linking:
        return self.linking

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(given, self.linking.layer) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        hidden, spans = step.encoder.pair_states(bitext, self.linking.layer, "separate")
        links = self._links(step)
        found = agreement(hidden, spans, temperature=self.temperature, sizes=bitext.longest)
        number = links.sum()
        total = -(found.forward + found.backward).masked_fill(~links, 0.0).sum()
        probability = (found.forward.detach().exp() + found.backward.detach().exp()).masked_fill(~links, 0.0).sum() / 2
        sizes = spans[:, 1::2] - spans[:, ::2]
        bare = sizes.gt(0).all(1) & ~links.flatten(1).any(1)
        stats = {
            "probability": (probability, number),
            "links_per_token": (2 * number, sizes.sum()),
            "pairs_without_links": (bare.sum(), spans.new_full((), len(spans))),
        }
        return Loss(total, number, stats)

    def _links(self, step: Step) -> Tensor:
        """(B, n, m) bool: the linked token pairs."""
        bitext = step.bitext
        if self.labels == "given":
            return bitext.link_matrix("k-to-k")
        # Without dropout, these are the trained states.
        labelled, spans = step.encoder.pair_states(bitext, self.linking.layer, "separate", labelling=True)
        own = self.labeller.matrix(labelled, spans, sizes=bitext.longest)
        return own if self.labels == "found" else own & bitext.link_matrix("all")
