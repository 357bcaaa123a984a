"""The extension point: an objective registers here, and its options, criterion and logging follow."""

import inspect
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import BATCHED, Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.pretrained.papers import PAPERS, Paper
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.label_options import LabelOptions

OBJECTIVES: dict[str, type["Objective"]] = {}
# Called with the name of each new objective; criterions, which import this module, listen here.
LISTENERS: list[Callable[[str], None]] = []
STREAMS = (*BATCHED, "links", "lexicon")


@dataclass
class ObjectiveConfig:
    """Options that every objective has. A field ``x`` of objective ``name`` is the option ``--name-x``.

    In Python it is the keyword argument ``x`` of the objective's class, see :class:`ByOptions`.
    """

    weight: float = field(default=1.0, metadata={"help": "factor of this loss in the sum; 0 switches it off"})


@dataclass
class Loss:
    """What an objective gives back for a batch.

    Attributes:
        total: sum of the loss over its predictions, in nats, float32 or float64, with gradient.
        count: number of predictions, the loss's share of the sample size.
        stats: name -> (numerator, denominator), sums that are added over batches and workers and logged as ratios.
    """

    total: Tensor
    count: Tensor
    stats: dict[str, tuple[Tensor, Tensor]] = field(default_factory=dict)


class ByOptions(ABCMeta):
    """Lets an objective be made of its options by name: ``DWA(label_layer=8)`` is ``DWA(DwaConfig(label_layer=8))``.

    Raises:
        XalignError: the objective has no such option.
    """

    config_class: type[ObjectiveConfig]

    def __call__(cls, cfg: Any = None, /, **options: Any) -> Any:
        """The objective, of a configuration or of options."""
        if cfg is None:
            known = [option.name for option in fields(cls.config_class)]
            unknown = sorted(options.keys() - set(known))
            if unknown:
                raise XalignError(
                    "the objective has no such option",
                    where=cls.__name__,
                    found=", ".join(unknown),
                    expected=f"some of {', '.join(known)}",
                )
            cfg, options = cls.config_class(**options), {}
        return super().__call__(cfg, **options)

    @property
    def __signature__(cls) -> inspect.Signature:
        """What ``help`` shows: the options with their defaults."""
        return inspect.signature(cls.config_class)


