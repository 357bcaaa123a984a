"""The package's trainer: updates, the loop around them, checkpoints."""

import contextlib
import logging
import sys
import time
from types import SimpleNamespace

import fairseq.trainer
import pytest
import torch
import torch.distributed as dist
from fairseq import checkpoint_utils
from fairseq.data import iterators
from fairseq.logging import metrics
from fairseq_cli import train as loop
from omegaconf import OmegaConf
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import make_trainer

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.trainer import requeue, trainer
from xalign_fairseq.trainer.trainer import XalignTrainer

BAD, GOOD = float("nan"), 1.0


def test_fairseq_train_uses_it():
    trainer.install()
    assert fairseq.trainer.Trainer is loop.Trainer is XalignTrainer
    assert checkpoint_utils.save_checkpoint.__wrapped__.__name__ == "save_checkpoint"
    assert not hasattr(checkpoint_utils.save_checkpoint.__wrapped__, "__wrapped__")


def test_a_launcher_s_processes_must_not_train_alone(monkeypatch):
    for name, value in {"MASTER_ADDR": "here", "MASTER_PORT": "1", "RANK": "0", "WORLD_SIZE": "4"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(XalignError, match="alone in each"):
        XalignTrainer(OmegaConf.create({"distributed_training": {"distributed_world_size": 1}}), None, None, None)


# Updates.


@pytest.fixture
def now(monkeypatch):
    """A clock that goes on where it is told to alone."""
    seconds = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: seconds[0])

    def take(more):
        seconds[0] += more

    return take


def test_the_log_has_the_share_of_the_time_that_passed_in_waiting(make, fairseqs, monkeypatch, now):
    def batches():
        for seconds in (1, 1, 4):
            now(seconds)
            yield seconds

    monkeypatch.setattr(fairseqs, "train_step", lambda self, samples, raise_oom: now(3 if samples == [1, 1] else 1))
    made, shares = make(), []

    def epoch(cfg, trainer, task, epoch_itr):
        # Two micro-batches and then one, as fairseq groups them for --update-freq 2.
        for samples in iterators.GroupedIterator(iterators.CountingIterator(batches(), total=3), 2):
            trainer.train_step(samples)
            now(1000)  # validation
            shares.append(log["data_wait"].val)

    with metrics.aggregate(new_root=True) as log:
        trainer._train_epoch(epoch)(None, made, None, None)
        assert shares == pytest.approx([40, 80])
        assert log["data_wait"].avg == pytest.approx(60)
    assert iterators.GroupedIterator is not trainer.ClockedIterator


def test_an_update_that_fails_is_clocked_too(make, fairseqs, monkeypatch, now):
    def fails(self, samples, raise_oom):
        now(1)
        raise ZeroDivisionError

    monkeypatch.setattr(fairseqs, "train_step", fails)
    with metrics.aggregate(new_root=True) as log:
        with pytest.raises(ZeroDivisionError):
            make().train_step([1])
        assert log["data_wait"].avg == 0 and log["data_wait"].count == 1


def test_the_task_sees_an_update_before_anything_runs(make, fairseqs, monkeypatch):
    seen = []
    task = SimpleNamespace(begin_update=lambda *given: seen.append(given), train_step=None)
    made = make(task, get_criterion=lambda: "criterion", device="cpu")
    monkeypatch.setattr(fairseqs, "train_step", lambda self, *given: seen.append(given))
    made.train_step([1, 2], raise_oom=True)
    assert seen == [([1, 2], "criterion", "cpu"), ([1, 2], True)]


def test_micro_batches_that_are_lacking_come_first_and_count_nothing(make, fairseqs, monkeypatch):
    ran = []

    def step(sample, ignore_grad=False):
        ran.append(sample)
        return "loss", torch.tensor(5), {"loss": torch.tensor(BAD if ignore_grad else 2.0), "n": 3, "of": "x"}

    def train_step(self, samples, raise_oom):
        return [self.task.train_step(sample, ignore_grad=not sample) for sample in samples]

    monkeypatch.setattr(fairseqs, "train_step", train_step)
    made, samples = make(SimpleNamespace(train_step=step)), [{"a": 1}, {"b": 1}, {}, None]
    found = made.train_step(samples)
    assert ran == samples == [{}, None, {"a": 1}, {"b": 1}]
    assert [(int(size), float(logs["loss"]), logs["n"], logs["of"]) for _, size, logs in found] == [
        (0, 0.0, 0, "x"), (0, 0.0, 0, "x"), (5, 2.0, 3, "x"), (5, 2.0, 3, "x"),
    ]  # fmt: skip
    assert made.task.train_step is step  # the task is left as it was


