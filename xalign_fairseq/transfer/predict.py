"""Predict and score with a fine-tuned checkpoint, without fairseq."""

import dataclasses
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch

from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.labelled.labels import check_labels, digest
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, States, load_maps
from xalign_fairseq.encoder.pretrained.reading import open_model, read_pretrained
from xalign_fairseq.encoder.sentence_vectors import retrieval_layer, side_vectors
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.parsing import GoldTree
from xalign_fairseq.evaluation.retrieval import retrieve
from xalign_fairseq.evaluation.signature import task_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, Benchmark, find, find_all
from xalign_fairseq.transfer.family import EncodedExample, TaskFamily, make_batch, require_languages
from xalign_fairseq.transfer.task_record import TaskRecord, TransferHead
from xalign_fairseq.transport.precision import dtype_name, products_in

logger = logging.getLogger(__name__)
# Examples encoded, sorted by length and predicted together; this bounds memory for any file.
BLOCK = 4096
Progress = Callable[[int], object]
PRECISIONS = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}  # fairseq's names


@dataclass
class Evaluation:
    """A test file's golds and predictions, and its scores, counts (N, K) and signatures by metric if it has labels."""

    ids: list[str]
    golds: list[Any]
    predictions: list[Any]
    digest: str
    counts: dict[str, np.ndarray] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)

    @property
    def items(self) -> int:
        return len(self.ids)

    def score(self, benchmark: Benchmark, of_answers: str, **choices: object) -> None:
        """Count, score and sign by every metric; answers are normalised as in the language ``of_answers``."""
        if any(gold is None for gold in self.golds):
            return
        for metric in benchmark.metrics:
            counts = metric.counts(self.golds, self.predictions, of_answers)
            self.counts[metric.name], self.scores[metric.name] = counts, metric.score(counts)
            self.signatures[metric.name] = task_signature(metric, benchmark.name, self.digest, **choices)


class Predictor:
    """An encoder fine-tuned on a transfer task; ``dtype`` is for products, by autocast as in training."""

    batch_tokens = 8192  # maximum number of tokens in a batch with padding

    def __init__(
        self,
        encoder: Encoder,
        head: TransferHead,
        family: TaskFamily,
        spec: TaskRecord,
        maps: LanguageMaps | None = None,
        dtype: torch.dtype = torch.float32,
    ):
        self.encoder, self.head, self.family, self.spec, self.maps = encoder.eval(), head.eval(), family, spec, maps
        self.dtype = dtype
        self.benchmark = BENCHMARKS[spec.benchmark]

    @classmethod
    def load(cls, path: StrPath, device: str | torch.device = "cpu", dtype: torch.dtype = torch.float32) -> "Predictor":
        """Read a checkpoint that ``fairseq-train`` made in a transfer task, or its export."""
        state, where = read_pretrained(path)
        spec = TaskRecord.from_checkpoint(state, where)
        encoder, heads = checkpoint.load_encoder(state, where)
        family = spec.build_family(load_tokenizer(state, encoder.config.vocab_size, where=where))
        head = spec.build_head(family, encoder.config)
        spec.load_head(head, heads, where)
        maps = load_maps(heads) if head.features.frozen else None
        maps = None if maps is None else maps.to(device)
        return cls(encoder.to(device), head.to(device), family, spec, maps, dtype)

    def predict(self, examples: Sequence[Any], progress: Progress | None = None) -> list[Any]:
        """One prediction for each example, in order."""
        if self.maps is not None:
            self.maps.warn_of_unmapped([example.language for example in examples])
        require_languages(self.encoder.config, examples)
        predictions: list[Any] = [None] * len(examples)
        for start in range(0, len(examples), BLOCK):
            block = examples[start : start + BLOCK]
            encoded = [self.family.encode(example) for example in block]
            for chosen in _batches(encoded, self.batch_tokens):
                found = self._predict_batch([encoded[i] for i in chosen], [block[i] for i in chosen])
                for i, prediction in zip(chosen, found, strict=True):
                    predictions[start + i] = prediction
                if progress is not None:
                    progress(len(chosen))
        return predictions

    def _predict_batch(self, encoded: Sequence[EncodedExample], examples: Sequence[Any]) -> list[Any]:
        device = self.encoder.device
        sample = make_batch(self.family, self.encoder.config, examples, encoded)
        batch, rows = {key: value.to(device) for key, value in sample["batch"].items()}, sample["language_rows"]
        with torch.inference_mode(), products_in(self.dtype, device):
            given = Input(batch["tokens"], None if rows is None else rows.to(device), lengths=sample["lengths"])
            states: States = self.encoder.states(given)
            if self.maps is not None:
                states = MappedStates(states, self.maps, sample["languages"])
            hidden = self.head.features(states, batch["tokens"])
            return self.family.predict(self.head.output, hidden, batch, examples)


