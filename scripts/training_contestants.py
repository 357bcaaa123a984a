"""The trainings that benchmark_training.py measures, each in a process of its own.

All start from the same weights (drawn by the package's encoder, without dropout) and read the same batches. fairseq's
and the package's own encoder are trained by fairseq's own trainer with its Adam; transformers' as its Trainer does it:
float32 weights, autocast, torch's fused AdamW.
"""

import logging
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from statistics import median
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from peak_memory import peak_mb
from sinkhorn_step import Clock
from training_batches import (
    Sample,
    Setting,
    contents,
    count_tokens,
    first_batches,
    for_masked_lm,
    for_transformers,
    open_batches,
    read_options,
)

from xalign_fairseq.pretrained.huggingface.exporting import to_hugging_face
from xalign_fairseq.pretrained.huggingface.families import SIZES, XLM_R

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
WORKERS = 2  # that read, mask and batch ahead where waiting for data is measured
SPREAD = 5  # times the usual weights: with those a loss hardly depends on what a token attends to
AHEAD = 6  # batches that workers hold ready, and a few: no wait shows before these are used up
MEASURED = 12  # batches over which it is measured
LONG = 1.0  # seconds of an update beside which nobody waits for data


class Ours:
    """The package's encoder and criterion, by fairseq's trainer."""

    objectives = "mlm,tlm,dwa"

    def __init__(self, setting: Setting):
        from fairseq import tasks

        self.setting = setting
        self.cfg = read_options(setting, self.objectives)
        self.task = tasks.setup_task(self.cfg.task)
        torch.manual_seed(setting.seed)
        self.model = self.task.build_model(self.cfg.model)
        self.criterion = self.task.build_criterion(self.cfg.criterion)
        with torch.no_grad():
            for weight in self.model.encoder.parameters():
                if weight.dim() > 1:
                    weight.mul_(SPREAD)
        self.samples = first_batches(self.task, setting)
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
        """Bring model and batches into the setting's dtype and form."""
        self.trainer = self._trainer(self.task, self.model, self.criterion)

    def _trainer(self, task: Any, model: Any, criterion: Any) -> Any:
        from fairseq.trainer import Trainer

        trainer = Trainer(self.cfg, task, model, criterion)
        trainer.begin_epoch(1)
        return trainer

    def step(self, sample: Sample) -> None:
        """An update."""
        self.trainer.train_step([sample])


class MaskedAndTranslation(Ours):
    """The same with MLM and TLM alone."""

    objectives = "mlm,tlm"


class Fairseq(Ours):
    """fairseq's own RoBERTa and its masked_lm, by the same trainer: each stream a micro-batch of the update."""

    objectives = "mlm,tlm"

    def __init__(self, setting: Setting):
        super().__init__(setting)
        from fairseq.criterions.masked_lm import MaskedLmLoss
        from fairseq.data import Dictionary
        from fairseq.models.roberta.model import RobertaModel
        from fairseq.tasks import FairseqTask

        symbols, config = Dictionary(), self.model.encoder.config
        for number in range(config.vocab_size - len(symbols)):
            symbols.add_symbol(f"piece{number}")

        class Task(FairseqTask):
            """What fairseq's trainer and criterion ask of a task."""

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

    def step(self, sample: Any) -> None:
        """An update."""
        self.trainer.train_step(sample)


class Transformers(Ours):
    """transformers' XLMRobertaForMaskedLM in a plain loop, each stream a micro-batch of the update."""

    objectives = "mlm,tlm"

    def __init__(self, setting: Setting):
        super().__init__(setting)
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

    def step(self, sample: Any) -> None:
        """An update."""
        device, dtype = self.setting.device, DTYPES[self.setting.dtype]
        for part in _to(sample, device):
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


def _to(sample: Any, device: str) -> Any:
    if device == "cpu":
        return sample
    from fairseq import utils

    return utils.move_to_cuda(sample, torch.device(device))