NORMALIZATIONS, CHOSEN = ("joint", "per-objective"), {"objectives": "mlm,tlm"}


def part(number):
    """A micro-batch, none of which is like another."""
    n, m = ((5, 7), (3, 2), (9, 6))[number]
    return collate([pair(n, m, diagonal(n, m))], [block(number, 8 + 3 * number)])


def update(made, samples):
    """The gradient that the optimizer steps by, and what is logged."""
    logs = made.train_step(samples)
    return torch.cat([p.grad.flatten() for p in made.get_model().parameters()]), logs


def worker(rank):
    """The first worker has two micro-batches and the second one, as at the end of an epoch; of either normalisation."""
    found = []
    for normalization in NORMALIZATIONS:
        made = make_trainer("legacy_ddp", rank, 2, normalization, CHOSEN)
        made.reset_dummy_batch(part(0))
        found.append(update(made, [part(0), part(1)] if rank == 0 else [part(2), {}]))
    return found


def test_an_update_is_that_of_the_micro_batches_that_are_there(tmp_path):
    both = run_workers(worker, 2, tmp_path)
    for number, normalization in enumerate(NORMALIZATIONS):
        gradient, logs = update(make_trainer("legacy_ddp", 0, 1, normalization, CHOSEN), [part(0), part(1), part(2)])
        for found, logged in (of_worker[number] for of_worker in both):
            torch.testing.assert_close(found, gradient, rtol=1e-4, atol=1e-6)
            assert {name: logged[name] for name in ("loss", "mlm_loss", "tlm_loss")} == pytest.approx(
                {name: logs[name] for name in ("loss", "mlm_loss", "tlm_loss")}
            )


def overflow(self, samples, raise_oom):
    return torch.tensor(0.0).cuda() + samples[0]


def test_an_overflow_on_a_cpu_needs_no_cuda(make, fairseqs, monkeypatch):
    monkeypatch.setattr(fairseqs, "train_step", overflow)
    assert make().train_step([2]) == 2
    assert "cuda" not in vars(torch.Tensor)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_an_overflow_on_a_gpu_is_left_to_fairseq(make, fairseqs, monkeypatch):
    monkeypatch.setattr(fairseqs, "train_step", overflow)
    with pytest.raises((AssertionError, RuntimeError)):
        make(cuda=True).train_step([2])


@pytest.fixture
def training(make, fairseqs, monkeypatch):
    """The function that makes a trainer of a linear model whose updates have the norms that it is given."""

    def train_step(self, samples, raise_oom=False):
        for sample in samples:
            self.clip_grad_norm(sample)
        self.updates += 1
        return "logged"

    monkeypatch.setattr(fairseqs, "train_step", train_step)
    monkeypatch.setattr(fairseqs, "clip_grad_norm", lambda self, norm: torch.tensor(norm))

    def made(model=None, criterion=(), common=(), **task):
        model = model or torch.nn.Linear(2, 2)
        trainer = make(
            SimpleNamespace(cfg=SimpleNamespace(**task), train_step=None), common, get_model=lambda: model, cleared=0
        )
        trainer.optimizer_ = SimpleNamespace(scaler=None, _multiply_factor=1.0)  # of --bf16
        monkeypatch.setattr(fairseqs, "optimizer", property(lambda self: self.optimizer_))
        trainer.get_criterion = lambda: SimpleNamespace(**dict(criterion))
        trainer.zero_grad = lambda: setattr(trainer, "cleared", trainer.cleared + 1)
        return trainer

    return made


def test_updates_are_left_out_until_there_are_too_many_in_a_row(training, caplog):
    made = training(nonfinite_updates=3)
    norms = [GOOD, BAD, float("inf"), GOOD, BAD, BAD]
    with caplog.at_level(logging.WARNING):
        assert [made.train_step([norm]) for norm in norms] == ["logged", None, None, "logged", None, None]
    assert made.updates == 2 and made.cleared == 4
    assert [record.message.split(":")[0] for record in caplog.records][:2] == [
        f"update 2 is left out, {n} in a row, 3 end the training" for n in (1, 2)
    ]
    with pytest.raises(XalignError, match="3 updates in a row not finite"):
        made.train_step([BAD])