def evaluate(predictor: Predictor, path: StrPath, language: str, progress: Progress | None = None) -> Evaluation:
    """Predict a test file and, if all of it has labels, score it by every metric of its benchmark."""
    benchmark = predictor.benchmark
    examples = benchmark.read(path, language)
    unseen = check_labels(predictor.spec.labels, examples, path)
    if unseen:
        logger.warning("%s: labels that training lacked are never predicted: %s", language, " ".join(unseen))
    evaluation = Evaluation(
        [example.id for example in examples],
        [predictor.family.gold(example) for example in examples],
        predictor.predict(examples, progress),
        digest(path),
    )
    choices = {} if predictor.dtype == torch.float32 else {"dtype": dtype_name(predictor.dtype)}
    evaluation.score(benchmark, examples[0].language, language=language, **choices)
    return evaluation


def evaluate_files(
    predictor: Predictor, folder: StrPath, languages: Sequence[str], progress: Progress | None = None
) -> Iterator[tuple[str, Evaluation]]:
    """Find and check a benchmark's test file of each language, then :func:`evaluate` one file per iteration step."""
    benchmark = predictor.benchmark
    files = find_all({each: partial(find, benchmark, folder, "test", each) for each in languages})
    for language, path in files.items():
        require_languages(predictor.encoder.config, benchmark.read(path, language))
    return ((each, evaluate(predictor, path, each, progress)) for each, path in files.items())


def write_predictions(path: StrPath, evaluation: Evaluation) -> None:
    """JSON lines ``{"id", "prediction", "gold"}``; gold is null without a label."""
    with atomic_write(path) as out:
        for id_, prediction, gold in zip(evaluation.ids, evaluation.predictions, evaluation.golds, strict=True):
            plain = dataclasses.asdict(gold) if isinstance(gold, GoldTree) else gold
            out.write(json.dumps({"id": id_, "prediction": prediction, "gold": plain}, ensure_ascii=False) + "\n")


def _batches(encoded: Sequence[EncodedExample], max_tokens: int) -> Iterator[list[int]]:
    """Indices of examples of similar length whose padded windows have at most ``max_tokens`` tokens."""
    order = sorted(range(len(encoded)), key=lambda i: max(map(len, encoded[i].windows)))
    batch: list[int] = []
    rows = 0
    for i in order:
        width, more = max(map(len, encoded[i].windows)), len(encoded[i].windows)
        if batch and (rows + more) * width > max_tokens:
            yield batch
            batch, rows = [], 0
        batch.append(i)
        rows += more
    if batch:
        yield batch


def load_retrieval(path: StrPath, device: str | torch.device = "cpu") -> tuple[Encoder, Tokenizer, LanguageMaps | None]:
    """The encoder, the tokenizer and any linear maps of a pretrained model, for :func:`evaluate_retrieval`."""
    model = open_model(path)
    maps = load_maps(model.heads)
    return model.encoder.to(device), model.tokenizer, None if maps is None else maps.to(device)


def evaluate_retrieval(
    encoder: Encoder,
    tokenizer: Tokenizer,
    maps: LanguageMaps | None,
    path: StrPath,
    language: str,
    *,
    layer: int | None = None,
) -> Evaluation:
    """Find the English line of each line of a bitext, and the reverse; predictions are line numbers from 1."""
    benchmark = BENCHMARKS["tatoeba"]
    chosen = retrieval_layer(encoder.config, layer)
    pairs = benchmark.read(path, language)
    languages = (language, "en")
    if maps is not None:
        maps.warn_of_unmapped(languages)
    sides = [pair.first for pair in pairs], [pair.second for pair in pairs]
    foreign, english = side_vectors(encoder, tokenizer, sides, chosen, languages, maps)
    ids = [pair.id for pair in pairs]
    found = {name: lines.tolist() for name, lines in retrieve(foreign, english).items()}
    predictions = [{name: ids[lines[i]] for name, lines in found.items()} for i in range(len(ids))]
    evaluation = Evaluation(ids, [pair.label for pair in pairs], predictions, digest(path))
    if any(gold is None for gold in evaluation.golds):
        logger.warning(
            "%s: the English side is sorted, as by XTREME's scripts, and can't be scored; use LASER's files", path
        )
    evaluation.score(benchmark, language, language=language, layer=chosen, pooling="mean")
    return evaluation
