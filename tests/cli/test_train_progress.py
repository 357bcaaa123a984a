import io
import json

import pytest

from xalign_fairseq.cli import _train_progress
from xalign_fairseq.cli._train_progress import TrainProgress, row_text
from xalign_fairseq.trainer.log_rows import LogRow, read_row

HEAD = "2026-11-23 05:12:51 | "


def line(kind, prefix, updates, values):
    pairs = {f"{prefix}{name}": str(value) for name, value in {**values, "num_updates": updates}.items()}
    return f"{HEAD}INFO | {kind} | {json.dumps(pairs)}\n"


def interval(updates, **values):
    return line("train_inner", "", updates, values)


def valid(updates, **values):
    return line("valid", "valid_", updates, values)


def test_a_line_has_everything():
    row = LogRow("train_inner", 1200, {"loss": 9.5, "mlm_loss": 4.1, "dwa_loss": 2.25, "wps": 12345.6, "ups": 2.0})
    assert row_text(row, 3200, 0.251) == (
        "update 1,200/3,200, ETA 0:16:40, loss 9.50 (mlm 4.10, dwa 2.25), AER 25.10, 12,346 tokens/s"
    )
    assert row_text(LogRow("train_inner", 1, {"wps": 0}), 3) == "update 1/3"  # no time has passed yet


def test_without_a_terminal_lines_are_sparse_and_the_last_is_shown(capsys, clock):
    with TrainProgress(100) as progress:
        for updates in (10, 20, 30, 40):
            progress.hear(interval(updates, loss=9))
            clock[0] += 20
        progress.hear("another line of fairseq\n")
        progress.hear(f"{HEAD}INFO | fairseq.trainer | begin training\n")
        progress.hear(f"{HEAD}WARNING | xalign_fairseq.trainer.compat | update 3 is left out | not finite\n")
    assert capsys.readouterr().err.splitlines() == [
        "update 10/100, loss 9.00",
        "update 30/100, loss 9.00",
        "warning: update 3 is left out | not finite",
        "update 40/100, loss 9.00",
    ]


def test_validations_stay_and_the_lowest_aer_is_kept(capsys, clock):
    with TrainProgress(None) as progress:
        for updates, aer in ((10, 0.3), (20, 0.25), (30, 0.26)):
            progress.hear(valid(updates, aer=aer))
        progress.hear(valid(40, loss=3.5))
        progress.hear(valid(50, score=81.25, loss=1))
    assert capsys.readouterr().err.splitlines() == [
        "update 10: AER 30.00, the lowest so far",
        "update 20: AER 25.00, the lowest so far",
        "update 30: AER 26.00",
        "update 40: validation loss 3.500",
        "update 50: score 81.25",
    ]
    assert progress.best == (0.25, 20) and progress.aer == 0.26


def test_a_resumed_training_keeps_earlier_validations(capsys, clock):
    before = [read_row(valid(updates, aer=aer)) for updates, aer in ((10, 0.4), (20, 0.3), (30, 0.2))]
    with TrainProgress(None, before=[*before, read_row(interval(40, loss=9))]) as progress:
        assert progress.best == (0.2, 30) and progress.aer == 0.2
        progress.hear(interval(25, loss=9))  # resumed from update 20
        progress.hear(valid(30, aer=0.5))
        progress.hear(valid(40, aer=0.25))
    assert [line for line in capsys.readouterr().err.splitlines() if "AER" in line] == [
        "update 25, loss 9.00, AER 30.00",
        "update 30: AER 50.00",
        "update 40: AER 25.00, the lowest so far",
    ]
    assert progress.best == (0.25, 40) and progress.aer == 0.25


@pytest.mark.parametrize(("most", "told"), [(30, "continues after update 10 of 30\n"), (10, "")])
def test_a_resumed_training_shows_where_it_continues(capsys, clock, most, told):
    progress = TrainProgress(most)
    progress.hear(f"{HEAD}INFO | fairseq.trainer | Loaded checkpoint run/checkpoint_last.pt (epoch 1 @ 10 updates)\n")
    progress.hear(f"{HEAD}INFO | fairseq.trainer | Loaded checkpoint first/model.pt (epoch 1 @ 5 updates)\n")
    assert capsys.readouterr().err == told and progress.resumed == 10


def test_a_training_with_a_new_optimizer_starts_from_the_weights(capsys, clock):
    TrainProgress(30).hear(
        f"{HEAD}INFO | fairseq.trainer | Loaded checkpoint run/checkpoint_last.pt (epoch 1 @ 0 updates)\n"
    )
    assert capsys.readouterr().err == "begins with the checkpoint's weights at update 0 of 30\n"


def test_quiet_prints_only_warnings(capsys, clock):
    with TrainProgress(100, quiet=True) as progress:
        progress.hear(interval(10, loss=9))
        progress.hear(valid(10, aer=0.5))
        progress.hear(f"{HEAD}ERROR | fairseq | no\n")
    assert capsys.readouterr().err == "error: no\n" and progress.last.updates == 10


def test_on_a_terminal_one_line_is_written_over(monkeypatch, clock):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(_train_progress.sys, "stderr", Terminal())
    with TrainProgress(100) as progress:
        for updates in (10, 20):
            progress.hear(interval(updates, loss=9))
        progress.hear(valid(20, aer=0.5))
        text = _train_progress.sys.stderr.getvalue()
    assert "\rupdate 10/100, loss 9.00" in text and "\rupdate 20/100, loss 9.00" in text
    assert [line for line in text.split("\n") if "AER 50.00" in line] and text.count("\n") == 1


def test_verbose_shows_the_log_too(capsys, clock):
    with TrainProgress(100, verbose=True) as progress:
        progress.hear("another line of fairseq\n")
        progress.hear(f"{HEAD}WARNING | fairseq | careful\n")
    assert capsys.readouterr().err.splitlines() == ["another line of fairseq", f"{HEAD}WARNING | fairseq | careful"]
