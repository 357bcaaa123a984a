"""The trainings that benchmark_training.py measures.

All start from the same weights (drawn by the package's encoder, without dropout) and read the same batches. Each uses
its recommended optimizer. fairseq's encoder is trained by fairseq's trainer with its adam, the
package's by the package's trainer with xalign_adamw; transformers' by the calls of its Trainer's step (float32
weights, autocast, clipping, torch's fused AdamW), without the Trainer, which needs another package.
"""

import contextlib
from types import SimpleNamespace
from typing import Any

import torch
from training_batches import (
    Sample,
    Setting,
    contents,
    count_tokens,
    first_batches,
    for_masked_lm,
    for_transformers,
    read_options,
)

from xalign_fairseq.encoder.pretrained.exporting import to_hugging_face
from xalign_fairseq.encoder.pretrained.huggingface.families import SIZES, XLM_R
from xalign_fairseq.trainer.compat.patching import swapped

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
SPREAD = 5  # times the usual weights, with which a loss hardly depends on attention


class Ours:
    """The package's encoder and criterion, by the package's trainer."""

    objectives = "mlm,tlm,dwa"
    recommended = "xalign_adamw"
    options: tuple[str, ...] = ()
    warm_up = 1  # rounds
    keeps_memory = True  # set by the package's task; the others are measured unchanged

    def __init__(self, setting: Setting, rank: int = 0):
        from fairseq import tasks

        from xalign_fairseq.tasks import pretraining

        self.setting = setting
        self.cfg = read_options(setting, self.objectives, self.recommended, *self.options)
        self.task = tasks.setup_task(self.cfg.task)
        torch.manual_seed(setting.seed)
        nothing = swapped(pretraining, "keep_freed_memory", lambda device: False)
        keeps = self.keeps_memory if setting.memory == "own" else setting.memory == "kept"
        with contextlib.nullcontext() if keeps else nothing:
            self.model = self.task.build_model(self.cfg.model)
        self.criterion = self.task.build_criterion(self.cfg.criterion)
        with torch.no_grad():
            for weight in self.model.encoder.parameters():
                if weight.dim() > 1:
                    weight.mul_(SPREAD)
        self.samples = first_batches(self.task, setting, rank)
        self.contents = contents(self.samples)
        self.tokens = count_tokens(self.samples)
        self.trainer: Any = None

    def first_loss(self) -> float:
        """The mean loss in nats of the first batch's predictions, before any update, in float32."""
        self.model.to(self.setting.device).train()
        with torch.no_grad():
            return self._loss(_to(self.samples[0], self.setting.device))

    def _loss(self, sample: Sample) -> float:
        total, count, _ = self.criterion(self.model, sample)
        return float(total) / int(count)

    def prepare(self) -> None:
        """Convert model and batches to the setting's dtype and format."""
        self.trainer = self._trainer(self.task, self.model, self.criterion)

    def _trainer(self, task: Any, model: Any, criterion: Any) -> Any:
        trainer = self._trainer_class()(self.cfg, task, model, criterion)
        trainer.begin_epoch(1)
        return trainer

    def _trainer_class(self) -> Any:
        from xalign_fairseq.trainer.trainer import XalignTrainer

        return XalignTrainer

    def step(self, sample: Sample) -> None:
        """Do one update."""
        self.trainer.train_step([sample])


class MaskedAndTranslation(Ours):
    """The same with MLM and TLM alone."""

    objectives = "mlm,tlm"


class Compiled(MaskedAndTranslation):
    """The same with torch.compile."""

    options = ("--compile",)


class Graphs(MaskedAndTranslation):
    """The same as CUDA graphs, except for the first loss, in float32."""

    options = ("--cuda-graphs",)
    warm_up = 3  # torch compiles, then records

    def first_loss(self) -> float:
        """By eager layers."""
        body = self.model.encoder.sentence_encoder
        with swapped(body, "graphs", False):
            return super().first_loss()


