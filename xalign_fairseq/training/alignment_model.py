"""An encoder and its objectives as one module from batch to loss."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.pretraining import PretrainingData, Reader
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.bodies.families import warn_of_dropout
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, trained_tokenizer
from xalign_fairseq.objectives.gathering import all_sum, worker
from xalign_fairseq.objectives.registry import Loss, Objective
from xalign_fairseq.training.headed import HeadedEncoder
from xalign_fairseq.training.weighted_sum import WeightedSum

# The only kind of activation checkpointing, in transformers' terms.
CHECKPOINTING = {"use_reentrant": False, "every_n_layers": 1, "offload": False}


@dataclass
class AlignmentLoss:
    """The model's output for a batch.

    Attributes:
        loss: the scalar for ``backward()``.
        total: the weighted sum of losses, in nats, with gradient.
        count: the number of predictions, the divisor of ``loss``; 1 with ``per-objective`` normalisation.
        losses: the loss of each objective by name.
    """

    loss: Tensor
    total: Tensor
    count: Tensor
    losses: dict[str, Loss]

    def means(self) -> dict[str, float]:
        """Each objective's loss in nats per prediction, for objectives with predictions in this batch."""
        return {
            name: float(each.total.detach()) / float(each.count)
            for name, each in self.losses.items()
            if float(each.count)
        }


