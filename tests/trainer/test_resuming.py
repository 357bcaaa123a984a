import errno
import logging
import sys
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from fairseq import checkpoint_utils
from fairseq_cli import train as loop
from omegaconf import OmegaConf
from support.processes import run_workers
from support.trials import make_trainer

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.trainer import trainer
from xalign_fairseq.trainer.checkpoint_repair import LAST
from xalign_fairseq.trainer.resuming import CONTINUED, absolute, continues_after, require_same_run


class Counted(SimpleNamespace):
    """A process without validations so far."""

    def __init__(self):
        super().__init__(checkpoint=SimpleNamespace(patience=3, maximize_best_checkpoint_metric=False))

    def validate(self, *values):
        return [loop.should_stop_early(self, value) for value in values]


@pytest.fixture
def restart(monkeypatch):
    """Starts a process without validations; the last one ends with the test."""
    for name in ("best", "num_runs"):
        monkeypatch.setattr(loop.should_stop_early, name, None, raising=False)

    def begin():
        vars(loop.should_stop_early).pop("best", None)
        vars(loop.should_stop_early).pop("num_runs", None)
        return Counted()

    return begin


@pytest.fixture
def saved(make, fairseqs, monkeypatch, tmp_path):
    """A function that saves a checkpoint and returns its content without the model."""
    monkeypatch.setattr(fairseqs, "should_save_checkpoint_on_current_rank", True)
    monkeypatch.setattr(fairseqs, "state_dict", lambda self: {"model": {}, "extra_state": {"metrics": 1}})

    def save():
        make().save_checkpoint(str(tmp_path / "checkpoint.pt"), {"val_loss": 0.7})
        return torch.load(tmp_path / "checkpoint.pt")["extra_state"]

    return save


@pytest.fixture
def load(make, fairseqs, monkeypatch):
    """A function that makes a trainer read a checkpoint with this extra state."""

    def read(extra_state, **reset):
        monkeypatch.setattr(fairseqs, "load_checkpoint", lambda self, *given: extra_state)
        return make().load_checkpoint("checkpoint.pt", **reset)

    return read


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(restart, saved, load):
    values = [0.5, 0.6, 0.7, 0.65]  # the fourth is the third without improvement
    assert restart().validate(*values) == [False, False, False, True]
    restart().validate(*values[:3])
    extra_state = saved()
    assert extra_state == {"metrics": 1, "val_loss": 0.7, "early_stopping": {"best": 0.5, "num_runs": 2}}
    process = restart()
    assert load(extra_state) is extra_state
    assert process.validate(values[3]) == [True]


@pytest.mark.parametrize("reset", [{"reset_optimizer": True}, {"reset_meters": True}])
def test_a_reset_from_a_checkpoint_restarts_the_counts(restart, load, reset):
    process = restart()
    load({"early_stopping": {"best": 0.5, "num_runs": 2}}, **reset)
    assert process.validate(0.6) == [False]
    assert loop.should_stop_early.best == 0.6


def test_checkpoints_without_a_count_are_read_and_written(restart, saved, load):
    process = restart()
    assert load(None) is None
    assert load({"val_loss": 1}) == {"val_loss": 1}
    assert "early_stopping" not in saved()
    assert process.validate(0.6) == [False]


def test_the_count_is_kept_if_fairseq_train_is_the_main_program(restart, saved, load, monkeypatch):
    monkeypatch.delitem(sys.modules, "fairseq_cli.train")
    monkeypatch.setitem(sys.modules, "__main__", loop)  # python -m fairseq_cli.train
    restart().validate(0.5, 0.6)
    extra_state = saved()
    process = restart()
    load(extra_state)
    assert process.validate(0.7, 0.8) == [False, True]


def write(path, updates):
    torch.save({"model": {}, "args": None, "optimizer_history": [{"num_updates": updates}]}, path)