def test_a_task_of_somebody_else_has_the_default(training):
    made = training()
    assert [made.train_step([BAD]) for _ in range(2)] == [None, None]
    with pytest.raises(XalignError):
        made.train_step([BAD])


def test_what_a_bad_update_has_not_spoilt_is_saved(training):
    made = training()
    made.get_model().register_buffer("kept", torch.zeros(2))
    save = trainer._save_what_is_finite(lambda cfg, trainer, *rest: "saved")
    found = []
    for norm, kept in ((GOOD, BAD), (BAD, 0.0), (BAD, BAD), (GOOD, 0.0)):
        made.train_step([norm])
        made.get_model().kept.fill_(kept)
        found.append(save(None, made, None, None))
    assert found == ["saved", "saved", None, "saved"]


def test_what_bfloat16_multiplies_gradients_with_is_forgotten_with_them(training):
    made = training()
    made.optimizer_._multiply_factor = BAD  # one over the sample size, and the clipping by a norm that is not a number
    made.train_step([BAD])
    assert made.optimizer_._multiply_factor == 1.0


def test_mixed_precision_by_a_scaled_loss_has_its_own_way(training):
    assert training(common={"amp": True}).train_step([BAD]) == "logged"


# The loop around updates.


@pytest.mark.parametrize(("updates", "most", "finished"), [(5, 6, False), (6, 6, True), (7, 6, True), (5, 0, False)])
def test_an_epoch_is_trained_unless_all_updates_are_there(make, updates, most, finished):
    made = make(max_update=most)
    made.updates = updates
    train = trainer._train_epoch(lambda *given: "trained")
    assert train(None, made, None, None) == (([None], True) if finished else "trained")


@pytest.mark.parametrize(
    ("counted", "patience", "finished"), [(2, 3, False), (3, 3, True), (3, 4, False), (3, -1, False), (None, 3, False)]
)
def test_an_epoch_is_trained_unless_patience_is_at_its_end(make, counted, patience, finished, monkeypatch):
    if counted is not None:
        monkeypatch.setattr(loop.should_stop_early, "num_runs", counted, raising=False)
    assert make(checkpoint={"patience": patience}).is_finished() is finished


@pytest.fixture
def validate(monkeypatch):
    """The function that validates with a trainer by fairseq-train's loop, and what its own validation returns."""
    own = {"value": ([0.5], False), "calls": 0}

    def fairseqs(*given):
        own["calls"] += 1
        return own["value"]

    wrapped = trainer._validate_and_save(fairseqs)
    return lambda made, end_of_epoch=False: wrapped(None, made, None, "place", ["valid"], end_of_epoch), own


def test_an_update_that_is_left_out_is_not_validated_again_unless_the_epoch_ends(make, validate):
    call, _ = validate
    made = make()

    def look(updates, end_of_epoch=False):
        made.updates = updates
        return call(made, end_of_epoch)[0]

    assert [look(3), look(4), look(4), look(4), look(5)] == [[0.5], [0.5], [None], [None], [0.5]]
    assert look(5, end_of_epoch=True) == [0.5]


@pytest.fixture
def signalled(make, monkeypatch):
    """A trainer that has received SIGUSR1, and the arguments of the checkpoints that are saved."""
    calls = []
    monkeypatch.setattr(requeue.Signalled, "received", True)
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: calls.append(given) or "last.pt")
    made = make()
    made.cfg.checkpoint = OmegaConf.create({"no_save": True, "no_last_checkpoints": True})
    return made, calls


def test_after_the_signal_the_run_saves_and_ends(signalled, validate, monkeypatch, caplog):
    (made, calls), (call, _) = signalled, validate
    monkeypatch.setattr(requeue.Signalled, "received", False)
    assert call(made) == ([0.5], False) and not calls
    monkeypatch.setattr(requeue.Signalled, "received", True)
    with pytest.raises(SystemExit) as end, caplog.at_level(logging.INFO):
        call(made)  # though this update was left out
    assert end.value.code == 75 and "SIGUSR1: saved at update 0; the same command resumes" in caplog.text
    ((saved, by, place, loss),) = calls
    assert (by, place, loss) == (made, "place", None)
    assert not saved.no_save and not saved.no_last_checkpoints  # it must be there


