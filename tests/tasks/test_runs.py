import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from support.trials import OWN

from tests.tasks.conftest import assert_resumed, losses, options, processes
from tests.tasks.test_training import NO_VALID, assert_same
from xalign_fairseq.encoder.checkpoint import updates_of

pytestmark = pytest.mark.slow
SHORT = ("--disable-validation", "--objectives", "tlm")


def test_a_finished_run_started_again_is_kept(train, databin, tmp_path):
    train(databin, tmp_path, *SHORT, "--max-update", 2)
    before = (tmp_path / "checkpoint_last.pt").read_bytes()
    logged, done = train(databin, tmp_path, *SHORT, "--max-update", 2)
    assert not logged and "the run is complete: 2 updates" in done.stdout + done.stderr
    assert (tmp_path / "checkpoint_last.pt").read_bytes() == before
    assert list(train(databin, tmp_path, *SHORT, "--max-update", 3)[0]) == [3]


def test_sigusr1_to_the_first_of_two_processes_saves_and_ends_both(train, databin, tmp_path):
    both = processes(tmp_path, backend="legacy_ddp")
    line = options(databin, tmp_path / "save", *SHORT, *both, "--max-update", 400, batch=4)[1:]
    program = Path(sys.executable).parent / "fairseq-train"
    process = subprocess.Popen([program, *map(str, line)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = []
    for text in process.stdout:
        output.append(text)
        if '"num_updates": "3"' in text:
            process.send_signal(signal.SIGUSR1)
    assert process.wait(60) == 75, "".join(output)[-3000:]
    saved = updates_of(tmp_path / "save/checkpoint_last.pt")
    assert saved == max(losses("".join(output))) and 3 <= saved < 400


EVERY = [name for name in OWN if name != "linear_mapping"]  # which freezes the encoder
COMPOSED = (
    "--objectives", ",".join(EVERY), "--loss-normalization", "per-objective", "--moco-queue-size", 16,
    "--reg-param-weight", 0.1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("criterion", "extra", "buffers"),
    [("weighted", COMPOSED, ("moco", "reg_param", "reg_hidden")), ("linear_mapping", (), ())],
)
def test_a_resumed_run_equals_the_uninterrupted_one(criterion, extra, buffers, train, lexicon_bin, tmp_path):
    same = (*NO_VALID, "--lang-pairs", "en-de", "--save-interval-updates", 3, *extra, "--max-update", 6)
    one = partial(train, criterion=criterion)
    whole, _ = one(lexicon_bin, tmp_path / "whole", *same)
    assert_resumed(one, lexicon_bin, (whole, tmp_path / "whole"), tmp_path / "resumed", *same)
    state = torch.load(tmp_path / "whole/checkpoint_last.pt", weights_only=True)["model"]
    for head in buffers:
        assert any(key.startswith(f"heads.{head}.") for key in state)
    if criterion == "weighted":
        assert {f"{name}_loss" for name in EVERY} <= set(whole[6])


def test_runs_continue_from_checkpoints_of_fairseqs_adam(train, databin, tmp_path):
    extra = ("--disable-validation", "--max-update", 6, "--save-interval-updates", 3, "--weight-decay", 0.01)
    whole, _ = train(databin, tmp_path / "adam", *extra)
    begun = ("--restore-file", tmp_path / "adam/checkpoint_1_3.pt")
    resumed, _ = train(databin, tmp_path / "folded", *extra, "--optimizer", "xalign_adamw", *begun)
    assert sorted(resumed) == [4, 5, 6]
    assert_same({update: whole[update] for update in resumed}, resumed, resumed, tolerance=2e-3)
