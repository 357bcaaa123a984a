"""Runs of fairseq-train: signals, losses of NaN, all objectives together, and the optimizer."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.tasks.conftest import assert_resumed, losses, options, processes
from tests.tasks.test_training import NO_VALID, assert_same
from xalign_fairseq.encoder.checkpoint import updates_of

pytestmark = pytest.mark.slow
# fairseq-train whose first objective has a NaN loss from the third training step on.
NAN = """
from fairseq.criterions import FairseqCriterion
from fairseq_cli.train import cli_main

def built(self, task, build=FairseqCriterion.__init__):
    build(self, task)
    forward, steps = self.forward, []

    def spoilt(model, sample, *given, **options):
        real = self.active[0].forward
        steps.append(model.training)

        def nan(step):
            loss = real(step)
            loss.total = loss.total * float("nan")
            return loss

        self.active[0].forward = nan if model.training and sum(steps) >= 3 else real
        try:
            return forward(model, sample, *given, **options)
        finally:
            self.active[0].forward = real

    self.forward = spoilt

FairseqCriterion.__init__ = built
cli_main()
"""
SHORT = ("--disable-validation", "--objectives", "tlm")


def test_a_finished_run_started_again_is_kept(train, databin, tmp_path):
    train(databin, tmp_path, *SHORT, "--max-update", 2)
    before = (tmp_path / "checkpoint_last.pt").read_bytes()
    logged, done = train(databin, tmp_path, *SHORT, "--max-update", 2)
    assert not logged and "the run is complete: 2 of 2 updates" in done.stdout + done.stderr
    assert (tmp_path / "checkpoint_last.pt").read_bytes() == before


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


def test_losses_that_are_no_numbers_end_the_training_with_the_objective_and_the_batch(databin, tmp_path):
    line = options(databin, tmp_path, *SHORT, "--max-update", 6, "--save-interval-updates", 1, "--nonfinite-updates", 2)
    command = [sys.executable, "-c", NAN, *map(str, line[1:])]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "Traceback" not in said
    assert (
        said.count("update 3 is skipped (1 in a row; 2 end the training): not finite: the loss of tlm in the batch")
        == 1
    )
    assert "error: training diverged: 2 updates in a row not finite\n  where: update 3" in said
    assert updates_of(tmp_path / "checkpoint_last.pt") == 2 and not (tmp_path / "crash.pt").exists()


EVERY = (
    "mlm", "tlm", "dwa", "l2_align", "word_contrastive", "reg_hidden", "reg_param", "moco", "sentence_mlm",
    "word_exchange", "lexicon_align", "dict_mlm", "ot_align", "self_training", "consistency",
    "psi",
)  # fmt: skip
ALONE = ("linear_mapping", "link_scorer")  # they freeze the encoder
COMPOSED = (
    "--objectives", ",".join(EVERY), "--loss-normalization", "per-objective", "--moco-queue-size", 16,
    "--reg-param-weight", 0.1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("criterion", "extra", "buffers"),
    [("weighted", COMPOSED, ("moco", "reg_param", "reg_hidden")), *((name, (), ()) for name in ALONE)],
)
def test_a_resumed_run_equals_the_uninterrupted_one(criterion, extra, buffers, train, lexicon_bin, tmp_path):
    same = (*NO_VALID, "--lang-pairs", "en-de", *extra)
    whole, _ = train(lexicon_bin, tmp_path / "whole", *same, "--max-update", 6, criterion=criterion)
    first, _ = train(lexicon_bin, tmp_path / "cut", *same, "--max-update", 4, criterion=criterion)
    second, _ = train(lexicon_bin, tmp_path / "cut", *same, "--max-update", 6, criterion=criterion)
    assert sorted(second) == [5, 6]
    assert_same(whole, first, (1, 2, 3, 4))
    assert_same(whole, second, (5, 6))
    states = [torch.load(tmp_path / run / "checkpoint_last.pt", weights_only=True)["model"] for run in ("whole", "cut")]
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    for head in buffers:
        assert any(key.startswith(f"heads.{head}.") for key in states[0])
    if criterion == "weighted":
        assert {f"{name}_loss" for name in EVERY} <= set(whole[6])


EXTRA = ("--disable-validation", "--max-update", 6, "--save-interval-updates", 3, "--weight-decay", 0.01)
FOLDED = ("--optimizer", "xalign_adamw")


@pytest.fixture(scope="module")
def adam(train, databin, tmp_path_factory):
    """Six updates with fairseq's adam."""
    folder = tmp_path_factory.mktemp("adam")
    return train(databin, folder, *EXTRA)[0], folder


@pytest.fixture(scope="module")
def folded(train, databin, tmp_path_factory):
    """The same with the package's optimizer."""
    folder = tmp_path_factory.mktemp("folded")
    return train(databin, folder, *EXTRA, *FOLDED)[0], folder


def assert_close(first, second, updates, tolerance=2e-3):
    for update in updates:
        assert first[update] == pytest.approx(second[update], rel=tolerance, abs=tolerance), update


def test_losses_and_norms_are_those_of_fairseq_s_adam(adam, folded):
    assert_close(adam[0], folded[0], range(1, 7))


def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(folded, train, databin, tmp_path):
    assert_resumed(train, databin, folded, tmp_path, *EXTRA, *FOLDED)


@pytest.mark.parametrize("back", [False, True])
def test_runs_go_on_from_checkpoints_of_fairseq_s_adam_and_back(adam, folded, train, databin, tmp_path, back):
    (whole, folder), optimizer = (folded, ("--optimizer", "adam")) if back else (adam, FOLDED)
    resumed, _ = train(databin, tmp_path, *EXTRA, *optimizer, "--restore-file", folder / "checkpoint_1_3.pt")
    assert sorted(resumed) == [4, 5, 6]
    assert_close(whole, resumed, resumed)
