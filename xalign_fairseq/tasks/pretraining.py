"""The pre-training task: bitext and monolingual text from a data-bin for any objectives."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, List, Optional  # noqa: UP035

import numpy as np
from fairseq.dataclass import FairseqDataclass
from fairseq.tasks import register_task
from omegaconf import II, MISSING

from xalign_fairseq.core.counts import listed
from xalign_fairseq.core.devices import keep_freed_memory, training_device
from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.data.lexicon import require_same_lexicons
from xalign_fairseq.data.pretraining import PretrainingData, PretrainingDataOptions, Reader, option
from xalign_fairseq.data.shards import ShardPlace
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, trained_tokenizer
from xalign_fairseq.models.xalign import require_same
from xalign_fairseq.objectives.registry import Objective
from xalign_fairseq.tasks.base import FairseqStreams, XalignTask
from xalign_fairseq.tasks.embedding_updates import update_rows_alone
from xalign_fairseq.tasks.heads_start import HeadsStart
from xalign_fairseq.transport.linking import Linking

logger = logging.getLogger(__name__)
NO_SCORE, METRIC = "validation does not compute the score that chooses checkpoints", "best_checkpoint_metric"


@dataclass
class XalignPretrainingConfig(PretrainingDataOptions, FairseqDataclass):
    """Options of ``--task xalign_pretraining``."""

    data: str = option(MISSING, "data-bin folder; several, separated by colons, are shards, one per epoch")
    freeze_layers: Optional[int] = option(
        None,
        "freeze the embeddings and the first N layers (0: only the embeddings); saves their gradients and optimizer "
        "work",
    )
    freeze_encoder_updates: int = option(
        0,
        "train only the heads (the objectives' and the MLM head) for the first N updates, so that random heads do not "
        "harm a good encoder",
    )
    heads_lr: Optional[float] = option(
        None, "learning rate of the objectives' heads (default: --lr), with the same schedule"
    )
    embedding_updates: str = option(
        "dense",
        "token embeddings that an update changes: dense (all, as in Adam), lazy (those of its batch; faster on a CPU, "
        "but not equivalent: see Optimizer) or auto (lazy if possible and faster; the log says which). Only dense is "
        "possible with objectives whose gradient covers all embeddings: any that predicts tokens, reg_param and "
        "lexicon_align",
    )
    nonfinite_updates: int = option(
        3,
        "stop, with the last good checkpoint, after N consecutive updates with a non-finite gradient; earlier ones "
        "are skipped and logged with objective and batch (1: stop at the first, as fairseq does)",
    )
    debug: bool = option(False, "show tracebacks of input errors")
    seed: int = II("common.seed")
    fp16: bool = II("common.fp16")
    bf16: bool = II("common.bf16")
    memory_efficient_fp16: bool = II("common.memory_efficient_fp16")
    memory_efficient_bf16: bool = II("common.memory_efficient_bf16")
    cpu: bool = II("common.cpu")
    distributed_world_size: int = II("distributed_training.distributed_world_size")
    ddp_backend: str = II("distributed_training.ddp_backend")
    zero_sharding: str = II("distributed_training.zero_sharding")
    optimizer: Optional[str] = II("optimizer._name")
    train_subset: str = II("dataset.train_subset")
    valid_subset: str = II("dataset.valid_subset")
    best_checkpoint_metric: str = II("checkpoint.best_checkpoint_metric")
    update_freq: List[int] = II("optimization.update_freq")  # noqa: RUF009 UP006 as in fairseq
    max_update: int = II("optimization.max_update")
    lr: Any = II("optimization.lr")  # noqa: RUF009


@register_task("xalign_pretraining", dataclass=XalignPretrainingConfig)
class XalignPretrainingTask(XalignTask):
    """Streams for the objectives of a weighted criterion; :class:`FairseqStreams` defines batches."""

    cfg: XalignPretrainingConfig

    def __init__(self, cfg: XalignPretrainingConfig, from_checkpoint: bool = False):
        super().__init__(cfg, from_checkpoint)
        _require_whole_states(cfg)
        self.heads_start = HeadsStart(cfg)
        self.source = PretrainingData(cfg.data, cfg, cfg.seed)
        self.data, self.dictionary = self.source.data, self.source.dictionary
        self.reader = Reader(())
        self.epoch = 1
        self.models: list[Any] = []
        self.objectives: Sequence[Objective] = ()
        self.labelling: Linking | None = None
        self.first_tokenizer: dict[str, Any] = {}

    @property
    def has_master_weights(self) -> bool:
        """Whether the optimiser keeps a float32 copy that overwrites the parameters."""
        efficient = self.cfg.memory_efficient_fp16 or self.cfg.memory_efficient_bf16
        return (self.cfg.fp16 or self.cfg.bf16) and not efficient

    def build_model(self, cfg: object, from_checkpoint: bool = False) -> Any:
        """Build the encoder; heads are attached when the criterion is built."""
        model = super().build_model(cfg, from_checkpoint)
        # After the model, so that the memory of the weights is freed.
        keep_freed_memory(training_device(self.cfg.cpu))
        if self.cfg.freeze_layers is not None:
            model.freeze_layers(self.cfg.freeze_layers)
        model.frozen_updates = self.cfg.freeze_encoder_updates
        self.models.append(model)
        return model

    def build_criterion(self, cfg: object, from_checkpoint: bool = False) -> Any:
        """Build the criterion, find its required streams, and attach its heads to the model."""
        # fairseq-validate builds the criterion from the checkpoint's options, some of which may no longer exist.
        criterion = super().build_criterion(cfg, from_checkpoint or self.restoring)
        for model in self.models:
            criterion.attach_heads(model)
            update_rows_alone(model, self, criterion.with_all_embeddings)
        self.labelling, self.objectives = criterion.labelling, criterion.active
        self._require_trained(criterion)
        self.reader = criterion.reader(self.models)
        if not self.restoring:  # fairseq-validate reads no training data
            self.source.require(self.reader)
        return criterion

    def _require_trained(self, criterion: Any) -> None:
        """Refuse training without any trained parameter; warn of updates without any."""
        for model in self.models:
            if not any(parameter.requires_grad for parameter in model.parameters()):
                frozen = (Parameter("freeze_layers", self.cfg.freeze_layers),)
                raise XalignError("nothing is left to train: no objective has a head", where=frozen)
            learns = criterion.predicts_tokens or next(model.heads.parameters(), None) is not None
            if self.cfg.freeze_encoder_updates and not learns:
                logger.warning(
                    "the first %d updates train nothing: no objective has a head (%s)",
                    self.cfg.freeze_encoder_updates,
                    Parameter("freeze_encoder_updates"),
                )

    def load_dataset(self, split: str, combine: bool = False, **kwargs: Any) -> None:
        """Open a split in this epoch's shard."""
        if split == self.cfg.train_subset and split != "train":
            raise XalignError("training reads only the split train", parameter="train_subset", found=split)
        epoch = kwargs.get("epoch", 1)
        self.datasets[split] = self.source.dataset(FairseqStreams, split, self.reader, epoch)
        if split == "train":
            self.epoch = epoch
        elif split in listed(self.cfg.valid_subset) and not self.restoring:
            self._require_metric(split, self.datasets[split])

    def _require_metric(self, split: str, dataset: FairseqStreams) -> None:
        """Refuse to choose checkpoints by an unknown score, before the first update."""
        corpora = dataset.bitext.corpora if dataset.bitext is not None else []
        linked = [f"aer_{self.source.pair_names[each.number]}" for each in corpora if each.links is not None]
        here = {"bitext": dataset.bitext, "mono": dataset.mono, "links": linked, "lexicon": True}
        # By the class: an objective that starts with prepared links also has a loss without them.
        logged = [each for each in self.objectives if all(here[need] for need in type(each).traits.needs)]
        known = ["loss", *(f"{each.name}_{stat}" for each in logged for stat in ("loss", *each.traits.stats))]
        known = ["aer", *linked, *known] if linked else known
        expected = f"one of {', '.join(known)}{'' if linked else f'; no pair of {split} has links'}"
        check_values(NO_SCORE, (METRIC, metric := self.cfg.best_checkpoint_metric, metric in known, expected))

    def post_validate(self, model: object, stats: Mapping[str, Any], agg: object) -> None:
        """Called by fairseq with a validation's logs; stores the score that chooses checkpoints."""
        metric, known = self.cfg.best_checkpoint_metric, sorted(name for name in stats if not name.startswith("_"))
        check_values(NO_SCORE, (METRIC, metric, metric in stats, f"one of {', '.join(known)}"))

    def get_batch_iterator(self, dataset: Any, **kwargs: Any) -> Any:
        """fairseq's iterator. When training starts, objectives check its number of updates and pairs."""
        training = isinstance(dataset, FairseqStreams) and dataset.training
        made = super().get_batch_iterator(dataset, **kwargs)
        if training and kwargs.get("epoch", 1) == 1 and self.objectives and self.cfg.max_update:
            batches = kwargs.get("num_shards", 1) * int((self.cfg.update_freq or [1])[0])
            pairs = batches * pairs_of_a_batch(dataset, made.frozen_batches)
            for objective in self.objectives:
                objective.check_run(self.cfg.max_update, pairs)
        return made

    def train_step(
        self,
        sample: object,
        model: object,
        criterion: Any,
        optimizer: object,
        update_num: int,
        ignore_grad: bool = False,
    ) -> Any:
        """fairseq's step for one micro-batch; ``ignore_grad``: the batch replaces a missing one."""
        criterion.update.ignored = ignore_grad
        made = super().train_step(sample, model, criterion, optimizer, update_num, ignore_grad)
        self.heads_start.hold(self.models[-1], update_num)  # before the gradient's norm is clipped
        return made

    def optimizer_step(self, optimizer: Any, model: object, update_num: int) -> None:
        """fairseq's step, with a separate learning rate for heads; at first, only heads change."""
        with self.heads_start.step(self.models[-1], update_num):
            optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """A checkpoint's state besides the weights.

        It has the tokenizer, the labelling method, the first encoder's family and trimming, the lexicons, this epoch's
        folder and how often each folder was read.
        """
        state: dict[str, Any] = {**self.lasting, "tokenizer": trained_tokenizer(self.first_tokenizer, self.data)}
        if "lexicon" in self.reader.needs:
            state["lexicons"] = [each.state() for each in self.source.lexicons]
        if self.labelling is not None:
            state["labelling"] = self.labelling.state()
        state["shard"] = self.source.shards.place(self.epoch)
        # The languages with an embedding, in row order, from the model's option.
        if languages := next((model.encoder.config.language_embeddings for model in self.models), ""):
            state["language_embeddings"] = languages
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Refuse a checkpoint of another tokenizer, choice of lexicon entries or order of language embeddings."""
        self.first_tokenizer = state_dict.get("tokenizer", {})
        require_same_tokenizer(self.first_tokenizer, self.data)
        self.lasting |= checkpoint.lasting(state_dict)
        if "shard" in state_dict:
            self.source.shards.go_on(**require_form(state_dict["shard"], ShardPlace, "the checkpoint's shard"))
        if "lexicon" in self.reader.needs:
            require_same_lexicons(self.source.lexicons, state_dict.get("lexicons"), self.data.path)
        if self.models and (languages := state_dict.get("language_embeddings")):
            # fairseq-validate builds the model later, by the checkpoint's own options
            require_same("language_embeddings", languages, self.models[0].encoder.config)


def pairs_of_a_batch(dataset: FairseqStreams, batches: Sequence[np.ndarray]) -> float:
    """The average number of pairs of a batch of an epoch."""
    indices = np.concatenate([np.zeros(0, dtype=np.int64), *batches])
    return float((indices % len(dataset) < dataset.pairs).sum()) / max(1, len(batches))


def _require_whole_states(cfg: XalignPretrainingConfig) -> None:
    """Refuse configurations that fairscale would shard wrongly, before fairseq imports fairscale."""
    if cfg.ddp_backend == "fully_sharded":
        found, why = (Parameter("ddp_backend", "fully_sharded"), "it wraps the model before heads join it")
    elif cfg.zero_sharding == "os" and cfg.optimizer == "xalign_adamw":
        found, why = Parameter("zero_sharding", "os"), "xalign_adamw needs all parameters to clip gradients"
    else:
        return
    problem = f"the model's or the optimizer's state can't be sharded: {why}"
    memory = map(Parameter, ("checkpoint_activations", "memory_efficient_bf16", "freeze_layers"))
    raise XalignError(problem, where=(found,), remedy=("for less memory:", *memory))