def test_what_was_not_saved_is_told(signalled, monkeypatch, caplog):
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: None)
    with pytest.raises(SystemExit), caplog.at_level(logging.INFO):
        signalled[0].requeue_if_signalled("place")
    assert "SIGUSR1: ends without a new checkpoint" in caplog.text


def test_a_run_that_ends_anyway_ends_as_ever(signalled, validate):
    (made, calls), (call, own) = signalled, validate
    own["value"] = ([0.5], True)
    assert call(made) == ([0.5], True) and not calls


@pytest.mark.parametrize(("own", "others", "ends"), [(0.0, 0.0, False), (0.0, 1.0, True), (1.0, 0.0, True)])
def test_what_one_process_has_received_all_know_after_the_update(signalled, fairseqs, monkeypatch, own, others, ends):
    made, _ = signalled
    monkeypatch.setattr(fairseqs, "data_parallel_world_size", 2)
    monkeypatch.setattr(requeue.Signalled, "received", bool(own))
    monkeypatch.setattr(
        fairseqs,
        "_aggregate_logging_outputs",
        lambda self, logs, *counts, ignore: (logs, [*(2 * count for count in counts[:-1]), counts[-1] + others]),
    )
    made.requeue_if_signalled("place")  # the others may be in their next update, whose counts wait for this process
    assert made._aggregate_logging_outputs(["logs"], 1, 2, ignore=True) == (["logs"], [2, 4])
    with pytest.raises(SystemExit) if ends else contextlib.nullcontext():
        made.requeue_if_signalled("place")


# Checkpoints.


class Counted(SimpleNamespace):
    """A process in which nothing has been validated yet."""

    def __init__(self):
        super().__init__(checkpoint=SimpleNamespace(patience=3, maximize_best_checkpoint_metric=False))

    def validate(self, *values):
        return [loop.should_stop_early(self, value) for value in values]


@pytest.fixture
def restart(monkeypatch):
    """Begins a process in which nothing has been validated; the last goes with the test."""
    for name in ("best", "num_runs"):
        monkeypatch.setattr(loop.should_stop_early, name, None, raising=False)

    def begin():
        vars(loop.should_stop_early).pop("best", None)
        vars(loop.should_stop_early).pop("num_runs", None)
        return Counted()

    return begin


@pytest.fixture
def saved(make, fairseqs, monkeypatch, tmp_path):
    """The function that saves a checkpoint; what it holds beside the model."""
    monkeypatch.setattr(fairseqs, "should_save_checkpoint_on_current_rank", True)
    monkeypatch.setattr(fairseqs, "state_dict", lambda self: {"model": {}, "extra_state": {"metrics": 1}})

    def save():
        make().save_checkpoint(str(tmp_path / "checkpoint.pt"), {"val_loss": 0.7})
        return torch.load(tmp_path / "checkpoint.pt")["extra_state"]

    return save


@pytest.fixture
def load(make, fairseqs, monkeypatch):
    """The function that has a trainer read a checkpoint with this extra state."""

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
def test_what_begins_anew_from_a_checkpoint_counts_anew(restart, load, reset):
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


def test_a_program_that_is_fairseq_train_itself_counts_too(restart, saved, load, monkeypatch):
    monkeypatch.delitem(sys.modules, "fairseq_cli.train")
    monkeypatch.setitem(sys.modules, "__main__", loop)  # python -m fairseq_cli.train
    restart().validate(0.5, 0.6)
    extra_state = saved()
    process = restart()
    load(extra_state)
    assert process.validate(0.7, 0.8) == [False, True]


@pytest.mark.parametrize("suffix", ["", "-shard0"])
def test_a_restore_file_that_does_not_exist_is_an_error(make, fairseqs, monkeypatch, tmp_path, suffix):
    monkeypatch.setattr(fairseqs, "load_checkpoint", lambda self, name, *given: name)
    path = tmp_path / "checkpoint_lst.pt"
    made = make(checkpoint={"restore_file": str(path), "checkpoint_suffix": suffix})
    if not suffix:  # shards have names of their own, and are left to fairseq
        with pytest.raises(XalignError, match=r"(?s)does not exist.*restore_file.*checkpoint_lst.pt"):
            made.load_checkpoint(str(path))
        path.touch()
    assert made.load_checkpoint(str(path)) == str(path)


def write(path, updates):
    torch.save({"model": {}, "args": None, "optimizer_history": [{"num_updates": updates}]}, path)


