import copy

import pytest
from omegaconf import OmegaConf, open_dict
from support.trials import configuration

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.options import check_options, check_parts, check_start, check_warmup


@pytest.fixture
def checked(tmp_path):
    """A function that checks the usual options with one change."""

    def check(**changes):
        cfg = copy.deepcopy(configuration("legacy_ddp", 0, 1))
        with open_dict(cfg):
            cfg.checkpoint.save_dir = str(tmp_path)
            for name, value in changes.items():
                group = next(group for group in cfg if name in (cfg[group] or ()))
                OmegaConf.update(cfg, f"{group}.{name}", value)
        check_options(cfg)
        return cfg

    return check


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("lr", value) for value in ([-1], [0], [float("nan")], [float("inf")], [1e-3, -1e-3])),
        *((name, 0) for name in ("batch_size", "max_tokens", "batch_size_valid", "max_tokens_valid", "encoder_layers")),
        *((name, 0) for name in ("validate_interval", "save_interval", "log_interval", "fp16_init_scale", "adam_eps")),
        *((name, 0) for name in ("encoder_attention_heads", "distributed_world_size", "min_loss_scale")),
        *((name, -1) for name in ("max_epoch", "max_update", "clip_norm", "num_workers", "save_interval_updates")),
        *((name, -1) for name in ("seed", "stop_time_hours", "weight_decay", "warmup_updates", "batch_size")),
        *((name, value) for name in ("dropout", "attention_dropout") for value in (-0.1, 1.0)),
        ("update_freq", [2, 0]), ("patience", -2), ("seed", 2**32), ("adam_betas", "(0.9, 1)"),
        ("adam_betas", "0.9;0.98"), ("ema_decay", 1.5), ("nonfinite_updates", 0), ("layer_norm_eps", 0),
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_refused_by_its_name(checked, name, value):
    with pytest.raises(XalignError, match=f"(?s)out of range.*where: {name}\n") as error:
        checked(**{name: value})
    assert error.value.parameters == (name,)


def test_usual_values_and_never_are_accepted(checked):
    found = checked(valid_subset="valid, valid1").dataset
    assert found.valid_subset == "valid,valid1" and found.ignore_unused_valid_subsets
    checked(best_checkpoint_metric="dwa_accuracy", maximize_best_checkpoint_metric=True)
    checked(
        patience=-1, max_update=0, keep_last_epochs=-1, clip_norm=0.0, batch_size=1, lr=[1e-9], adam_betas="(0, 0.9)"
    )


@pytest.mark.parametrize(
    "given",
    [{"restore_file": "gone.pt"}, {"warmup_updates": 9, "max_update": 8}, {"tensorboard_logdir": "/proc/x"},
     {"combine_valid_subsets": True}, {"distributed_port": 9, "distributed_world_size": 2},
     {"finetune_from_model": "a.pt", "reset_meters": True}, {"update_freq": [2, 4], "fp16": True},
     *({"best_checkpoint_metric": name, "maximize_best_checkpoint_metric": name != "dwa_accuracy"}
       for name in ("aer_en-de", "loss", "dwa_accuracy"))],
)  # fmt: skip
def test_first_checkpoint_warm_up_and_score_are_checked_with_all_options(checked, given):
    with pytest.raises(XalignError, match=f"where: .*{next(iter(given))}"):
        checked(**given)


def test_asynchronous_writing_needs_iopath(checked, monkeypatch):
    checked(write_checkpoints_asynchronously=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(XalignError, match=r"(?s)need iopath.*write_checkpoints_asynchronously"):
        checked(write_checkpoints_asynchronously=True)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: "there")
    checked(write_checkpoints_asynchronously=True)


