import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.settings import optimiser_options, read_settings, update_counts

FAMILY = {"crf": False, "max_words": None}


def read(*layers):
    return read_settings(layers, FAMILY, "study, task")


def test_later_layers_win_and_family_options_are_apart():
    settings, options = read({"lr": 1e-3, "batch_size": 8}, {"lr": "3e-5", "crf": True, "max_words": 128})
    assert settings.lr == 3e-5 and settings.batch_size == 8  # YAML 1.1 reads 3e-5 as text
    assert options == {"crf": True, "max_words": 128}


def test_a_task_may_count_updates_where_the_study_counts_epochs():
    settings, _ = read({"epochs": 3}, {"updates": 70})
    assert (settings.epochs, settings.updates) == (None, 70)
    settings, _ = read({"updates": 70}, {"epochs": 3})
    assert (settings.epochs, settings.updates) == (3, None)
    with pytest.raises(XalignError, match="twice"):
        read({"epochs": 3, "updates": 70})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lr", "fast"), ("lr", 0), ("lr", float("nan")), ("epochs", 0), ("dropout", 1), ("warmup", -1),
        ("adam_betas", [0.9]), ("adam_betas", [0.9, 1.0]), ("crf", "true"), ("max_words", 1.5),
    ],
)  # fmt: skip
def test_values_of_the_wrong_kind_are_named(name, value):
    with pytest.raises(XalignError, match=f"study, task, {name}"):
        read({name: value})


@pytest.mark.parametrize(
    ("options", "batches", "expected"),
    [
        ({"epochs": 3}, 57, (171, 17)),
        ({"epochs": 3, "update_freq": 4}, 57, (45, 4)),  # 15 updates per epoch, the last one of a single batch
        ({"updates": 100, "warmup": 0.25}, 57, (100, 25)),
        ({"epochs": 2, "warmup": 1000}, 57, (114, 1000)),
        ({"epochs": 2, "warmup": 1}, 57, (114, 1)),
        ({"epochs": 2, "warmup": 0}, 57, (114, 0)),
    ],
)
def test_updates_and_warm_up(options, batches, expected):
    assert update_counts(read(options)[0], batches) == expected


def test_fairseqs_options():
    settings, _ = read({"lr": 3e-5, "epochs": 2, "adam_betas": [0.9, 0.98], "update_freq": 2, "validate_every": 7})
    line = optimiser_options(settings, 100, 10)
    found = dict(zip(line[::2], line[1::2], strict=True))
    assert found["--lr"] == "3e-05" and found["--adam-betas"] == "(0.9, 0.98)"
    assert found["--total-num-update"] == found["--max-update"] == "100" and found["--warmup-updates"] == "10"
    assert found["--max-epoch"] == "2" and found["--validate-interval-updates"] == "7"
    assert found["--required-batch-size-multiple"] == "1"
    assert "--max-epoch" not in optimiser_options(read({"updates": 9})[0], 9, 1)