@pytest.fixture
def damaged(tmp_path):
    """A run whose last checkpoint, a copy of that of update 8, was broken off."""
    write(tmp_path / "checkpoint1.pt", 4)
    write(tmp_path / "checkpoint_2_8.pt", 8)
    whole = (tmp_path / "checkpoint_2_8.pt").read_bytes()
    (tmp_path / "checkpoint_last.pt").write_bytes(whole[: len(whole) // 2])
    return tmp_path


@pytest.fixture
def resumed(make, fairseqs, monkeypatch, tmp_path):
    """The function that has a trainer resume: the updates of its last checkpoint then."""

    def resume(rank=0, suffix="", **checkpoint):
        monkeypatch.setattr(fairseqs, "load_checkpoint", lambda self, name, *given: None)
        monkeypatch.setattr(fairseqs, "data_parallel_rank", rank)
        last = tmp_path / "checkpoint_last.pt"
        make(checkpoint={"checkpoint_suffix": suffix, **checkpoint}).load_checkpoint(str(last))
        return updates_of(last)

    return resume


def test_training_resumes_from_the_newest_whole_checkpoint_and_says_so(damaged, resumed, caplog):
    with caplog.at_level(logging.WARNING):
        assert resumed() == 8
    assert "checkpoint_last.pt is damaged: checkpoint_2_8.pt, of update 8, takes its place" in caplog.text


def test_the_checkpoint_of_an_epoch_will_do(damaged, resumed):
    (damaged / "checkpoint_2_8.pt").unlink()
    assert resumed() == 4


def test_other_damaged_files_and_a_best_model_without_training_are_left(damaged, resumed):
    (damaged / "checkpoint_mine.pt").write_bytes(b"half")
    torch.save({"model": {"weight": torch.ones(2)}}, damaged / "checkpoint_best.pt")  # as untrim and import-hf write it
    before = (damaged / "checkpoint_best.pt").read_bytes()
    assert resumed() == 8
    assert (damaged / "checkpoint_mine.pt").read_bytes() == b"half"
    assert (damaged / "checkpoint_best.pt").read_bytes() == before


@pytest.mark.parametrize("other", [{"rank": 1}, {"suffix": "-shard0"}, {"restore_file": "checkpoint_2_8.pt"}])
def test_other_processes_shards_and_files_are_left_to_fairseq(damaged, resumed, other, monkeypatch):
    monkeypatch.chdir(damaged)
    assert resumed(**other) is None


def test_where_nothing_is_whole_the_damaged_file_stays_and_is_named_by_fairseqs_reader(damaged, resumed):
    for name in ("checkpoint1.pt", "checkpoint_2_8.pt"):
        (damaged / name).unlink()
    assert resumed() is None and (damaged / "checkpoint_last.pt").is_file()


class Seen(Exception):
    pass


class Task:
    def load_state_dict(self, state):
        raise Seen(state)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Stands for reading a checkpoint file with the given contents."""

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


@pytest.mark.parametrize("anew", ["", "reset", "finetuned"])
def test_the_place_in_the_data_is_not_shown_where_they_begin_anew(make, anew, read):
    path, _ = read({"model": {}, "task_state": {"symbols": 5, "shard": {"epoch": 3}}})
    finetuned = path if anew == "finetuned" else "other.pt"
    made = make(Task(), checkpoint={"reset_dataloader": anew == "reset", "finetune_from_model": finetuned})
    with pytest.raises(Seen, match="'symbols': 5") as seen:
        made.load_checkpoint(path)
    assert ("shard" in str(seen.value)) is not bool(anew)


def test_a_checkpoint_without_a_task_state_goes_on(make, read):
    path, _ = read({"model": {}})
    with pytest.raises(Exception, match="Cannot load model parameters"):
        make(Task()).load_checkpoint(path)


def shown(rank):
    """What a worker's task has seen when rank 0 alone has read a checkpoint."""
    seen = []
    checkpoint_utils.load_checkpoint_to_cpu = lambda *args, **kwargs: {"model": {}, "task_state": {"shard": 1}}
    made = make_trainer("legacy_ddp", rank, 2, "joint", CHOSEN)
    made.task.load_state_dict = seen.append
    with pytest.raises(Exception, match="Cannot load model parameters"):  # there is no model
        made.load_checkpoint(__file__)
    dist.barrier()
    return seen


def test_every_rank_s_task_sees_what_rank_0_has_read(tmp_path):
    assert run_workers(shown, 2, tmp_path) == [[{"shard": 1}]] * 2
