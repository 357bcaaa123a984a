"""The registry of objectives. Registration adds an objective's options, criterion and logging."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.data.batches import BATCHED, Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.data.pretraining import option as option
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.pretrained.papers import PAPERS, Paper
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.linking import Linking

OBJECTIVES: dict[str, type["Objective"]] = {}
# Called with the name of each new objective; criterions import this module and listen here.
LISTENERS: list[Callable[[str], None]] = []
STREAMS = (*BATCHED, "links", "lexicon")

Registered = TypeVar("Registered", bound="Objective")


@dataclass
class Loss:
    """The loss of an objective for a batch.

    Attributes:
        total: sum of the loss over its predictions, in nats, float32 or float64, with gradient.
        count: number of predictions; the loss's share of the sample size.
        stats: name -> (numerator, denominator): summed over batches and workers, logged as ratios.
    """

    total: Tensor
    count: Tensor
    stats: dict[str, tuple[Tensor, Tensor]] = field(default_factory=dict)


@dataclass(frozen=True)
class Traits:
    """The properties of an objective for trainer, data and criterion.

    Attributes:
        needs: the required streams: ``bitext``, ``mono``, ``links`` (prepared links of the bitext) and ``lexicon``
            (bilingual lexicons).
        stats: the names of the logged values besides the loss.
        predicts_tokens: trains the masked-language-model head.
        reads_output_layer: predicts tokens with its own head and the MLM head's output layer, so that all tied
            embeddings have a gradient.
        freezes_encoder: does not train the encoder; cannot be combined with objectives that need the encoder's
            gradient.
        edits_parameters: changes parameters outside the optimizer.
        links_of_every_pair: learns parameters for each language pair, so every pair needs links.
        counts_ahead: :meth:`Objective.count` knows the number of predictions before any pass.
        of_parameters: the parameters that the loss depends on instead of hidden states: the token ``embeddings`` or the
            whole ``encoder``. They all have a gradient in every batch.
        contrasts: other pairs are negatives, so a training batch has no pair twice, in either direction.
        regularises: keeps the encoder close to its initial values, and is not part of the validation loss.
        in_nats: the loss is a negative log-likelihood, logged in bits; other losses are logged unchanged.
    """

    needs: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()
    predicts_tokens: bool = False
    reads_output_layer: bool = False
    freezes_encoder: bool = False
    edits_parameters: bool = False
    links_of_every_pair: bool = False
    counts_ahead: bool = False
    of_parameters: str = ""
    contrasts: bool = False
    regularises: bool = False
    in_nats: bool = True


@dataclass(frozen=True)
class RunContext:
    """The facts of a run that are known before training.

    Attributes:
        config: the encoder's configuration.
        languages: the names of the languages of the pairs, whose numbers are in ``bitext.langs``.
        pivot: the language that all pairs share and that other languages are aligned to, if there is one.
        lexicons: the bilingual lexicons of the data, if an objective needs them.
        mask: the id of ``<mask>``.
        seed: the run's seed. Together with the update's number it keys an objective's random draws.
    """

    config: EncoderConfig
    languages: Sequence[str] = ()
    pivot: str | None = None
    lexicons: Sequence[Lexicon] = ()
    mask: int = -1
    seed: int = 1


@dataclass
class Objective(ABC):
    """Base class of objectives, which compute a loss from hidden states.

    A subclass is a dataclass whose fields are options, ``--NAME-FIELD`` on the command line. Its ``traits`` describe
    it; ``__post_init__`` replaces traits that depend on options. It may own a head: a module that the model saves,
    restores and optimises.

    Attributes:
        name: the registered name.
        paper: the paper that ``xalign objectives`` cites; for this package's objectives see
            :data:`~xalign_fairseq.encoder.pretrained.papers.PAPERS`.
        context: the run's context, available after :meth:`bind`.

    Example::

        @register_objective("length")
        @dataclass
        class Length(Objective):
            traits = Traits(needs=("bitext",))
            layer: int = option(-1, "layer whose states are measured")

            def forward(self, step):
                hidden = step.encoder.states(step.bitext.input()).layer(self.layer)
                return Loss(hidden.float().norm(), torch.tensor(len(hidden), device=hidden.device))
    """

    name: ClassVar[str] = ""
    paper: ClassVar[Paper | None] = None
    traits = Traits()  # no annotation: not a field, and an instance may have its own

    weight: float = option(1.0, "weight of this loss in the sum; 0 disables it")
    context: RunContext = field(init=False, repr=False, compare=False)

    def bind(self, context: RunContext) -> None:
        """Receive the run's context once before training; raise XalignError if options do not fit.

        An option ``layer``, or ``..._layer``, must be a layer of the encoder.
        """
        self.context = context
        for each in options_of(type(self)):
            if each.name.endswith("layer") and getattr(self, each.name) is not None:
                self.resolve_layer(each.name)

    def check_run(self, updates: int, pairs: float) -> None:
        """Warn before the first update if a run with this number of updates and pairs per update is too short."""

    def build_head(self) -> nn.Module | None:
        """The module that this objective trains in addition to the encoder."""
        return None

    @property
    def labelling(self) -> Linking | None:
        """How the model labels word links, if this objective trains labelling; available after :meth:`bind`.

        Checkpoints store this method; validation and the aligner use it.
        """
        return None

    def predicts(self, step: Step) -> Sequence[Prediction]:
        """The predictions by the MLM head that :meth:`forward` finds in ``step.predictions``.

        All objectives announce them before any runs, so the head runs once for all predictions.
        """
        return ()

    @abstractmethod
    def forward(self, step: Step) -> Loss:
        """The loss of a batch, from the required streams and the objective's head."""

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The inputs that :meth:`forward` reads with gradient, each with its highest layer.

        These inputs and inputs of predictions run in one pass for all objectives (:meth:`StepEncoder.expect`).
        """
        return ()

    def count(self, batch: Batch) -> int:
        """The number of predictions in a batch, known on the host before any pass; called if ``counts_ahead``.

        It equals :attr:`Loss.count`. ``--loss-normalization per-objective`` sums it over an update's micro-batches
        before the first one runs. Without ``counts_ahead``, an objective's loss is the mean over micro-batches with
        equal weight.
        """
        raise NotImplementedError

    def step(self, encoder: StepEncoder, batch: Batch) -> Step | None:
        """The argument of :meth:`forward` for a batch; None if the batch lacks a required stream.

        The encoder then expects the objective's inputs and predictions.
        """
        needed = batch.only(self.traits.needs)
        if needed is None:
            return None
        step = Step(encoder, needed, dict(encoder.heads.items()).get(self.name))
        step = dataclasses.replace(step, predictions=tuple(self.predicts(step)))
        encoder.expect(self.reads(step))
        encoder.expect_predictions(step.predictions)
        return step

    def resolve_layer(self, option: str, usual: int = -1) -> int:
        """The layer that an option names, from 0 (embeddings); ``usual`` if the option is None."""
        given: int | None = getattr(self, option)
        return self.context.config.resolve_layer(usual if given is None else given, f"{self.name}_{option}")

    def require_choices(self, **choices: Sequence[str]) -> None:
        """Raise XalignError for an option with an invalid choice; options from YAML pass no parser."""
        for each, allowed in choices.items():
            choice(getattr(self, each), allowed, f"{self.name}_{each}")

    def require_values(self, **conditions: tuple[bool, str]) -> None:
        """Raise XalignError for the first option that is not allowed; values are (is allowed, what is allowed)."""
        check_values(
            "an option is out of range",
            *(
                (f"{self.name}_{option}", getattr(self, option), fits, expected)
                for option, (fits, expected) in conditions.items()
            ),
        )

    def pivot_side(self, bitext: Bitext) -> Tensor:
        """(B,) int64: the side of each pair, 0 or 1, that is in the pivot language."""
        return bitext.side_in(self.pivot_number())

    def pivot_number(self) -> int:
        """The number of the pivot language in ``bitext.langs``."""
        return self.context.languages.index(self.required_pivot())

    def required_pivot(self) -> str:
        """The pivot language; XalignError if the pairs do not determine it and none was chosen."""
        if self.context.pivot is None:
            problem = f"the pairs do not determine the language that {self.name} aligns others to"
            remedy = ("set", Parameter("pivot_lang"), "or choose pairs with", Parameter("lang_pairs"))
            raise XalignError(problem, found=", ".join(self.context.languages), remedy=remedy)
        return self.context.pivot


def options_of(objective: type[Objective]) -> list[dataclasses.Field[Any]]:
    """The options of an objective's class: its init fields, ``weight`` first."""
    return [each for each in dataclasses.fields(objective) if each.init]