class Objective(metaclass=ByOptions):
    """Base of all objectives: hidden states to a loss.

    A subclass says which streams it ``needs`` (``bitext``, ``mono``; ``links`` where it reads prepared links,
    ``lexicon`` for bilingual lexicons), which ``stats`` it logs, whether it ``predicts_tokens`` with the MLM head, and
    may own a head: a module that the model saves, restores and optimises.

    Attributes:
        paper: that it is from, which ``xalign objectives`` names; for this package's own see
            :data:`~xalign_fairseq.encoder.pretrained.papers.PAPERS`.
        reads_output_layer: it predicts tokens by the MLM head's output layer behind a head of its own, so that its
            gradient has all embeddings, which that is tied to.
        freezes_encoder: the encoder is not trained, so no objective that needs its gradient can stand beside it.
        edits_parameters: it changes parameters outside the optimiser.
        links_of_every_pair: it learns something of each language pair, so that none may lack links.
        counts_ahead: :meth:`count` knows the number of predictions before any pass.
        of_parameters: which of the encoder's parameters the loss is of, where it is not of hidden states: the tokens'
            ``embeddings``, or all of the ``encoder``'s. Its gradient has them all, whatever the batch.
        contrasts: other pairs are negatives, so that no pair is twice in a batch of training, nor beside its exchange.
        regularises: it keeps the encoder where it was, and has no part in the loss of validation.
        in_nats: the loss is a negative log-likelihood, which is logged in bits; others are logged as they are.
        languages: the names of the languages of the data, whose numbers are in ``bitext.langs``.
        pivot: the language that all pairs share and that the others are aligned to, where there is one.
        lexicons: the bilingual lexicons of the data, for an objective that needs them.
        mask: the id of ``<mask>``.
        seed: of the run; with the number of the update it keys what an objective draws itself.
        labelling: how the model labels word links itself, where this objective makes it do so; set by :meth:`prepare`.
            Checkpoints store it, and validation and the aligner do as it says.

    Example::

        @register_objective("length", dataclass=ObjectiveConfig)
        class Length(Objective):
            needs = ("bitext",)

            def forward(self, step):
                hidden = step.encoder.states(step.bitext.input()).layer(-1)
                return Loss(hidden.float().norm(), torch.tensor(len(hidden), device=hidden.device))
    """

    name: ClassVar[str]
    config_class: ClassVar[type[ObjectiveConfig]]
    paper: ClassVar[Paper | None] = None
    needs: Sequence[str] = ()
    stats: Sequence[str] = ()
    predicts_tokens: bool = False
    reads_output_layer: ClassVar[bool] = False
    freezes_encoder: ClassVar[bool] = False
    edits_parameters: ClassVar[bool] = False
    links_of_every_pair: ClassVar[bool] = False
    counts_ahead: bool = False
    of_parameters: ClassVar[str] = ""
    contrasts: ClassVar[bool] = False
    regularises: ClassVar[bool] = False
    in_nats: ClassVar[bool] = True
    languages: Sequence[str] = ()
    pivot: str | None = None
    lexicons: Sequence[Lexicon] = ()
    mask: int = -1
    seed: int = 1
    labelling: LabelOptions | None = None

    def __init__(self, cfg: Any):
        self.cfg = cfg

    def prepare(self, config: EncoderConfig) -> None:
        """Check the options against the encoder's sizes before any work; raise XalignError where they don't fit."""

    def check_run(self, updates: int, pairs: float) -> None:
        """Warn of what can't be learned in a run of so many updates with so many pairs each, told before the first."""

    def build_head(self, config: EncoderConfig) -> nn.Module | None:
        """The parameters and buffers that this objective trains besides the encoder."""
        return None

    def predicts(self, step: Step) -> Sequence[Prediction]:
        """What :meth:`forward` will ask the MLM head for; it finds them as ``step.predictions``.

        It is asked before any objective runs: the head then runs once for the predictions of all.
        """
        return ()

    @abstractmethod
    def forward(self, step: Step) -> Loss:
        """The loss of a batch, from the streams that the objective needs and by its own head."""

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The inputs whose states with gradient :meth:`forward` is going to ask for, each with its highest layer.

        They are run together with those of other objectives (:meth:`StepEncoder.expect`); what is neither named
        here nor predicted from is run by itself.
        """
        return ()

    def count(self, batch: Batch) -> int:
        """The number of predictions in a batch, read on the host before any pass; asked where ``counts_ahead``.

        It is :attr:`Loss.count`, which ``--loss-normalization per-objective`` adds up over the micro-batches of an
        update before the first one is run. An objective without it has the mean over micro-batches of equal weight.
        """
        raise NotImplementedError

    def step(self, encoder: StepEncoder, batch: Batch) -> Step | None:
        """What :meth:`forward` is handed for a batch; None if the batch lacks a stream that the objective reads.

        The encoder then expects what it reads and predicts.
        """
        needed = batch.only(self.needs)
        if needed is None:
            return None
        step = Step(encoder, needed, dict(encoder.heads.items()).get(self.name))
        step = replace(step, predictions=tuple(self.predicts(step)))
        encoder.expect(self.reads(step))
        encoder.expect_predictions(step.predictions)
        return step

    def pivot_side(self, bitext: Bitext) -> Tensor:
        """(B,) int64: which side of each pair, 0 or 1, is in the pivot language."""
        return bitext.side_in(self.pivot_number())

    def pivot_number(self) -> int:
        """The number of the pivot language in ``languages``, by which batches tell it."""
        return self.languages.index(self.required_pivot())

    def required_pivot(self) -> str:
        """The pivot language; XalignError where the pairs share none and none was chosen."""
        if self.pivot is None:
            raise XalignError(
                f"{self.name} aligns all languages to one, and the pairs of the data share none",
                parameter="pivot_lang",
                found=f"languages {', '.join(self.languages)}",
                expected="a language that every pair has",
                remedy="choose pairs with a common language by --lang-pairs",
            )
        return self.pivot


def labeller_among(objectives: Sequence[Objective]) -> Objective | None:
    """The objective that makes the model label word links itself, once it is prepared; None if none does."""
    return next((objective for objective in objectives if objective.labelling is not None), None)


def register_objective(name: str, dataclass: type[ObjectiveConfig]) -> Callable[[type[Objective]], type[Objective]]:
    """Register an objective; ``--criterion name`` and ``--objectives ...,name`` are there from then on.

    Args:
        name: lower-case words joined by ``_``; the prefix of its options.
        dataclass: its options, a :class:`ObjectiveConfig`.
    """

    def register(cls: type[Objective]) -> type[Objective]:
        if name in OBJECTIVES:
            raise XalignError("an objective of this name is registered already", found=name)
        unknown = set(cls.needs) - set(STREAMS)
        if unknown:
            raise XalignError("an objective needs an unknown stream", where=name, found=unknown, expected=STREAMS)
        cls.name, cls.config_class = name, dataclass
        cls.paper = cls.paper or PAPERS.get(name)
        OBJECTIVES[name] = cls
        for listener in LISTENERS:
            listener(name)
        return cls

    return register


def choice(value: str, choices: Sequence[str], option: str) -> str:
    """Return ``value`` if it is one of ``choices``; options from YAML pass no parser that would check them."""
    if value not in choices:
        raise XalignError("an option has an unknown value", where=option, found=value, expected=", ".join(choices))
    return value
