"""transformers' Trainer for any sum of objectives; only this file needs transformers and accelerate."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor
from transformers import Trainer, TrainingArguments

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.files import StrPath, scratch_folder
from xalign_fairseq.objectives.gathering import all_sum
from xalign_fairseq.objectives.registry import Loss
from xalign_fairseq.training.alignment_model import AlignmentLoss, AlignmentModel
from xalign_fairseq.training.batches import Batches

WEIGHTS, PLACE = "alignment_model.pt", "batches.pt"


class AlignmentTrainer(Trainer):
    """``Trainer`` of an :class:`~xalign_fairseq.training.alignment_model.AlignmentModel` on its batches.

    Losses are normalised as in ``fairseq-train``, also with accumulated gradients and several processes.
    ``batches`` limits the size of a batch, not ``per_device_train_batch_size``. The number of updates is ``max_steps``,
    because batches have no end. A checkpoint has weights, heads and the place in the data, so a resumed run has the
    batches of an uninterrupted one. ``save_model`` calls
    :meth:`~xalign_fairseq.training.alignment_model.AlignmentModel.save_pretrained`.

    Args:
        model: with its objectives.
        args: transformers' ``TrainingArguments``.
        train_batches: to train on.
        eval_batches: a split to validate on.
        keywords: other arguments of ``Trainer``, such as ``optimizers`` and ``callbacks``.

    Raises:
        XalignError: transformers is older than 5.19 (its ``Trainer`` divides accumulated gradients twice), or label
            smoothing.

    Example::

        args = TrainingArguments("out", max_steps=1000, learning_rate=5e-5)
        trainer = AlignmentTrainer(model, args, Batches(data, model.reader, max_tokens=4096))
        trainer.train()
        trainer.save_model("aligned")
    """

    def __init__(
        self,
        model: AlignmentModel,
        args: TrainingArguments,
        train_batches: Batches,
        eval_batches: Batches | Mapping[str, Batches] | None = None,
        **keywords: Any,
    ):
        if not hasattr(Trainer, "loss_is_scaled_for_ga"):
            raise XalignError(
                "this version of transformers' Trainer divides accumulated gradients twice",
                where="AlignmentTrainer",
                found=f"transformers {transformers.__version__}",
                expected="5.19 or later",
                remedy='pip install "transformers>=5.19"',
            )
        smoothing = args.label_smoothing_factor
        check_values("label smoothing is not supported", ("label_smoothing_factor", smoothing, not smoothing, "0"))
        args.ignore_data_skip = True  # the batches store their place
        super().__init__(model, args, train_dataset=train_batches, eval_dataset=eval_batches, **keywords)
        self.alignment, self.train_batches, self.eval_batches = model, train_batches, eval_batches
        self.loss_is_scaled_for_ga = True
        self._sums: dict[str, Tensor] = {}  # total and count of each objective's loss since the last log line

    def get_train_dataloader(self) -> Any:
        """The batches, which are already prefetched and shared among processes."""
        return self.train_batches

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> tuple[list[Any], None]:
        """The batches of an update, announced to the model before the first one runs; none after the last."""
        if self.state.global_step >= self.state.max_steps:  # a finished run, which Trainer recognises only by epochs
            self.control.should_training_stop = True
            return [], None
        batches, _ = super().get_batch_samples(epoch_iterator, num_batches, device)
        if batches:
            self.alignment.begin_update(batches)
        return batches, None

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The loss of the sum of objectives; its parts are the outputs."""
        made = model(inputs)
        if model.training:
            _add(self._sums, made.losses, not inputs.get("ignored"))
        return (made.loss, made) if return_outputs else made.loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """In addition to the summed loss, each objective's mean over its predictions since the last line, in nats."""
        if "loss" in logs:
            logs = logs | _means(self._sums)
            self._sums = {}
        super().log(logs, start_time)

    def evaluate(self, eval_dataset: Any = None, ignore_keys: Any = None, metric_key_prefix: str = "eval") -> Any:
        """The total loss and each objective's loss, over the validation batches of all processes."""
        batches = self.eval_batches if eval_dataset is None else eval_dataset
        if isinstance(batches, Mapping):  # several sets by name, as in Trainer
            found: dict[str, float] = {}
            for name, each in batches.items():
                found |= self.evaluate(each, ignore_keys, f"{metric_key_prefix}_{name}")
            return found
        self.alignment.eval()
        sums: dict[str, Tensor] = {}
        with torch.no_grad():
            for batch in batches or ():
                made = self.alignment(batch)
                _add(sums, {"": made, **made.losses}, not batch.get("ignored"))
        found = {f"{metric_key_prefix}_{name}": mean for name, mean in _means(sums).items()}
        self.log(found)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        """Save a training checkpoint, or the exported model if a user calls this; other files in the folder stay."""
        folder = Path(output_dir or self.args.output_dir or ".")
        if self.args.should_save and _internal_call:
            folder.mkdir(parents=True, exist_ok=True)
            torch.save(self.alignment.state_dict(), folder / WEIGHTS)
            torch.save(self.train_batches.state_dict(), folder / PLACE)
        elif self.args.should_save and folder.is_dir():
            # The default is the arguments' folder, which may have checkpoints.
            with scratch_folder(folder / WEIGHTS) as inside:
                made = inside / folder.resolve().name
                self.alignment.save_pretrained(made)
                for path in made.iterdir():
                    os.replace(path, folder / path.name)
        elif self.args.should_save:
            self.alignment.save_pretrained(folder, overwrite=True)

    def _load_from_checkpoint(self, resume_from_checkpoint: StrPath, model: object = None) -> None:
        folder = Path(resume_from_checkpoint)
        self.alignment.load_state_dict(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
        self.train_batches.load_state_dict(torch.load(folder / PLACE, weights_only=True))

    def _load_best_model(self) -> None:
        folder = Path(str(self.state.best_model_checkpoint))
        self.alignment.load_state_dict(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))


def _add(sums: dict[str, Tensor], losses: Mapping[str, Loss | AlignmentLoss], counts: bool) -> None:
    """Add each loss's total and count for a batch, unless the batch is only a replacement."""
    for name, each in losses.items():
        new = torch.stack([each.total.detach().double(), each.count.double()]) * counts
        sums[name] = sums.get(name, torch.zeros_like(new)) + new


def _means(sums: Mapping[str, Tensor]) -> dict[str, float]:
    """The mean of each loss over the predictions of all processes, for objectives with predictions."""
    both = {name: all_sum(each).tolist() for name, each in sums.items()}
    return {f"{name}_loss".lstrip("_"): total / count for name, (total, count) in both.items() if count}
