import pytest

from xalign_fairseq.trainer.log_rows import LogRow, TrainingCost, read_cost, read_row, standing

HEAD = "2026-11-23 05:12:51 | INFO | "


@pytest.mark.parametrize(
    ("line", "kind", "updates", "values"),
    [
        ('train_inner | {"epoch": 1, "loss": "9.5", "dwa_loss": "2", "num_updates": "10"}', "train_inner", 10,
         {"epoch": 1, "loss": 9.5, "dwa_loss": 2, "num_updates": 10}),
        ('valid | {"valid_aer": "0.25", "valid_num_updates": "20", "valid_x": null}', "valid", 20,
         {"aer": 0.25, "num_updates": 20}),
        ('train | {"train_loss": "9", "train_num_updates": "20", "train_ppl": "nan"}', "train", 20,
         {"loss": 9, "num_updates": 20}),
        ("train_inner | epoch 001:     10 / 125 loss=9.5, dwa_loss=2, ppl=inf, num_updates=10, lr=0.1", "train_inner",
         10, {"loss": 9.5, "dwa_loss": 2, "num_updates": 10, "lr": 0.1}),
        ("valid | epoch 001 | valid on 'valid' subset | loss 9 | aer_en-de 0.3 | num_updates 20", "valid", 20,
         {"loss": 9, "aer_en-de": 0.3, "num_updates": 20}),
        ("train | epoch 002 | loss 9.25 | wpb 1600 | num_updates 30 | lr 0.1", "train", 30,
         {"loss": 9.25, "wpb": 1600, "num_updates": 30, "lr": 0.1}),
    ],
)  # fmt: skip
def test_rows_of_both_formats(line, kind, updates, values):
    row = read_row(f"{HEAD}{line}\n")
    assert (row.kind, row.updates, row.values) == (kind, updates, values)
    assert row.time == "2026-11-23 05:12:51"
    bare = read_row(line.split(" | ", 1)[1])  # as in a --log-file
    assert bare == LogRow(kind, updates, values)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "fairseq_cli.train | begin training epoch 1",
        'train_inner | {"epoch": 2, "loss": "4.2',
        "valid | epoch 001 | valid on 'valid' subset | loss",
        "test | epoch 001 | valid on 'test' subset | loss 9 | wpb 1600 | num_updates 20",
        'test | {"test_loss": "9", "test_wpb": "1600", "test_num_updates": "20"}',
        'train_inner | {"loss": "4.2"}',
        "train_inner | [1, 2]",
    ],
)
def test_other_lines_and_broken_ones_have_none(line):
    assert read_row(HEAD + line) is None


def test_losses_of_objectives_have_their_names():
    row = read_row('a b | INFO | train_inner | {"loss": "9", "dwa_loss": "2", "tlm_loss": "3", "num_updates": "1"}')
    assert row.losses == {"dwa": 2, "tlm": 3} and row.time == ""


def test_rows_after_the_resumed_update_are_dropped():
    rows = [LogRow("valid", updates) for updates in (10, 20, 30, 15, 20, 20)]
    assert standing(rows) == [rows[0], *rows[3:]]
    assert standing([*rows, LogRow("train_inner", 5)]) == [LogRow("train_inner", 5)]


INTERVAL = "epoch 001: loss=9, wps=1, wpb=4000.5, bsz=9, num_updates=20, lr=0.1\n"
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


def test_updates_tokens_and_minutes_of_a_run_that_was_resumed(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(
        "cfg | {'data': '/somewhere'}\n"
        + INTERVAL
        + "epoch 001 | loss 9 | wps 1 | wpb 3000.5 | bsz 9 | num_updates 30 | lr 0.1 | gnorm 1\n"
        "epoch 001 | valid on 'valid' subset | loss 9 | wpb 9 | num_updates 30 | best_loss 9\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"  # repeated
        "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )
    # all updates, though the last logged interval ends with update 20
    assert read_cost(log) == TrainingCost(updates=35, tokens=30 * 3000.5 + 5 * 2000, minutes=2.0, gpus=())
    # GPUs are counted once
    log.write_text(GPUS + INTERVAL + GPUS)
    assert read_cost(log) == TrainingCost(updates=0, tokens=0, minutes=0.0, gpus=("Fast GPU", "Fast GPU"))
