import pytest

from xalign_fairseq.aligner.training.log import Progress, read_line

HEAD = "2026-01-01 00:00:00 | INFO | "


@pytest.mark.parametrize(
    ("line", "report"),
    [
        ('train_inner | {"epoch": 2, "update": 1.5, "loss": "4.25", "num_updates": "150"}\n', Progress(150, loss=4.25)),
        (
            'train_inner | {"epoch": 2, "loss": "4.25", "num_updates": "150", "data_wait": "1.5"}\n',
            Progress(150, loss=4.25, data_wait=1.5),
        ),
        ('valid | {"epoch": 2, "valid_aer": "0.31", "valid_num_updates": "150"}\n', Progress(150, aer=0.31)),
        ('valid | {"epoch": 2, "valid_loss": "3", "valid_num_updates": "150"}\n', Progress(150)),
        ('train | {"epoch": 2, "train_loss": "3", "train_num_updates": "150"}\n', None),
        ('train_inner | {"epoch": 2, "loss": "4.2\n', None),
        ("fairseq_cli.train | Namespace(valid=1)\n", None),
        ("\n", None),
    ],
)
def test_lines_of_the_log(line, report):
    assert read_line(HEAD + line) == report
