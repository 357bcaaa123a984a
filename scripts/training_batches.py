"""The batches that every contestant of benchmark_training.py trains on, in each one's format."""

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.samples import PAD

SEED = 1
LONGEST = 256  # tokens of a pair, and of a monolingual block, by default
LABELS_OF_NOTHING = -100  # as in transformers
Sample = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One setting of the benchmark.

    Attributes:
        arch: tiny, small or base, the package's own sizes; base is XLM-R's.
        dtype: float32, bfloat16 or float16.
        device: cpu or cuda.
        tokens: of the pairs in a batch, padding included, and of its monolingual blocks.
        data: the data-bin.
        threads: CPU threads of all processes together.
        batches: different batches per round and process.
        pairs: ``any``: pairs sorted by length, as in training; ``mixed``: in random order, as in released
            code; a number: pairs of more than half and at most this number of tokens, and blocks of this length.
        processes: that share an update, each with its own batches.
        memory: ``own``: each contestant's default; ``kept`` or ``returned``: all keep or return what a step frees.
        seed: for weights and batches.
    """

    arch: str
    dtype: str
    device: str
    tokens: int
    data: str
    threads: int
    batches: int
    pairs: str = "any"
    processes: int = 1
    memory: str = "own"
    seed: int = SEED

    @property
    def longest(self) -> int:
        """The maximum number of tokens of a pair and of a block."""
        return int(self.pairs) if self.pairs.isdigit() else LONGEST


def read_options(setting: Setting, objectives: str, optimizer: str, *more: str) -> Any:
    """fairseq's configuration for training with the package's own task."""
    xalign_fairseq.register()  # patches fairseq, too
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    dtype = {"float32": [], "bfloat16": ["--bf16"], "float16": ["--fp16"]}[setting.dtype]
    given = [
        setting.data, "--task", "xalign_pretraining", "--criterion", "xlm_align", "--objectives", objectives,
        "--arch", f"xalign_{setting.arch}", "--dwa-start-update", "0", "--max-positions", LONGEST,
        "--max-pair-length", setting.longest, "--mono-tokens-per-sample", setting.longest,
        "--length-bucket-width", 0 if setting.pairs == "mixed" else 1, "--distributed-world-size", setting.processes,
        "--max-tokens", setting.tokens, "--mono-max-tokens", setting.tokens, "--seed", setting.seed,
        "--optimizer", optimizer, "--lr", "1e-4", "--clip-norm", "1", "--save-dir", Path(setting.data, "unused"),
        *dtype, *more, *(["--cpu"] if setting.device == "cpu" else []),
    ]  # fmt: skip
    with contextlib.redirect_stderr(io.StringIO()):
        return convert_namespace_to_omegaconf(
            options.parse_args_and_arch(options.get_training_parser(), list(map(str, given)))
        )


def first_batches(task: Any, setting: Setting, rank: int = 0) -> list[Sample]:
    """The first batches in training order, enough for a round; each process has its own."""
    if "train" not in task.datasets:
        task.load_dataset("train")
    wanted, least = setting.batches * setting.processes, setting.longest // 2 if setting.pairs.isdigit() else 0
    read = task.get_batch_iterator(task.dataset("train"), max_tokens=setting.tokens, seed=setting.seed)
    samples = read.next_epoch_itr(shuffle=True)
    found = list(islice((each for each in samples if each["bitext"]["masked"].shape[1] > least), wanted))
    if len(found) < wanted:
        raise XalignError(
            "the data-bin has too few batches",
            where=setting.data,
            found=f"{len(found)} of pairs: {setting.pairs}",
            expected=wanted,
        )
    return found[rank :: setting.processes]


def for_masked_lm(sample: Sample) -> list[Sample]:
    """A batch for fairseq's masked_lm: blocks and pairs as two micro-batches of one update."""
    return [
        {
            "net_input": {"src_tokens": tokens},
            "target": targets,
            "ntokens": int((tokens != PAD).sum()),
            "nsentences": len(tokens),
        }
        for tokens, targets in _streams(sample)
    ]


def for_transformers(sample: Sample) -> list[Sample]:
    """A batch for transformers' models, with the share of the predictions in each micro-batch."""
    parts = list(_streams(sample))
    counts = [int((targets != PAD).sum()) for _, targets in parts]
    return [
        {
            "input_ids": tokens,
            "attention_mask": tokens != PAD,
            "labels": targets.masked_fill(targets == PAD, LABELS_OF_NOTHING),
            "share": count / sum(counts),
        }
        for (tokens, targets), count in zip(parts, counts, strict=True)
    ]


def count_tokens(samples: Sequence[Sample]) -> int:
    """Tokens of all streams without padding."""
    return sum(int((tokens != PAD).sum()) for sample in samples for tokens, _ in _streams(sample))


def contents(samples: Sequence[Sample]) -> dict[str, float]:
    """Means over the batches: tokens, share of padding, pairs, monolingual blocks, and predictions."""
    streams = [stream for sample in samples for stream in _streams(sample)]
    tokens, places = count_tokens(samples), sum(read.numel() for read, _ in streams)
    each = len(samples)
    return {
        "tokens": tokens / each,
        "padding": 1 - tokens / places,
        "pairs": sum(len(sample["bitext"]["masked"]) for sample in samples) / each,
        "blocks": sum(len(sample["mono"]["masked"]) for sample in samples) / each,
        "predictions": sum(int((targets != PAD).sum()) for _, targets in streams) / each,
    }


def _streams(sample: Sample) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    for name in ("mono", "bitext"):
        yield sample[name]["masked"], sample[name]["targets"]