@pytest.mark.parametrize(
    ("schedule", "updates", "named"),
    [
        ({"warmup_updates": 11, "total_num_update": 10}, 0, "total_num_update"),
        ({"warmup_updates": 11, "total_num_update": 10.0}, 100, "total_num_update"),
        ({"warmup_updates": 11}, 10, "max_update"),
    ],
)
def test_a_warm_up_is_no_longer_than_the_training(schedule, updates, named):
    def configured(**changes):
        return OmegaConf.create({"lr_scheduler": {**schedule, **changes}, "optimization": {"max_update": updates}})

    with pytest.raises(XalignError, match=f"(?s)warm-up is longer.*{named}.*found: 11") as error:
        check_warmup(configured())
    assert error.value.parameters == ("warmup_updates",)
    check_warmup(configured(warmup_updates=10))
    check_warmup(configured(warmup_updates=0))


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_an_optimizer_that_needs_float32_is_refused_for_memory_efficient_precision(precision):
    name = f"memory_efficient_{precision}"

    def configured(optimizer, flag=True):
        cfg = copy.deepcopy(configuration("legacy_ddp", 0, 1, "--optimizer", optimizer))
        cfg.common[name] = flag
        return cfg

    with pytest.raises(XalignError, match=r"(?s)half precision.*optimizer='sgd'") as error:
        check_options(configured("sgd"))
    assert error.value.parameters == (name,)
    check_options(configured("sgd", flag=False))
    for optimizer in ("adam", "xalign_adamw", "adafactor"):
        check_options(configured(optimizer))


def test_amp_is_refused():
    cfg = configuration("legacy_ddp", 0, 1)
    cfg.common.amp = True
    with pytest.raises(XalignError, match=r"(?s)precision is not supported.*expected: fp16 or bf16") as error:
        check_options(cfg)
    assert error.value.parameters == ("amp",)


FITTING = [
    ("xalign_pretraining", "xlm_align", "xalign_tiny"),
    ("xalign_pretraining", "weighted", "xalign_base"),
    ("xalign_tagging", "transfer", "xalign_tiny"),
    ("masked_lm", "masked_lm", "roberta_base"),
    ("no_such_task", "xlm_align", "roberta_base"),
    (None, None, None),
]


@pytest.mark.parametrize("parts", FITTING)
def test_options_that_belong_together(parts):
    check_parts(*parts)


@pytest.mark.parametrize(
    ("parts", "named", "expected"),
    [
        (("xalign_pretraining", "xlm_align", "roberta_base"), "arch", "xalign_base, xalign_large, xalign_small"),
        (("xalign_pretraining", "masked_lm", "xalign_tiny"), "criterion", "xlm_align"),
        (("xalign_tagging", "xlm_align", "xalign_tiny"), "criterion", "transfer"),
        (("masked_lm", "xlm_align", "roberta_base"), "task", "xalign_pretraining"),
        (("masked_lm", "transfer", "xalign_tiny"), "task", "xalign_classification, xalign_parsing"),
    ],
)
def test_parts_that_were_made_for_others_are_refused_with_those_that_fit(parts, named, expected):
    with pytest.raises(
        XalignError, match=f"(?s)architecture do not match.*expected: .*{expected.split(': ')[-1]}"
    ) as error:
        check_parts(*parts)
    assert error.value.parameters == (named,)


@pytest.fixture
def start(tmp_path):
    """A function that checks the initial model of a run in a folder."""

    def check(**given):
        usual = {"restore_file": "checkpoint_last.pt", "continue_once": None, "finetune_from_model": None}
        check_start(OmegaConf.create({**usual, "save_dir": str(tmp_path / "run"), **given}))

    return check


@pytest.mark.parametrize("name", ["restore_file", "continue_once", "finetune_from_model"])
def test_the_initial_checkpoint_is_a_file(start, tmp_path, name):
    start()
    for path in (tmp_path, tmp_path / "lst.pt"):
        with pytest.raises(XalignError, match=f"(?s)the initial checkpoint is not a file.*{name}.*found: {path}"):
            start(**{name: str(path)})
    (tmp_path / "lst.pt").touch()
    start(**{name: str(tmp_path / "lst.pt")})


def test_a_resumed_run_does_not_need_its_initial_checkpoint(start, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/checkpoint_last.pt").touch()
    start(continue_once="gone.pt", finetune_from_model="gone.pt")
    with pytest.raises(XalignError, match="is not a file"):
        start(restore_file="gone.pt")