def register_objective(name: str) -> Callable[[type[Registered]], type[Registered]]:
    """Register an objective, which adds ``--criterion name`` and ``--objectives ...,name``.

    Args:
        name: lower-case words joined by ``_``; the prefix of its options.

    Raises:
        XalignError: the name is taken, a stream is unknown, or ``@dataclass`` is missing.
    """

    def register(cls: type[Registered]) -> type[Registered]:
        if name in OBJECTIVES:
            raise XalignError("an objective of this name is already registered", found=name)
        unknown = set(cls.traits.needs) - set(STREAMS)
        if unknown:
            raise XalignError("an objective needs an unknown stream", where=name, found=unknown, expected=STREAMS)
        if any(isinstance(each, dataclasses.Field) for each in vars(cls).values()):
            raise XalignError("an objective with options is not a dataclass", where=name, remedy="@dataclass")
        cls.name = name
        cls.paper = cls.paper or PAPERS.get(name)
        OBJECTIVES[name] = cls
        for listener in LISTENERS:
            listener(name)
        return cls

    return register


def choice(value: str, choices: Sequence[str], parameter: str) -> str:
    """Return ``value`` if it is one of ``choices``; otherwise raise XalignError."""
    check_values("an option has an unknown value", (parameter, value, value in choices, ", ".join(choices)))
    return value