class AlignmentModel(HeadedEncoder):
    """L = sum_k w_k L_k over objectives, the loss of ``fairseq-train``, for your own training loop.

    The module has the encoder as ``encoder`` and the objectives' parameters as ``heads``, under the names of fairseq's
    checkpoints.

    Args:
        encoder: an :class:`~xalign_fairseq.encoder.transformer.Encoder`, or a module with the parts that the objectives
            use: ``config`` (an ``EncoderConfig``), ``device``, ``sentence_encoder`` with layers that run one by one
            (``states(...).layer(k)``), and ``lm_head`` with ``features``, ``weight`` and ``bias``.
        objectives: such as ``[MLM(), TLM(), DWA(weight=0.5)]``.
        data: the training data, needed by objectives with languages, a pivot or lexicons.
        loss_normalization: ``joint`` divides the sum of all losses by the number of all predictions, as XLM-Align's
            released code does; ``per-objective`` divides each loss by its own number, as in the paper's equation.
        heads: head tensors by name, ``heads.dwa...``, from a checkpoint to continue from.

    Raises:
        XalignError: an option or the data do not fit the encoder, or the objectives cannot be combined.

    Example::

        >>> from xalign_fairseq.encoder.config import EncoderConfig
        >>> from xalign_fairseq.objectives import DWA, TLM
        >>> config = EncoderConfig(vocab_size=100, encoder_layers=2, encoder_embed_dim=8, encoder_attention_heads=2)
        >>> model = AlignmentModel(Encoder(config), [TLM(), DWA()])  # model(batch).loss is the weighted sum
        >>> model.weighted.labelling.layer
        2
    """

    def __init__(
        self,
        encoder: Encoder,
        objectives: Iterable[Objective],
        data: PretrainingData | None = None,
        *,
        loss_normalization: str = "joint",
        heads: Mapping[str, Tensor] | None = None,
    ):
        super().__init__(encoder)
        if data is not None:
            ids, rows = data.dictionary.embedding_size, encoder.config.vocab_size
            check_values("the encoder has other ids than the data", ("vocab_size", rows, rows == ids, str(ids)))
        self._waiting = dict(heads or {})
        self.data = data
        self.weighted = WeightedSum(objectives, loss_normalization, data)
        self.weighted.attach_heads(self)
        self.kept: dict[str, Any] = {}
        self._started_from = ""
        self._left = 0
        self._count: Tensor | None = None

    @classmethod
    def from_pretrained(
        cls,
        path: StrPath,
        objectives: Iterable[Objective],
        data: PretrainingData | None = None,
        *,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        loss_normalization: str = "joint",
    ) -> "AlignmentModel":
        """Load a checkpoint of this package or of fairseq, a Hugging Face folder or name, or e5-small.

        The checkpoint's heads are used for objectives of the same names. As in ``fairseq-train``, dropout rates come
        from the arguments, not from the checkpoint.

        Raises:
            XalignError: the model can't be read, or the data have another tokenizer.
        """
        state, where = read_pretrained(path)
        found, others = checkpoint.load_encoder(state, where)
        config = replace(
            found.config, dropout=dropout, attention_dropout=attention_dropout, activation_dropout=activation_dropout
        )
        warn_of_dropout(config)
        encoder = Encoder(config)  # a copy: the tensors may be mapped from the file
        encoder.load_state_dict(found.state_dict())
        task_state = state.get("task_state") or {}
        if data is not None:
            require_same_tokenizer(task_state.get("tokenizer") or {}, data.data, config.vocab_size)
        heads = {name: value for name, value in others.items() if name.startswith("heads.")}
        model = cls(encoder, objectives, data, loss_normalization=loss_normalization, heads=heads)
        model.kept = {"tokenizer": task_state["tokenizer"]} if "tokenizer" in task_state else {}
        model.kept |= checkpoint.lasting(task_state)
        model._started_from = Path(path).name
        return model.train()

    @property
    def reader(self) -> Reader:
        """The data that the objectives and the encoder read."""
        return self.weighted.reader([self])

    def begin_update(self, batches: Sequence[Mapping[str, Any]]) -> None:
        """Announce the batches of an update with accumulated gradients; a single batch needs no announcement.

        Their losses then add up to the loss of one large batch. ``joint`` normalisation needs objectives that count
        ahead. For other objectives use ``total.backward()``, and divide the gradient by the sum of ``count`` over all
        workers.

        Raises:
            XalignError: ``joint`` normalisation over several batches, and an objective that does not count ahead.
        """
        self._left, self._count = len(batches), None
        samples = [{} if batch.get("ignored") else batch for batch in batches]
        if not self.weighted.joint:
            self.weighted.update.begin(samples, self.encoder.device)
        elif len(batches) > 1:
            late = [objective.name for objective in self.weighted.active if not objective.traits.counts_ahead]
            if late:
                raise XalignError(
                    "an update's number of predictions is known only after all its batches",
                    where='loss_normalization="joint" with accumulated gradients',
                    found=f"{', '.join(late)}, whose counts depend on the model's labels",
                    remedy='loss_normalization="per-objective", larger batches, or call backward on the total yourself',
                )
            self.weighted.update.begin(samples, self.encoder.device)
            self._count = self.weighted.update.predictions.sum()

    def forward(self, batch: Mapping[str, Any]) -> AlignmentLoss:
        """The :class:`AlignmentLoss` of a batch from :class:`~xalign_fairseq.training.batches.Batches`.

        In training, a call without :meth:`begin_update` is a separate update. An error, such as out of memory, ends the
        announced update. With several processes, the mean of their gradients (``DistributedDataParallel``) is the
        gradient of all batches as one.
        """
        if not self.training:
            return self._loss(batch)
        if not self._left:
            self.begin_update([batch])
        left, self._left = self._left - 1, 0
        result = self._loss(batch)
        self._left = left
        if not left:
            self.num_updates += 1
        return result

    def _loss(self, batch: Mapping[str, Any]) -> AlignmentLoss:
        ignored = bool(batch.get("ignored"))
        self.weighted.update.ignored = ignored
        typed = self.weighted.batch(to_device(batch, self.encoder.device))
        losses = self.run(lambda encoder: self.weighted.losses(encoder, typed))
        total, count = self.weighted.total(losses, self.training)
        count = torch.as_tensor(count, device=total.device)
        if ignored:
            total, count = total * 0, count * 0
        return AlignmentLoss(total / self._divisor(count), total, count, losses)

    def _divisor(self, count: Tensor) -> Any:
        """The divisor of a batch's loss, such that losses add up over batches and average over workers."""
        if not self.training:
            return count.clamp(min=1)
        if not self.weighted.joint:
            # UpdateCounts has divided by the whole update's counts, and multiplied by the number of its micro-batches.
            return self.weighted.update.size.clamp(min=1) / worker()[1]
        whole = all_sum(count) if self._count is None else self._count
        return whole.clamp(min=1) / worker()[1]

    def activation_checkpointing_enable(self, **how: Any) -> None:
        """Recompute each layer from its input in the backward pass; ``how`` may only repeat :data:`CHECKPOINTING`."""
        asked: dict[str, Any] = {}
        for name, value in how.items():
            asked |= (value or {}) if name.endswith("_kwargs") else {name: value}
        layers: list[Any] = list(self.encoder.sentence_encoder.layers)
        fits = all(hasattr(layer, "checkpoint_activations") for layer in layers)
        if not fits or any(name not in CHECKPOINTING or CHECKPOINTING[name] != asked[name] for name in asked):
            raise XalignError(
                "activation checkpointing is not supported here",
                where="activation_checkpointing_enable",
                found=asked if fits else type(layers[0]).__name__,
                expected=f"every layer of this package's encoders, by {CHECKPOINTING}",
            )
        for layer in layers:
            layer.checkpoint_activations = True

    gradient_checkpointing_enable = activation_checkpointing_enable  # its name in earlier releases of transformers

    def get_extra_state(self) -> Tensor:
        """The number of updates, from which a resumed run continues."""
        return torch.tensor(self.num_updates)

    def set_extra_state(self, state: Tensor) -> None:
        """Continue from a number of updates."""
        self.num_updates = int(state)

    def checkpoint(self) -> dict[str, Any]:
        """The content of a checkpoint: weights, heads, sizes, tokenizer, labelling, and a record for the model card."""
        task_state = dict(self.kept)
        if self.data is not None:
            task_state["tokenizer"] = trained_tokenizer(task_state.get("tokenizer", {}), self.data.data)
        if self.weighted.labelling is not None:
            task_state["labelling"] = self.weighted.labelling.state()
        if self.encoder.config.languages:
            task_state["language_embeddings"] = self.encoder.config.language_embeddings
        model = {name: value for name, value in self.state_dict().items() if isinstance(value, Tensor)}
        model.pop("_extra_state")
        cfg = {"model": self.encoder.config.as_options()}
        started = {"started from": self._started_from} if self._started_from else {}
        objectives = {objective.name: objective.weight for objective in self.weighted.objectives}
        record = {**started, "objectives": objectives, "updates": self.num_updates}
        return {"cfg": cfg, RECORD: record, "model": model, "task_state": task_state}

    def save_pretrained(self, out: StrPath, overwrite: bool = False) -> None:
        """Write the model for every command of this package, for ``fairseq-train`` and for Hugging Face's libraries.

        Args:
            out: a checkpoint, if it ends in ``.pt``; otherwise a folder that ``AutoModel.from_pretrained`` loads, with
                the heads next to the model. :meth:`from_pretrained` and ``--init-checkpoint`` read both.
            overwrite: replace an existing model when the new one is complete.

        Raises:
            XalignError: ``out`` exists, or no Hugging Face model fits the encoder.
        """
        with new_model(Path(out), overwrite) as save:
            save(self.checkpoint(), Path(out))


def to_device(value: object, device: torch.device) -> Any:
    """A batch, or a part of one, with its tensors on a device; host values stay on the host."""
    if isinstance(value, Tensor):
        return value.to(device, non_blocking=True)
    return {key: to_device(each, device) for key, each in value.items()} if isinstance(value, Mapping) else value