class Fairseq(Ours):
    """fairseq's own RoBERTa, masked_lm and trainer: each stream is a micro-batch of the update."""

    objectives = "mlm,tlm"
    recommended = "adam"
    keeps_memory = False

    def __init__(self, setting: Setting, rank: int = 0):
        super().__init__(setting, rank)
        from fairseq.criterions.masked_lm import MaskedLmLoss
        from fairseq.data import Dictionary
        from fairseq.models.roberta.model import RobertaModel
        from fairseq.tasks import FairseqTask

        symbols, config = Dictionary(), self.model.encoder.config
        for number in range(config.vocab_size - len(symbols)):
            symbols.add_symbol(f"piece{number}")

        class Task(FairseqTask):
            """The methods that fairseq's trainer and criterion need of a task."""

            source_dictionary = target_dictionary = symbols

        rates = dict.fromkeys(("dropout", "attention_dropout", "activation_dropout", "pooler_dropout"), 0.0)
        sizes = {name: getattr(config, name) for name in SIZES if name != "vocab_size"}
        drawn = self.model.state_dict()
        self.task = Task(self.cfg.task)
        self.model = RobertaModel.build_model(SimpleNamespace(**sizes, **rates), self.task)
        self.model.load_state_dict(drawn)
        self.criterion = MaskedLmLoss(SimpleNamespace(tpu=False), self.task)
        self.samples = [for_masked_lm(sample) for sample in self.samples]

    def _loss(self, sample: Any) -> float:
        losses = [self.criterion(self.model, part)[:2] for part in sample]
        return sum(float(total) for total, _ in losses) / sum(int(count) for _, count in losses)

    def _trainer_class(self) -> Any:
        return super()._trainer_class().__base__  # fairseq's own

    def step(self, sample: Any) -> None:
        """Do one update."""
        self.trainer.train_step(sample)


class Transformers(Ours):
    """transformers' XLMRobertaForMaskedLM in its Trainer's loop, each stream a micro-batch of the update."""

    objectives = "mlm,tlm"
    keeps_memory = False

    def __init__(self, setting: Setting, rank: int = 0):
        super().__init__(setting, rank)
        from transformers import XLMRobertaConfig, XLMRobertaForMaskedLM

        config, encoder = self.model.encoder.config, self.model.encoder
        sizes = {theirs: getattr(config, ours) for ours, theirs in SIZES.items()}
        sizes["max_position_embeddings"] += XLM_R.position_offset
        rates = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        self.model = XLMRobertaForMaskedLM(
            XLMRobertaConfig(**sizes, **rates, type_vocab_size=1, layer_norm_eps=config.layer_norm_eps)
        )
        weights = to_hugging_face(encoder, XLM_R, range(config.vocab_size))
        missing, unexpected = self.model.load_state_dict(weights, strict=False)
        left = [name for name in (*missing, *unexpected) if name not in XLM_R.tied and "_ids" not in name]
        if left:
            raise ValueError(f"transformers' model has other parameters: {left}")
        self.model.tie_weights()
        self.samples = [for_transformers(sample) for sample in self.samples]

    def _loss(self, sample: Any) -> float:
        return sum(float(self._part(**part)) for part in sample)

    def _part(self, share: float, **given: Any) -> torch.Tensor:
        return self.model(**given).loss * share

    def prepare(self) -> None:
        """torch's fused AdamW; a scaler for float16."""
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, weight_decay=0.0, fused=True)
        half = self.setting.dtype == "float16"
        self.scaler = torch.amp.GradScaler(self.setting.device, enabled=half)
        if self.setting.processes > 1:
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)

    def step(self, sample: Any) -> None:
        """Do one update."""
        device, dtype = self.setting.device, DTYPES[self.setting.dtype]
        *first, last = _to(sample, device)
        for part in (*first, last):
            # Gradients are summed over processes once, with the last micro-batch.
            waits = self.setting.processes > 1 and part is not last
            with self.model.no_sync() if waits else contextlib.nullcontext():
                with torch.autocast(device, dtype, enabled=dtype != torch.float32):
                    loss = self._part(**part)
                self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)


# In order of importance; the first three predict the same tokens.
CONTESTANTS: dict[str, type[Ours]] = {
    "fairseq": Fairseq,
    "xalign, MLM + TLM": MaskedAndTranslation,
    "transformers": Transformers,
    "xalign, XLM-Align": Ours,
}
GRAPHS, COMPILED = "xalign, MLM + TLM, CUDA graphs", "xalign, MLM + TLM, compiled"
PROFILED = {**CONTESTANTS, GRAPHS: Graphs, COMPILED: Compiled}


def contestants_of(setting: Setting) -> list[str]:
    """The contestants of a setting: CUDA graphs only on a GPU in half precision."""
    graphs = [GRAPHS] if setting.device == "cuda" and setting.dtype != "float32" else []
    first, second, *rest = CONTESTANTS
    return [first, second, *graphs, *rest]


def _to(sample: Any, device: str) -> Any:
    if device == "cpu":
        return sample
    from fairseq import utils

    return utils.move_to_cuda(sample, torch.device(device))
