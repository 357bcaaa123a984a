"""fairseq-train with a signal to end, after its end, and with a loss of NaN."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tasks.conftest import losses, options, processes
from xalign_fairseq.encoder.checkpoint import updates_of

pytestmark = pytest.mark.slow
# fairseq-train whose first objective has a loss of NaN in the third training step and all later ones.
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


def test_a_finished_run_that_is_given_again_stays(train, databin, tmp_path):
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
