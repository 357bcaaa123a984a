"""What objectives and criterions are tried on: a small encoder, perturbed samples, a task for criterions to ask."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

import xalign_fairseq

xalign_fairseq.register()

from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY  # noqa: E402

from xalign_fairseq.data.batches import Batch, collate  # noqa: E402
from xalign_fairseq.data.lexicon import Lexicon  # noqa: E402
from xalign_fairseq.data.masking import MaskOptions  # noqa: E402
from xalign_fairseq.data.samples import block_sample, pair_sample  # noqa: E402
from xalign_fairseq.data.streams import Pair  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.model import XalignModel  # noqa: E402
from xalign_fairseq.encoder.passes import StepEncoder  # noqa: E402
from xalign_fairseq.encoder.transformer import Encoder  # noqa: E402

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=8, encoder_ffn_embed_dim=16, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.3)


@dataclass
class Task:
    """What a criterion asks of its task; every pair has the first language."""

    languages: Sequence[str] = ("aa", "bb")
    pivot: str | None = "aa"
    lexicons: Sequence[Lexicon] = ()
    has_master_weights: bool = False
    seed: int = 1

    @property
    def all_languages(self):
        return self.languages

    @property
    def pair_names(self):
        return [f"{self.languages[0]}-{other}" for other in self.languages[1:]]


def pair(src, tgt, links=None, *, words=None, langs=(0, 1), mask=MASK, seed=0):
    """The sample of a sentence pair.

    src, tgt: ids of the tokens, or how many are to be drawn.
    links: (i, j) or (i, j, sure) of words; None for a pair without prepared links.
    words: the word of each token, of both sides; else every token is a word.
    """
    sides = src, tgt
    sizes = [side if isinstance(side, int) else len(side) for side in sides]
    rng = np.random.default_rng((seed, *sizes))
    ids = [rng.integers(4, 58, side) if isinstance(side, int) else np.array(side, dtype=np.int64) for side in sides]
    made = Pair(0, *ids, langs=langs)
    if links is not None:
        made.src_words, made.tgt_words = map(np.asarray, words or [np.arange(size) for size in sizes])
        made.links = np.array([(*link, 1)[:3] for link in links], dtype=np.int64).reshape(-1, 3)
    return pair_sample(made, rng, mask)


def block(seed=0, length=11, mask=MASK):
    """The sample of a block of monolingual text."""
    rng = np.random.default_rng(seed)
    return block_sample(rng.integers(4, 58, length), rng, mask)


def typed(pairs, blocks=()):
    """The batch of these samples as objectives read it."""
    return Batch.from_sample(collate(pairs, blocks))


def diagonal(n, m):
    """Links of the first word with the first, the second with the second, and so on."""
    return [(k, k) for k in range(min(n, m))]


def build_criterion(name, task=None, **options):
    """The criterion of a name, with these options."""
    chosen = CRITERION_DATACLASS_REGISTRY[name]()
    for option, value in options.items():
        setattr(chosen, option, value)
    return CRITERION_REGISTRY[name].build_criterion(chosen, task or Task())


def build_model(criterion, dtype=torch.float64):
    """A small model with the heads of a criterion's objectives."""
    torch.manual_seed(0)
    model = XalignModel(CONFIG).to(dtype)
    criterion.attach_heads(model)
    return model


class Trial:
    """An objective, ready to be run on batches with an encoder of its own.

    options: the objective's, by their names in its config.
    """

    task = Task()

    def __init__(self, cls, config=CONFIG, dtype=torch.float64, task=None, **options):
        torch.manual_seed(0)
        task = task or self.task
        self.objective = cls(cls.config_class(**options))
        self.objective.languages, self.objective.pivot = task.languages, task.pivot
        self.objective.lexicons, self.objective.seed = task.lexicons, task.seed
        self.objective.prepare(config)
        self.encoder = Encoder(config).to(dtype)
        # At N(0, 0.02) all words look nearly alike.
        for parameter in self.encoder.parameters():
            parameter.data.mul_(8 if parameter.dim() > 1 else 1)
        head = self.objective.build_head(config)
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
        """The loss of a batch; ``passes`` stand for the encoder's."""
        return self.objective.forward(self.objective.step(passes or self.passes(training, update), given))

    def gradient(self, given):
        """The loss of a batch, and the gradient of its total by parameter."""
        loss = self.loss(given)
        parameters = self.parameters
        found = torch.autograd.grad(loss.total, list(parameters.values()), allow_unused=True)
        return loss, dict(zip(parameters, found, strict=True))