class Peak:
    """The most memory in use, in MB: of the process, and of the device, whose own record fairseq's trainer resets."""

    def __init__(self, device: str):
        self.device = device
        self.highest = 0
        if device == "cuda":
            reset = torch.cuda.reset_peak_memory_stats

            def record(*given: Any) -> None:
                self.look()
                reset(*given)

            torch.cuda.reset_peak_memory_stats = record

    def reset(self) -> None:
        """Forget the device's record so far."""
        if self.device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            self.highest = 0

    def look(self) -> dict[str, float]:
        """What it is by now."""
        found = {"peak_mb": peak_mb()}
        if self.device == "cuda":
            self.highest = max(self.highest, torch.cuda.max_memory_allocated())
            found["device_peak_mb"] = self.highest / 2**20
        return found


class Worker:
    """One contestant: what its process is asked to do, by name."""

    def __init__(self, name: str, setting: Setting):
        torch.set_num_threads(setting.threads)
        self.setting = setting
        self.peak = Peak(setting.device)
        self.contestant = CONTESTANTS[name](setting)

    def begin(self) -> dict[str, Any]:
        """The first loss; then a round that warms up."""
        found = {"first_loss": self.contestant.first_loss(), "contents": self.contestant.contents}
        self.contestant.prepare()
        self.peak.reset()
        self.round()
        return found

    def round(self) -> dict[str, Any]:
        """An update on each batch: tokens, seconds, and the peak of memory so far."""
        clock = Clock(self.setting.device)
        clock.of(self._updates)()
        return {"tokens": self.contestant.tokens, "seconds": clock.seconds, **self.peak.look()}

    def _updates(self) -> None:
        for sample in self.contestant.samples:
            self.contestant.step(sample)

    def parts(self) -> dict[str, float]:
        """Seconds of an update, of its labels' own encoder pass, and of labelling its states (medians).

        Each is clocked on a device that is made to wait, so that the whole is slower than in :meth:`round`.
        """
        from xalign_fairseq.objectives.dwa import DenoisingWordAlignment
        from xalign_fairseq.transport.methods import Transport

        both, labelling = Clock(self.setting.device), Clock(self.setting.device)
        found: dict[str, list[float]] = {"step": [], "encoder_pass": [], "labelling": []}
        with (
            patch.object(DenoisingWordAlignment, "self_labels", both.of(DenoisingWordAlignment.self_labels)),
            patch.object(Transport, "labels", labelling.of(Transport.labels)),
        ):
            for sample in self.contestant.samples:
                whole = Clock(self.setting.device)
                both.seconds = labelling.seconds = 0.0
                whole.of(self.contestant.step)(sample)
                found["step"].append(whole.seconds)
                found["encoder_pass"].append(both.seconds - labelling.seconds)
                found["labelling"].append(labelling.seconds)
        return {name: median(values) for name, values in found.items()}

    def wait(self) -> dict[str, float | None]:
        """The share of the time that updates wait for batches which workers read, mask and batch ahead.

        None if updates are long, or the data-bin has too few batches to tell.
        """
        if self.round()["seconds"] > LONG * len(self.contestant.samples):
            return {"wait": None}
        batches = open_batches(self.contestant.task, self.setting, WORKERS)
        waiting, all_of_it = Clock(self.setting.device), Clock(self.setting.device)
        next_batch = waiting.of(next)

        def updates(most: int) -> int:
            done = 0
            while done < most and (sample := next_batch(batches, None)) is not None:
                self.contestant.step(sample)
                done += 1
            return done

        updates(AHEAD)
        waiting.seconds = 0.0
        enough = all_of_it.of(updates)(MEASURED) == MEASURED
        return {"wait": waiting.seconds / all_of_it.seconds if enough else None}


def serve(asked: Connection, name: str, setting: Setting) -> None:
    """The body of a contestant's process: answers (True, what was found) or (False, what went wrong) until None.

    It also ends when whoever asks is gone.
    """
    logging.disable(logging.INFO)
    warnings.simplefilter("ignore")  # of four libraries' old ways
    worker: Worker | None = None
    answers: Mapping[str, Callable[[Worker], Any]] = {
        "begin": Worker.begin, "round": Worker.round, "parts": Worker.parts, "wait": Worker.wait,
    }  # fmt: skip
    while (what := _next(asked)) is not None:
        try:
            worker = worker or Worker(name, setting)
            asked.send((True, answers[what](worker)))
        except Exception as error:
            asked.send((False, f"{type(error).__name__}: {error}"[:500]))


def _next(asked: Connection) -> str | None:
    try:
        return asked.recv()
    except EOFError:
        return None