@pytest.fixture
def damaged(tmp_path):
    """A run whose last checkpoint, a copy of that of update 8, is incomplete."""
    write(tmp_path / "checkpoint1.pt", 4)
    write(tmp_path / "checkpoint_2_8.pt", 8)
    whole = (tmp_path / "checkpoint_2_8.pt").read_bytes()
    (tmp_path / "checkpoint_last.pt").write_bytes(whole[: len(whole) // 2])
    return tmp_path


@pytest.fixture
def resumed(make, fairseqs, monkeypatch, tmp_path):
    """A function that makes a trainer resume and returns the updates of its last checkpoint."""

    def resume(rank=0, suffix="", **checkpoint):
        monkeypatch.setattr(fairseqs, "load_checkpoint", lambda self, name, *given: None)
        monkeypatch.setattr(fairseqs, "data_parallel_rank", rank)
        asked = checkpoint.get("restore_file", f"checkpoint_last{suffix}.pt")
        make(checkpoint={"checkpoint_suffix": suffix, **checkpoint}).load_checkpoint(str(tmp_path / asked))
        return updates_of(tmp_path / "checkpoint_last.pt")

    return resume


def test_training_resumes_from_the_newest_intact_checkpoint_and_reports_it(damaged, resumed, caplog):
    (damaged / "checkpoint_mine.pt").write_bytes(b"half")
    with caplog.at_level(logging.WARNING):
        assert resumed() == 8
    assert (damaged / "checkpoint_mine.pt").read_bytes() == b"half"  # left to its owner
    assert "checkpoint_last.pt is damaged: checkpoint_2_8.pt, of update 8, replaces it" in caplog.text


@pytest.mark.parametrize("other", [{"rank": 1}, {"suffix": "-shard0"}, {"restore_file": "checkpoint_2_8.pt"}])
def test_other_processes_shards_and_files_are_left_to_fairseq(damaged, resumed, other, monkeypatch):
    monkeypatch.chdir(damaged)
    assert resumed(**other) is None


def test_a_checkpoint_that_the_disk_cannot_read_is_not_taken_for_a_missing_one(tmp_path, monkeypatch):
    """The same command would start again, and write over it."""
    write(tmp_path / "checkpoint_last.pt", 8)

    def fails(*given, **options):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(torch, "load", fails)
    with pytest.raises(XalignError, match="input/output error"):
        continues_after({**CONTINUED, "save_dir": str(tmp_path), "continue_once": None})


def test_without_a_whole_checkpoint_the_damaged_file_is_kept_and_named(damaged, resumed):
    for name in ("checkpoint1.pt", "checkpoint_2_8.pt"):
        (damaged / name).unlink()
    with pytest.raises(XalignError, match=r"(?s)damaged.*checkpoint_last.pt.*remove the file .*restore_file='FILE'"):
        resumed()
    assert (damaged / "checkpoint_last.pt").is_file()


@pytest.mark.parametrize(
    ("changes", "optimizer", "after"),
    [({}, {1: 1}, 8), ({}, None, 0), ({"restore_file": "other.pt"}, {1: 1}, 0), ({"reset_meters": False}, {1: 1}, 0)],
)
def test_the_command_that_wrote_the_last_checkpoint_continues_from_it(tmp_path, changes, optimizer, after):
    command = {**dict.fromkeys(CONTINUED, True), "restore_file": "old.pt", "continue_once": None}
    state = {"model": {}, "cfg": {"checkpoint": command}, "last_optimizer_state": optimizer}
    torch.save({**state, "optimizer_history": [{"num_updates": 8}]}, tmp_path / LAST)
    cfg = OmegaConf.create({**command, **changes, "save_dir": str(tmp_path)})
    before = dict(cfg)
    assert continues_after(cfg) == after
    found = trainer._load_own(lambda cfg, trainer: dict(cfg))(cfg, None)
    assert found == ({**before, **CONTINUED} if after else before) and cfg == before


class Seen(Exception):
    pass


class Task:
    def load_state_dict(self, state):
        raise Seen(state)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Replaces reading a checkpoint file by the given contents."""

    def given(state):
        reader = lambda *args, **kwargs: state  # noqa: E731
        monkeypatch.setattr(checkpoint_utils, "load_checkpoint_to_cpu", reader)
        (tmp_path / "model.pt").touch()
        return str(tmp_path / "model.pt"), reader

    return given


def test_the_task_sees_its_state_before_weights_are_loaded(make, read):
    path, reader = read({"model": {}, "task_state": {"symbols": 5}})
    with pytest.raises(Seen, match="'symbols': 5"):
        make(Task()).load_checkpoint(path)
    assert checkpoint_utils.load_checkpoint_to_cpu is reader
    path, _ = read({"model": {}})  # none
    with pytest.raises(Exception, match="Cannot load model parameters"):
        make(Task()).load_checkpoint(path)


@pytest.mark.parametrize("how", ["", "reset", "finetuned"])
def test_the_place_in_the_data_is_not_shown_after_a_reset(make, how, read):
    path, _ = read({"model": {}, "task_state": {"symbols": 5, "shard": {"epoch": 3}}})
    finetuned = path if how == "finetuned" else "other.pt"
    made = make(Task(), checkpoint={"reset_dataloader": how == "reset", "finetune_from_model": finetuned})
    with pytest.raises(Seen, match="'symbols': 5") as seen:
        made.load_checkpoint(path)
    assert ("shard" in str(seen.value)) is not bool(how)


def shown(rank):
    """The arguments of a worker's task after only rank 0 has read a checkpoint."""
    seen = []
    checkpoint_utils.load_checkpoint_to_cpu = lambda *args, **kwargs: {"model": {}, "task_state": {"shard": 1}}
    made = make_trainer("legacy_ddp", rank, 2, "joint", {"objectives": "mlm,tlm"})
    made.task.load_state_dict = seen.append
    with pytest.raises(Exception, match="Cannot load model parameters"):  # there is no model
        made.load_checkpoint(__file__)
    dist.barrier()
    return seen


def test_every_ranks_task_sees_what_rank_0_read(tmp_path):
    assert run_workers(shown, 2, tmp_path) == [[{"shard": 1}]] * 2


@pytest.mark.parametrize("state", [{"model": {}, "cfg": None}, {"model": {}, "args": None, "extra_state": {}}])
def test_a_model_without_training_starts_a_run_or_is_refused(make, fairseqs, tmp_path, state, monkeypatch):
    """From other tools: fairseq failed with KeyError: 'best_loss'."""
    path, loaded = tmp_path / "model.pt", []
    torch.save(state, path)
    made = make(SimpleNamespace(load_state_dict=loaded.append), checkpoint={"finetune_from_model": str(path)})
    model = SimpleNamespace(
        set_num_updates=loaded.append, load_state_dict=lambda *given, **more: loaded.append("model")
    )
    monkeypatch.setattr(fairseqs, "model", model)
    made.get_criterion = torch.nn.Identity
    made.lr_step = lambda epoch: loaded.append(f"epoch {epoch}")
    made.load_checkpoint(str(path), reset_optimizer=True, reset_lr_scheduler=True, reset_meters=True)
    assert loaded == [0, "model", "epoch 0"]
    with pytest.raises(XalignError, match=r"(?s)no training state.*model.pt.*finetune_from_model.*init_checkpoint"):
        made.load_checkpoint(str(path))
    other = make(checkpoint={"restore_file": str(path)})
    with pytest.raises(XalignError, match="no training state"):
        other.load_checkpoint(str(path), reset_optimizer=True)  # its place in the data is required


@pytest.mark.parametrize("extra_state", [{}, {"ema": {"x": 2}}])
def test_the_average_of_parameters_begins_with_the_model_where_a_checkpoint_has_none(
    make, fairseqs, tmp_path, extra_state, monkeypatch
):
    """fairseq failed with KeyError: 'model'."""
    path, restored = tmp_path / "model.pt", []
    torch.save({"model": {"x": 1}, "args": None, "extra_state": extra_state}, path)
    made = make(SimpleNamespace(load_state_dict=None), checkpoint={"finetune_from_model": str(path)}, ema=True)
    model = SimpleNamespace(set_num_updates=id, load_state_dict=lambda given, **more: given.clear())  # renames in place
    monkeypatch.setattr(fairseqs, "model", model)
    monkeypatch.setattr(fairseqs, "ema", SimpleNamespace(restore=lambda state, **more: restored.append(state)))
    made.get_criterion, made.lr_step = torch.nn.Identity, id
    made.load_checkpoint(str(path), reset_optimizer=True, reset_lr_scheduler=True, reset_meters=True)
    assert restored == [extra_state.get("ema", {"x": 1})]


BEFORE = {
    "task": {"_name": "xalign_pretraining", "max_update": 4, "mask_prob": 0.15},
    "criterion": {"_name": "dwa", "dwa_mu": 1.0, "gone": 1},
    "model": {"_name": "xalign_base", "init_checkpoint": None},
    "common": {"seed": 1, "log_interval": 100},
    "dataset": {"batch_size": 8, "num_workers": 1},
}


def changed(group, **options):
    return {**BEFORE, group: {**BEFORE[group], **options}}


def test_a_run_continues_with_the_options_of_its_objectives(caplog):
    state = {"cfg": BEFORE, "model": {}}
    require_same_run(state, changed("task", max_update=8), "run")
    require_same_run(state, changed("criterion", new=2), "run")
    require_same_run(state, changed("common", log_interval=10), "run")
    require_same_run(state, changed("dataset", num_workers=2), "run")
    require_same_run({"model": {}}, changed("common", seed=2), "run")  # of a program that stores no options
    assert not caplog.text
    require_same_run(state, changed("task", mask_prob=0.3), "run")
    require_same_run(state, changed("dataset", batch_size=16), "run")
    said = ("mask_prob 0.15, now 0.3", "batch_size 8, now 16")
    assert all(f"the run continues with other options: {each}" in caplog.text for each in said)


@pytest.mark.parametrize(
    ("group", "option", "told"),
    [
        ("criterion", {"dwa_mu": 0.5}, "dwa_mu 1.0, now 0.5"),
        ("criterion", {"_name": "weam"}, "criterion dwa, now weam.*restore_file='FILE' with reset_optimizer to choose"),
        ("task", {"_name": "xalign_transfer"}, "task xalign_pretraining, now xalign_transfer"),
        ("model", {"_name": "xalign_large"}, "arch xalign_base, now xalign_large"),
        ("model", {"init_checkpoint": "e5-small"}, "init_checkpoint None, now e5-small"),
        ("common", {"seed": 2}, "seed 1, now 2"),
    ],
)
def test_another_setting_is_another_run(group, option, told):
    with pytest.raises(XalignError, match=f"(?s)run with other options.*{told}"):
        require_same_run({"cfg": BEFORE}, changed(group, **option), "run")


def test_the_initial_checkpoint_may_be_written_in_another_way(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pt").touch()
    before, now = ({"model": {"init_checkpoint": path}} for path in ("a.pt", str(tmp_path / "a.pt")))
    require_same_run({"cfg": before}, now, tmp_path)
    with pytest.raises(XalignError, match="init_checkpoint"):
        require_same_run({"cfg": before}, {"model": {"init_checkpoint": "b.pt"}}, tmp_path)


def test_a_run_keeps_its_data_or_gets_more(tmp_path, monkeypatch, caplog):
    for folder in ("work", "data", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to("data")
    monkeypatch.chdir(tmp_path / "work")
    both = absolute("../data:../more")
    assert both == f"{tmp_path / 'data'}:{tmp_path / 'more'}"
    monkeypatch.chdir(tmp_path)
    state = {"cfg": changed("task", data=str(tmp_path / "data"))}
    for same in ("data", "./data/", "link", "work/../data:other"):
        require_same_run(state, changed("task", data=same), "run")
    assert not caplog.text
    require_same_run({"cfg": changed("task", data=both)}, changed("task", data="data"), "run")
    assert "the run continues with other options: data /" in caplog.text  # fewer data
    for other in ("more:data", "other:data:more", "more", "data:other"):  # a checkpoint names folders by number
        with pytest.raises(XalignError, match=rf"data /.*/more, now {other}"):
            require_same_run({"cfg": changed("task", data=both)}, changed("task", data=other), "run")
    (tmp_path / "data").rename("moved")
    for other in ("other", "moved"):
        with pytest.raises(XalignError, match=rf"data /.*/data, now {other}"):
            require_same_run(state, changed("task", data=other), "run")
