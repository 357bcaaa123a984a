"""Self-training on hidden states, without a head (awesome-align, Dou & Neubig 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.word_tables import link_matrix
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Method, make_method
from xalign_fairseq.transport.names import ENCODINGS, METHODS
from xalign_fairseq.transport.similarity import agreement

LABELS = ("found", "given", "both")
METHODS_OF_ONE_LAYER = tuple(name for name in METHODS if name != "scored")


@register_objective("self_training")
@dataclass
class SelfTraining(Objective):
    """Raise the probability of the links that the model itself finds: awesome-align's objective ``so``.

    L = -sum over links (i, j) of log p(j | i) + log q(i | j). p and q are the softmaxes of cosines over the
    temperature, each over the tokens of the other side. The count is the number of links. Links are found in every
    batch, by any labelling method, without gradient or dropout. There is no head: training changes the states that make
    the links.

    awesome-align's released code has -sum over links of p_ij / n + q_ij / m for a pair with n and m tokens, with
    softmaxes of dot products, and a link of two tokens stands there for all tokens of their words.

    Labels can also come from prepared links (awesome-align's supervised form). Links that both the model and a
    statistical aligner find are more reliable than either's. Use ``--loss-normalization per-objective`` with other
    objectives.
    """

    traits = Traits(needs=("bitext",), stats=("probability", "links_per_token", "pairs_without_links"), in_nats=False)

    layer: int | None = option(None, "layer to label and train (default: the method's usual depth, 8 of 12)")
    encoding: str = option("separate", "separate (each side alone) or joint (both sides in one sequence)")
    method: str = option("argmax", "labelling method, as in xalign align (awesome-align: softmax)")
    method_options: str = option("", "options of the method, name=value, separated by commas, such as threshold=0.001")
    labels: str = option(
        "found",
        "links to reinforce: found (the model's own), given (prepared ones, k-th token to k-th token), or "
        "both (the model's own between words that prepared links join)",
    )
    temperature: float = option(0.05, "divides the cosines")

    def __post_init__(self) -> None:
        self.require_choices(encoding=ENCODINGS, labels=LABELS, method=METHODS_OF_ONE_LAYER)
        self.require_values(temperature=(self.temperature > 0, "a number above 0"))
        self.labeller = labelling_method(self.method, self.method_options)
        if self.labels != "found":
            self.traits = replace(self.traits, needs=("bitext", "links"))

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        layer = self.resolve_layer("layer", max(1, round(context.config.encoder_layers * self.labeller.depth)))
        self.linking = Linking.of(self.labeller, {"hidden": layer}, encoding=self.encoding)

    @property
    def labelling(self) -> Linking:
        return self.linking

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        options = self.linking
        return [(given, options.layer) for given in step.bitext.pair_inputs(options.pair_encoding)]

    def forward(self, step: Step) -> Loss:
        bitext, options = step.bitext, self.linking
        hidden, spans = step.encoder.pair_states(bitext, options.layer, options.pair_encoding)
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
        """(B, n, m) bool: the token pairs that are to choose each other."""
        bitext, options = step.bitext, self.linking
        if self.labels == "given":
            return self._given(bitext, "k-to-k")
        # Without dropout these are the states that are trained.
        labelled, spans = step.encoder.pair_states(bitext, options.layer, options.pair_encoding, labelling=True)
        own = self.labeller.matrix(labelled, spans, sizes=bitext.longest)
        return own if self.labels == "found" else own & self._given(bitext, "all")

    @staticmethod
    def _given(bitext: Bitext, subwords: str) -> Tensor:
        return link_matrix(bitext.links, bitext.word_table(0), bitext.word_table(1), subwords, bitext.longest)


def labelling_method(name: str, given: str) -> Method:
    """The labelling method of a name, with options as ``--self-training-method-options`` has them.

    Raises:
        XalignError: there is no such method, it has no such option, or the option no such value.

    Example::

        labelling_method("softmax", "threshold=0.01")  # Softmax(0.01)
    """
    usual, options = make_method(name), {}
    for part in filter(None, given.split(",")):
        option, sign, value = (each.strip() for each in part.partition("="))
        if not option or not sign or not value:
            raise XalignError(
                "an option of the labelling method is not name=value",
                parameter="self_training_method_options",
                found=part,
            )
        # make_method refuses an unknown option and lists the known ones.
        known = option in METHODS[name]
        options[option] = _value(option, value, getattr(usual, option)) if known else value
    return make_method(name, **options)


def _value(option: str, text: str, usual: int | float | str) -> int | float | str:
    """The value of an option, of the type that its usual one has."""
    try:
        return type(usual)(text)
    except ValueError:
        raise XalignError(
            "an option of the labelling method has no such value",
            where=option,
            parameter="self_training_method_options",
            found=text,
            expected="a whole number" if isinstance(usual, int) else "a number",
        ) from None
