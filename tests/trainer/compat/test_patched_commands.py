"""fairseq's own commands, in separate processes, on fairseq's own task: the purpose of the patches."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import xalign_fairseq

pytestmark = pytest.mark.slow
BIN = Path(sys.executable).parent
SMALL = [
    *("--cpu", "--task", "masked_lm", "--criterion", "masked_lm", "--arch", "roberta_base", "--optimizer", "adam"),
    *("--encoder-layers", 1, "--encoder-embed-dim", 16, "--encoder-ffn-embed-dim", 16, "--encoder-attention-heads", 2),
    *("--max-positions", 64, "--tokens-per-sample", 32, "--dropout", 0, "--attention-dropout", 0, "--lr", 0.01),
    *("--batch-size", 8, "--log-format", "json", "--log-interval", 1, "--num-workers", 1),
]


def command(*arguments, launcher=()):
    environment = {key: value for key, value in os.environ.items() if key not in ("RANK", "WORLD_SIZE")}
    return subprocess.run(
        [*launcher, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        env=environment | {"OMP_NUM_THREADS": "1"},
    )


@pytest.fixture(scope="module")
def data_bin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("masked_lm")
    for split, count in (("train", 200), ("valid", 60)):
        lines = (" ".join(f"w{(7 * i + 3 * j * j) % 61}" for j in range(5 + i % 13)) for i in range(count))
        (folder / split).write_text("\n".join(lines) + "\n")
    done = command(
        BIN / "fairseq-preprocess", "--only-source", "--trainpref", folder / "train", "--validpref", folder / "valid",
        "--destdir", folder / "data-bin", "--workers", 1,
    )  # fmt: skip
    if not (folder / "data-bin/dict.txt").exists():
        pytest.fail(done.stdout[-2000:])
    return folder / "data-bin"


def train(data_bin, save_dir, *more, launcher=()):
    user_dir = Path(xalign_fairseq.__file__).parent
    return command(
        BIN / "fairseq-train", data_bin, "--user-dir", user_dir, "--save-dir", save_dir, *SMALL, *more,
        launcher=launcher,
    )  # fmt: skip


def losses(done):
    """Loss of each update."""
    assert done.returncode == 0, done.stdout[-3000:]
    entries = [json.loads(text) for text in re.findall(r"\| INFO \| train_inner \| (\{.*\})", done.stdout)]
    return {int(entry["num_updates"]): float(entry["loss"]) for entry in entries}


@pytest.fixture(scope="module")
def float32(data_bin, tmp_path_factory):
    """A run that stops in mid-epoch (with exit code 0)."""
    return losses(train(data_bin, tmp_path_factory.mktemp("float32"), "--max-update", 6))


@pytest.mark.parametrize("option", ["--fp16", "--bf16"])
def test_reduced_precision_on_the_cpu_trains_like_float32(data_bin, tmp_path, float32, option):
    reduced = losses(train(data_bin, tmp_path, "--max-update", 6, option))
    assert list(reduced) == list(float32) == [1, 2, 3, 4, 5, 6]
    assert list(reduced.values()) == pytest.approx(list(float32.values()), abs=0.05)
    assert reduced[6] < reduced[1] - 0.05  # zero gradients would not lower it


def test_two_processes_train_and_resume(data_bin, tmp_path):
    two = ["--distributed-world-size", 2, "--distributed-backend", "gloo", "--ddp-backend", "pytorch_ddp"]
    assert list(losses(train(data_bin, tmp_path, *two, "--max-update", 2))) == [1, 2]
    resumed = train(data_bin, tmp_path, *two, "--max-update", 4)
    assert list(losses(resumed)) == [3, 4]
    assert "Loaded checkpoint" in resumed.stdout


def test_torchrun_needs_the_world_size(data_bin, tmp_path):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = train(data_bin, tmp_path, "--max-update", 2, launcher=torchrun)
    assert done.returncode != 0
    assert "add --distributed-world-size 2" in done.stdout
    assert not list(tmp_path.glob("*.pt"))
