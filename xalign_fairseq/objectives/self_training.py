"""Self-training on the hidden states themselves (awesome-align, Dou & Neubig 2021), without a head."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.data.batches import Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.word_tables import link_matrix
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, choice, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.agreement import Agreement, agreement
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.methods import Method, make_method
from xalign_fairseq.transport.names import AGREEMENT_SIMILARITIES, ENCODINGS, METHODS

LOSSES = ("cross-entropy", "probability")
LABELS = ("found", "given", "both")


@dataclass
class SelfTrainingConfig(ObjectiveConfig):
    """Options of ``self_training``."""

    layer: Optional[int] = field(
        default=None,
        metadata={"help": "layer that is labelled and trained (default: at the method's usual depth, 8 of 12)"},
    )
    encoding: str = field(
        default="separate",
        metadata={"help": "separate (each side by itself) or joint (both in one sequence, where they see each other)"},
    )
    method: str = field(
        default="argmax", metadata={"help": "labelling method, as in xalign align (awesome-align: softmax)"}
    )
    method_options: str = field(
        default="", metadata={"help": "options of the method: name=value, separated by commas, as in threshold=0.001"}
    )
    labels: str = field(
        default="found",
        metadata={
            "help": "links to grow sure of: found (the model's own), given (prepared ones, k-th token to k-th token), "
            "or both (own ones between words that prepared links join)"
        },
    )
    similarity: str = field(
        default="cosine", metadata={"help": "what the softmaxes are of: cosine, or dot (product; awesome-align)"}
    )
    temperature: float = field(
        default=0.05, metadata={"help": "that similarities are divided by (awesome-align: 1, of dot products)"}
    )
    loss: str = field(
        default="cross-entropy",
        metadata={
            "help": "cross-entropy: -log of the links' probabilities, a mean over links; probability: the negative sum "
            "of these over the side's length, a mean over pairs (awesome-align)"
        },
    )


@register_objective("self_training", dataclass=SelfTrainingConfig)
class SelfTraining(Objective):
    """Both sides' softmaxes made sure of the links that the model itself finds: awesome-align's objective ``so``.

    L = -sum over links (i, j) of log p(j | i) + log q(i | j), where p and q are the softmaxes of similarities over the
    temperature, each over the tokens of the other side; the count is the number of links. These are found anew in
    every batch, by any labelling method, without gradient or dropout. Training acts on the states that make the links:
    there is no head to learn.

    ``--self-training-loss probability`` with ``--self-training-method softmax``, ``--self-training-similarity dot`` and
    ``--self-training-temperature 1`` is awesome-align's released form, -sum over links of p_ij / n + q_ij / m for a
    pair with n and m tokens; the count is the number of pairs. (There a link of two tokens stands for all tokens of
    their words; here it is theirs alone.)

    Labels can come from prepared links as well, of a statistical aligner or by hand (awesome-align's supervised form):
    its errors are not the model's, so links that both find are surer than either's.

    Choose ``--loss-normalization per-objective`` beside other objectives.
    """

    stats = ("probability", "links_per_token", "pairs_without_links")
    in_nats = False
    cfg: SelfTrainingConfig
    labelling: LabelOptions

    def __init__(self, cfg: SelfTrainingConfig):
        super().__init__(cfg)
        choice(cfg.encoding, ENCODINGS, "--self-training-encoding")
        choice(cfg.similarity, AGREEMENT_SIMILARITIES, "--self-training-similarity")
        choice(cfg.loss, LOSSES, "--self-training-loss")
        choice(cfg.labels, LABELS, "--self-training-labels")
        check_values(
            "an option of self-training has no such value",
            ("--self-training-temperature", cfg.temperature, cfg.temperature > 0, "a number above 0"),
        )
        self.method = labelling_method(cfg)
        self.needs = ("bitext",) if cfg.labels == "found" else ("bitext", "links")

    def prepare(self, config: EncoderConfig) -> None:
        """Resolve the layer."""
        usual = max(1, round(config.encoder_layers * self.method.depth))
        layer = config.resolve_layer(usual if self.cfg.layer is None else self.cfg.layer, "self_training_layer")
        self.labelling = LabelOptions(self.method, {"hidden": layer}, encoding=self.cfg.encoding)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The pairs."""
        return [(given, self.labelling.layer) for given in step.bitext.pair_inputs(self.labelling.reads)]

    def forward(self, step: Step) -> Loss:
        """Label, and score the links."""
        bitext, options = step.bitext, self.labelling
        hidden, spans = step.encoder.pair_states(bitext, options.layer, options.reads)
        links = self._links(step)
        found = agreement(
            hidden, spans, similarity=self.cfg.similarity, temperature=self.cfg.temperature, sizes=bitext.longest
        )
        number = links.sum()
        if self.cfg.loss == "cross-entropy":
            total, count = -(found.forward + found.backward).masked_fill(~links, 0.0).sum(), number
        else:
            total, count = _released(found, links)
        probability = (found.forward.detach().exp() + found.backward.detach().exp()).masked_fill(~links, 0.0).sum() / 2
        sizes = spans[:, 1::2] - spans[:, ::2]
        bare = sizes.gt(0).all(1) & ~links.flatten(1).any(1)
        stats = {
            "probability": (probability, number),
            "links_per_token": (2 * number, sizes.sum()),
            "pairs_without_links": (bare.sum(), spans.new_full((), len(spans))),
        }
        return Loss(total, count, stats)

    def _links(self, step: Step) -> Tensor:
        """(B, n, m) bool: the token pairs that are to choose each other."""
        bitext, options = step.bitext, self.labelling
        if self.cfg.labels == "given":
            return self._given(bitext, "k-to-k")
        # Without dropout these are the states that are trained.
        labelled, spans = step.encoder.pair_states(bitext, options.layer, options.reads, labelling=True)
        own = self.method.matrix(labelled, spans, sizes=bitext.longest)
        return own if self.cfg.labels == "found" else own & self._given(bitext, "all")

    @staticmethod
    def _given(bitext: Bitext, subwords: str) -> Tensor:
        return link_matrix(bitext.links, bitext.word_table(0), bitext.word_table(1), subwords, bitext.longest)


def _released(found: Agreement, links: Tensor) -> tuple[Tensor, Tensor]:
    """-sum of p_ij / n + q_ij / m over the links of all pairs, and the number of pairs with tokens on both sides."""
    n, m = found.lengths
    per_src, per_tgt = (size.clamp(min=1)[:, None, None] for size in (n, m))
    shares = found.forward.exp() / per_src + found.backward.exp() / per_tgt
    return -shares.masked_fill(~links, 0.0).sum(), ((n > 0) & (m > 0)).sum()


def labelling_method(cfg: SelfTrainingConfig) -> Method:
    """How hidden states become links.

    Raises:
        XalignError: there is no such method, it has no such option, or the option no such value.

    Example::

        labelling_method(SelfTrainingConfig(method="softmax", method_options="threshold=0.01"))  # Softmax(0.01)
    """
    usual, options = make_method(cfg.method), {}
    for part in filter(None, cfg.method_options.split(",")):
        name, sign, value = (each.strip() for each in part.partition("="))
        if not name or not sign or not value:
            raise XalignError(
                "an option of the labelling method is not name=value",
                parameter="self_training_method_options",
                found=part,
            )
        # Of an option that there is not, make_method tells which ones there are.
        options[name] = _value(name, value, getattr(usual, name)) if name in METHODS[cfg.method] else value
    return make_method(cfg.method, **options)


def _value(option: str, text: str, usual: int | float | str) -> int | float | str:
    """The value of an option, of the type that its usual one has."""
    try:
        return type(usual)(text)
    except ValueError:
        raise XalignError(
            "an option of the labelling method has no such value",
            where=f"--self-training-method-options {option}",
            found=text,
            expected="a whole number" if isinstance(usual, int) else "a number",
        ) from None
