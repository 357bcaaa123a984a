"""Test beds for objectives and criterions: a small model with their heads, a task, and fairseq's trainer."""

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import torch

import xalign_fairseq
from support.small import CONFIG, MASK

xalign_fairseq.register()

from fairseq import options  # noqa: E402
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq.trainer import Trainer  # noqa: E402

from xalign_fairseq.data.lexicon import Lexicon  # noqa: E402
from xalign_fairseq.encoder.passes import StepEncoder  # noqa: E402
from xalign_fairseq.encoder.transformer import Encoder  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel  # noqa: E402
from xalign_fairseq.objectives.registry import OBJECTIVES, RunContext  # noqa: E402
from xalign_fairseq.tasks.heads_start import HeadsStart  # noqa: E402
from xalign_fairseq.tasks.pretraining import XalignPretrainingConfig, XalignPretrainingTask  # noqa: E402

# The objectives of the package: other tests of the process may have registered theirs.
OWN = sorted(name for name, each in OBJECTIVES.items() if each.__module__.startswith("xalign_fairseq."))
# Entries of one and of several subwords, one of them held out.
LEXICON = Lexicon("aa", "bb", [5, 6, 7, 8, 9], [1, 1, 2, 1], [40, 41, 42, 43, 44, 45], [1, 2, 1, 2], [0, 0, 0, 1])


@dataclass
class Task:
    """The task's attributes that a criterion needs; every pair has the first language."""

    languages: Sequence[str] = ("aa", "bb")
    pivot: str | None = "aa"
    lexicons: Sequence[Lexicon] = ()
    has_master_weights: bool = False
    mask: int = MASK.mask
    seed: int = 1

    @property
    def source(self):
        return self

    @property
    def all_languages(self):
        return self.languages

    @property
    def pair_names(self):
        return [f"{self.languages[0]}-{other}" for other in self.languages[1:]]


def build_criterion(name, task=None, **options):
    """The criterion of a name, with these options."""
    chosen = CRITERION_DATACLASS_REGISTRY[name]()
    for option, value in options.items():
        setattr(chosen, option, value)
    return CRITERION_REGISTRY[name].build_criterion(chosen, task or Task())


def build_model(criterion, dtype=torch.float64, config=CONFIG):
    """A small model with the heads of a criterion's objectives."""
    torch.manual_seed(0)
    model = XalignModel(config).to(dtype)
    criterion.attach_heads(model)
    return model


def bound(objective, config=CONFIG, task=None):
    """An objective with its encoder and task."""
    task = task or Task()
    objective.bind(RunContext(config, task.languages, task.pivot, task.lexicons, task.mask, task.seed))
    return objective


class Trial:
    """An objective, ready to run on batches with its own encoder.

    options: of the objective.
    """

    task = Task()

    def __init__(self, cls, config=CONFIG, dtype=torch.float64, task=None, **options):
        torch.manual_seed(0)
        self.objective = bound(cls(**options), config, task or self.task)
        self.encoder = Encoder(config).to(dtype)
        # At N(0, 0.02) all words are nearly equal.
        for parameter in self.encoder.parameters():
            parameter.data.mul_(8 if parameter.dim() > 1 else 1)
        head = self.objective.build_head()
        self.heads = torch.nn.ModuleDict({} if head is None else {cls.name: head.to(dtype)})

    @property
    def head(self):
        """The objective's own head."""
        return self.heads[self.objective.name]

    @property
    def parameters(self):
        """Names and parameters that the objective can train."""
        named = [*self.encoder.sentence_encoder.named_parameters(), *self.heads.named_parameters()]
        return {name: parameter for name, parameter in named if parameter.requires_grad}

    def passes(self, training=True, update=5):
        """The encoder of one update."""
        return StepEncoder(self.encoder, self.heads, training, update)

    def loss(self, given, training=True, update=5, passes=None):
        """The loss of a batch; ``passes`` replace the encoder's."""
        return self.objective.forward(self.objective.step(passes or self.passes(training, update), given))

    def gradient(self, given):
        """The loss of a batch, and the gradient of its total by parameter."""
        loss = self.loss(given)
        parameters = self.parameters
        found = torch.autograd.grad(loss.total, list(parameters.values()), allow_unused=True)
        return loss, dict(zip(parameters, found, strict=True))


def plain_lm_loss(trial, sequences):
    """-sum log p(x_i | masked), sequence by sequence without padding; the number of predictions and of correct ones.

    sequences: the masked input and the targets of its positions, 1 where nothing is predicted.
    """
    total, count, correct = 0.0, 0, 0
    for masked, targets in sequences:
        hidden = trial.encoder.states(masked).layer(-1)[0]
        for place, target in enumerate(targets):
            if target != 1:
                logp = trial.encoder.lm_head(hidden[place, None])[0].log_softmax(0)
                total, count = total - logp[target].item(), count + 1
                correct += int(logp.argmax()) == target
    return total, count, correct


TASK = Task(lexicons=[LEXICON])
BACKENDS = ("pytorch_ddp", "legacy_ddp")


class TrainedTask(Task, XalignPretrainingTask):
    """The task's steps, without data."""

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


@functools.cache
def configuration(backend, rank, count, *extra):
    """fairseq's configuration of a worker, which takes half a second to make."""
    line = ["nowhere", "--task", "xalign_pretraining", "--criterion", "weighted", "--arch", "xalign_tiny"]
    line += ["--optimizer", "adam", "--lr", "0.001", "--lr-scheduler", "fixed", "--cpu", "--ddp-backend", backend]
    line += ["--distributed-world-size", str(count), "--distributed-backend", "gloo", "--distributed-rank", str(rank)]
    return convert_namespace_to_omegaconf(
        options.parse_args_and_arch(options.get_training_parser(), [*line, *map(str, extra)])
    )


def make_trainer(backend, rank, count, normalization, chosen, extra=(), config=CONFIG, **given):
    """The trainer of worker ``rank`` of ``count``.

    normalization: of the weighted criterion; None for the preset in ``chosen``.
    chosen: options of the criterion, or a preset's name.
    extra: options of fairseq-train.
    config: for the encoder.
    given: attributes of the task.
    """
    cfg = copy.deepcopy(configuration(backend, rank, count, *extra))
    task = TrainedTask(**given)
    if isinstance(chosen, str):
        criterion = build_criterion(chosen, task)
    else:
        criterion = build_criterion("weighted", task, loss_normalization=normalization, **chosen)
    task.heads_start, task.models = (
        HeadsStart(XalignPretrainingConfig()),
        [build_model(criterion, torch.float32, config)],
    )
    trainer = Trainer(cfg, task, task.models[-1], criterion)
    trainer.lr_step_begin_epoch(1)
    return trainer
