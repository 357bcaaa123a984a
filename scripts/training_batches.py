"""The batches that every contestant of benchmark_training.py trains on, in the form that each of them takes."""

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
LONGEST = 256  # tokens of a pair, and of a monolingual block, where nothing else is wanted
LABELS_OF_NOTHING = -100  # as transformers has it
Sample = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What is measured.

    Attributes:
        arch: tiny, small or base, the package's own sizes; base is XLM-R's.
        dtype: float32, bfloat16 or float16.
        device: cpu or cuda.
        tokens: of the pairs of a batch, padding included, and as many of its monolingual blocks.
        data: the data-bin.
        threads: of the CPU, of all processes together.
        batches: different ones that a round goes through, in each process.
        pairs: ``any``: pairs as training batches them, sorted by length; ``mixed``: in random order, as released codes
            have them; a number: of more than half as many tokens and at most as many, and blocks of as many.
        processes: that share an update, each with batches of its own.
        memory: ``own``: as each contestant comes; ``kept`` or ``returned``: what a step frees, by all of them.
        seed: of weights and batches.
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
        """Tokens of a pair at most, and of a block."""
        return int(self.pairs) if self.pairs.isdigit() else LONGEST


def read_options(setting: Setting, objectives: str, optimizer: str, *more: str) -> Any:
    """fairseq's configuration of a training by the package's own task."""
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
    """The first batches in the order of training, as many as a round has; every process has others."""
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
    """A batch as fairseq's masked_lm takes it: the blocks, then the pairs, as two micro-batches of one update."""
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
    """The same as transformers' models take them, and the share of the batch's predictions that each one has."""
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
    """Tokens that are not padding, of all streams."""
    return sum(int((tokens != PAD).sum()) for sample in samples for tokens, _ in _streams(sample))


def contents(samples: Sequence[Sample]) -> dict[str, float]:
    """Means over the batches: tokens, the share of padding, pairs, monolingual blocks, and predictions."""
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
