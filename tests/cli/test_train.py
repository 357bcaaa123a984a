import signal
from unittest.mock import Mock

import pytest
from support.launched import put_program

from xalign_fairseq.cli import main
from xalign_fairseq.cli._train_progress import TrainProgress
from xalign_fairseq.core.json_files import read_json

SMALL = [
    "--criterion", "dwa", "--arch", "xalign_tiny", "--encoder-layers", "1", "--encoder-embed-dim", "16",
    "--encoder-ffn-embed-dim", "16", "--encoder-attention-heads", "2", "--max-positions", "128", "--cpu",
    "--num-workers", "0", "--batch-size", "8", "--lr", "1e-3", "--no-epoch-checkpoints", "--epoch-items", "80",
    "--log-interval", "2", "--lang-pairs", "en-de",
]  # fmt: skip


@pytest.mark.slow
def test_a_training_and_its_continuation(command, databin, tmp_path, capfd):
    run = tmp_path / "run"
    options = ["--save-dir", run, "--validate-interval-updates", 4, "--save-interval-updates", 4]
    first = command("xalign", "train", databin, *SMALL, "--max-update", 4, *options)
    assert "update 4: AER " in first.stderr and "update 2/4, ETA 0:00:" in first.stderr
    assert len(first.stderr.splitlines()) < 12  # fairseq's log has more than 80
    best = f"{run}/checkpoint_best.pt (best loss, update 4)"
    assert first.stdout.splitlines()[0].startswith(f"{best}: training ended at update 4, training loss ")
    log = (run / "train.log").read_text()
    assert "| begin training epoch 1" in log and "done training in" in log
    then = command("xalign", "train", "-q", databin, *SMALL, "--max-update", 6, *options)
    assert then.stdout == "" and then.stderr == ""
    log = (run / "train.log").read_text()
    assert "(epoch 1 @ 4 updates)" in log and log.count("done training in") == 2
    again = command("xalign", "train", databin, *SMALL, "--max-update", 6, *options)
    assert ": complete after update 6, lowest AER " in again.stdout and "continues" not in again.stderr
    capfd.readouterr()
    changed = [*SMALL, "--max-update", 8, *options, "--dwa-mu", 0.5]
    assert main(["train", *map(str, (databin, *changed))]) == 2
    told = capfd.readouterr().err
    assert "error: the folder has a run with other options\n" in told and "found: dwa_mu 1.0, now 0.5\n" in told
    assert told.count("error") == told.count("next:") == 1 and told.endswith(f"  log: {run}/train.log\n")


@pytest.mark.slow
def test_the_progress_of_several_processes_is_shown(command, databin, tmp_path):
    two = ["--distributed-world-size", 2, "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp"]
    # With a variable, it is not a fork of a process that has imported fairseq_cli.
    found = command(
        "xalign", "train", databin, *SMALL, "--max-update", 2, "--save-dir", tmp_path, *two, LOGLEVEL="INFO"
    )
    assert "update 2: AER " in found.stderr and "optimizer" in read_json(tmp_path / "training.json")["sessions"][0]


@pytest.fixture
def ends(monkeypatch):
    """A function that makes fairseq-train print its options and exit with a code."""

    def end(code):
        put_program(monkeypatch, f"import sys; print(*sys.argv[1:]); sys.exit({code})")

    return end


def line(folder):
    return ["train", f"{folder}", "--lr", "1", "--max-update", "8", "--batch-size", "8", "--save-dir", f"{folder}"]


@pytest.mark.parametrize(("ended", "code"), [(0, 0), (75, 75), (1, 2)])
def test_exit_codes(ends, tmp_path, ended, code):
    ends(ended)
    assert main(line(tmp_path)) == code


def test_options_are_passed_on_unchanged(ends, tmp_path, capsys):
    ends(0)
    own = [*line(tmp_path)[2:], "--quiet", "--adam-betas", "(0.9, 0.98)"]
    assert main(["train", str(tmp_path), *own]) == 0
    assert (tmp_path / "train.log").read_text().endswith(" ".join(own) + "\n")
    assert f"log: {tmp_path}/train.log" in capsys.readouterr().err


def test_a_full_disk_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "xalign_fairseq.trainer.launch.run_logged", Mock(side_effect=OSError(28, "No space left on device"))
    )
    assert main(line(tmp_path)) == 2
    assert f"no space left on device\n  where: {tmp_path}\n" in capsys.readouterr().err


def test_a_finished_run_is_reported(ends, tmp_path, capsys):
    ends(0)
    (tmp_path / "checkpoint_last.pt").touch()
    main(line(tmp_path))
    assert f"{tmp_path}/checkpoint_last.pt: no further update\n" in capsys.readouterr().out


@pytest.mark.parametrize(("goes_on", "lowest"), [(True, "30.00"), (False, "50.00")])
def test_the_lowest_aer_is_that_of_the_whole_training(goes_on, lowest, monkeypatch, tmp_path, capsys):
    rows = [f'{{"valid_aer": "{aer}", "valid_num_updates": "{updates}"}}' for updates, aer in ((4, 0.3), (6, 0.5))]
    (tmp_path / "train.log").write_text(f"{rows[0]}\nbroken \udcff\n", errors="surrogateescape")
    if goes_on:
        (tmp_path / "checkpoint_last.pt").touch()
    put_program(monkeypatch, f"print({rows[1]!r})")
    main(line(tmp_path))
    out, err = capsys.readouterr()
    assert f"lowest AER {lowest} at update" in out
    assert ("AER 50.00, the lowest so far" in err) is not goes_on


def test_an_interrupted_training_reports_what_remains(monkeypatch, tmp_path, capsys):
    put_program(monkeypatch, """print('{"loss": "1", "num_updates": "2"}')""")
    monkeypatch.setattr(TrainProgress, "_display", lambda *given: signal.raise_signal(signal.SIGINT))
    assert main(line(tmp_path)) == 130
    assert "2 of 8 updates are done; the same command starts again, as" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "said"),
    [(["--lr=0"], "no learning rate"), (["--user-dir", "nothing"], "no package"), ([], "into a data-bin")],
)
def test_missing_inputs_are_reported_before_the_start(tmp_path, capsys, changes, said):
    (tmp_path / "manifest.json").touch()
    assert main([*line(tmp_path), *changes]) == 2
    assert said in capsys.readouterr().err and len(list(tmp_path.iterdir())) == 1
