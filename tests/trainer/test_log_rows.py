import pytest

from xalign_fairseq.trainer.log_rows import LogRow, read_row, standing

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
    ],
)  # fmt: skip
def test_rows_of_each_kind(line, kind, updates, values):
    row = read_row(f"{HEAD}{line}\n")
    assert (row.kind, row.updates, row.values) == (kind, updates, values)
    bare = read_row(line.split(" | ", 1)[1])  # as in a --log-file
    assert bare == LogRow(kind, updates, values)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "fairseq_cli.train | begin training epoch 1",
        'train_inner | {"epoch": 2, "loss": "4.2',
        "valid | epoch 001 | valid on 'valid' subset | loss 9 | num_updates 20",
        'test | {"test_loss": "9", "test_wpb": "1600", "test_num_updates": "20"}',
        'train_inner | {"loss": "4.2"}',
        "train_inner | [1, 2]",
    ],
)
def test_other_lines_and_broken_ones_have_none(line):
    assert read_row(HEAD + line) is None


def test_losses_of_objectives_have_their_names():
    row = read_row('a b | INFO | train_inner | {"loss": "9", "dwa_loss": "2", "tlm_loss": "3", "num_updates": "1"}')
    assert row.losses == {"dwa": 2, "tlm": 3}


def test_rows_after_the_resumed_update_are_dropped():
    rows = [LogRow("valid", updates) for updates in (10, 20, 30, 15, 20, 20)]
    assert standing(rows) == [rows[0], *rows[3:]]
    assert standing([*rows, LogRow("train_inner", 5)]) == [LogRow("train_inner", 5)]
