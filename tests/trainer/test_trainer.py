import contextlib
import logging
import time
from types import SimpleNamespace

import fairseq.trainer
import pytest
import torch
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
from xalign_fairseq.trainer import requeue, trainer
from xalign_fairseq.trainer.trainer import XalignTrainer

BAD, GOOD = float("nan"), 1.0


def test_fairseq_train_uses_it():
    trainer.install()
    assert fairseq.trainer.Trainer is loop.Trainer is XalignTrainer
    assert checkpoint_utils.save_checkpoint.__wrapped__.__name__ == "save_checkpoint"
    assert not hasattr(checkpoint_utils.save_checkpoint.__wrapped__, "__wrapped__")


@pytest.mark.parametrize("rank", [0, 1])
def test_the_whole_configuration_is_checked_and_the_folder_held_first(monkeypatch, rank):
    done = []
    monkeypatch.setattr(trainer, "check_options", lambda cfg: done.append("checked"))
    monkeypatch.setattr(trainer, "hold", lambda cfg: done.append(cfg))
    distributed = SimpleNamespace(distributed_rank=rank)
    loop_begins = trainer._checked(lambda cfg: done.append("filled in"))
    common = SimpleNamespace(log_file=None)
    loop_begins(SimpleNamespace(distributed_training=distributed, checkpoint="folder", common=common))
    assert done == ["filled in", "checked", *(["folder"] if rank == 0 else [])]
    assert loop.add_defaults.__wrapped__.__module__ == "fairseq.dataclass.initialize"


def test_a_launcher_s_processes_must_not_train_alone(monkeypatch):
    for name, value in {"MASTER_ADDR": "here", "MASTER_PORT": "1", "RANK": "0", "WORLD_SIZE": "4"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(XalignError, match="alone in each"):
        XalignTrainer(OmegaConf.create({"distributed_training": {"distributed_world_size": 1}}), None, None, None)


# Updates.


@pytest.fixture
def now(monkeypatch):
    """A clock that advances only on request."""
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
        # Two micro-batches, then one, as fairseq groups them for --update-freq 2.
        for samples in iterators.GroupedIterator(iterators.CountingIterator(batches(), total=3), 2):
            trainer.train_step(samples)
            now(1000)  # validation
            shares.append(log["data_wait"].val)

    with metrics.aggregate(new_root=True) as log:
        trainer._train_epoch(epoch)(None, made, None, None)
        assert shares == pytest.approx([40, 80])
        assert log["data_wait"].avg == pytest.approx(60)
    assert iterators.GroupedIterator is not trainer.ClockedIterator


def test_a_failed_update_is_timed_too(make, fairseqs, monkeypatch, now):
    def fails(self, samples, raise_oom):
        now(1)
        raise ZeroDivisionError

    monkeypatch.setattr(fairseqs, "train_step", fails)
    with metrics.aggregate(new_root=True) as log:
        with pytest.raises(ZeroDivisionError):
            make().train_step([1])
        assert log["data_wait"].avg == 0 and log["data_wait"].count == 1


def test_the_criterion_sees_an_update_before_anything_runs(make, fairseqs, monkeypatch):
    seen = []
    criterion = SimpleNamespace(begin_update=lambda *given: seen.append(given))
    made = make(SimpleNamespace(train_step=None), get_criterion=lambda: criterion, device="cpu")
    monkeypatch.setattr(fairseqs, "train_step", lambda self, *given: seen.append(given))
    made.train_step([1, 2], raise_oom=True)
    assert seen == [([1, 2], "cpu"), ([1, 2], True)]


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
    told = [(int(size), float(logs["loss"]), logs["n"], logs["of"]) for _, size, logs in found]
    assert told == [(0, 0.0, 0, "x")] * 2 + [(5, 2.0, 3, "x")] * 2
    assert made.task.train_step is step  # the task is unchanged


NORMALIZATIONS, CHOSEN = ("joint", "per-objective"), {"objectives": "mlm,tlm"}


def part(number):
    """A micro-batch; all of them differ."""
    n, m = ((5, 7), (3, 2), (9, 6))[number]
    return collate([pair(n, m, diagonal(n, m))], [block(number, 8 + 3 * number)])


def update(made, samples):
    """The gradient of the optimizer's step, and the logged values."""
    logs = made.train_step(samples)
    return torch.cat([p.grad.flatten() for p in made.get_model().parameters()]), logs


def worker(rank):
    """At the end of an epoch, the first worker has two micro-batches and the second one; with either normalisation."""
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
    with pytest.raises((AssertionError, RuntimeError), match=r"CUDA|NVIDIA"):
        make(cuda=True).train_step([2])


@pytest.fixture
def training(make, fairseqs, monkeypatch):
    """A function that makes a trainer of a linear model whose updates have the given norms."""

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
        f"update 2 is not finite and is skipped ({n} in a row; 3 end the run)" for n in (1, 2)
    ]
    with pytest.raises(XalignError, match="3 consecutive updates with non-finite gradients"):
        made.train_step([BAD])


def test_a_foreign_task_has_the_default(training):
    made = training()
    assert [made.train_step([BAD]) for _ in range(2)] == [None, None]
    with pytest.raises(XalignError, match="3 consecutive updates with non-finite gradients"):
        made.train_step([BAD])


def test_what_a_bad_update_did_not_damage_is_saved(training):
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
    made.optimizer_._multiply_factor = BAD  # one over the sample size, times clipping by a norm that is not a number
    made.train_step([BAD])
    assert made.optimizer_._multiply_factor == 1.0


# The loop around updates.


@pytest.mark.parametrize(("updates", "most", "finished"), [(5, 6, False), (6, 6, True), (7, 6, True), (5, 0, False)])
def test_an_epoch_is_trained_unless_all_updates_are_there(make, updates, most, finished, caplog):
    made = make(max_update=most)
    made.updates = updates
    train = trainer._train_epoch(lambda *given: "trained")
    assert train(None, made, None, None) == (([None], True) if finished else "trained")
    assert ("WARNING" in caplog.text) is (updates == 7)


@pytest.mark.parametrize(
    ("counted", "patience", "finished"), [(2, 3, False), (3, 3, True), (3, 4, False), (3, -1, False), (None, 3, False)]
)
def test_an_epoch_is_trained_unless_patience_is_at_its_end(make, counted, patience, finished, monkeypatch):
    if counted is not None:
        monkeypatch.setattr(loop.should_stop_early, "num_runs", counted, raising=False)
    assert make(checkpoint={"patience": patience}).is_finished() is finished


@pytest.fixture
def validate(monkeypatch):
    """A function that validates with a trainer in fairseq-train's loop, whose validation returns given values."""
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
    """A trainer that has received SIGUSR1, and the arguments of saved checkpoints."""
    calls = []
    monkeypatch.setattr(requeue.Signalled, "received", True)
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: calls.append(given) or "last.pt")
    made = make()
    unsaved = ("no_save", "no_last_checkpoints", "no_save_optimizer_state")
    made.cfg.checkpoint = OmegaConf.create(dict.fromkeys(unsaved, True))
    return made, calls


def test_after_the_signal_the_run_saves_and_ends(signalled, validate, monkeypatch, caplog):
    (made, calls), (call, _) = signalled, validate
    monkeypatch.setattr(requeue.Signalled, "received", False)
    assert call(made) == ([0.5], False) and not calls
    monkeypatch.setattr(requeue.Signalled, "received", True)
    with pytest.raises(SystemExit) as end, caplog.at_level(logging.INFO):
        call(made)  # although this update was skipped
    assert end.value.code == 75 and "SIGUSR1: saved at update 0; the same command resumes" in caplog.text
    ((saved, by, place, loss),) = calls
    assert (by, place, loss) == (made, "place", None)
    assert not any(saved.values())  # all of it must be saved


def test_a_missing_save_is_reported(signalled, monkeypatch, caplog):
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: None)
    with pytest.raises(SystemExit), caplog.at_level(logging.INFO):
        signalled[0].requeue_if_signalled("place")
    assert "SIGUSR1: ends without a new checkpoint" in caplog.text


def test_a_run_that_ends_anyway_ends_normally(signalled, validate):
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
    made.requeue_if_signalled("place")  # the others may be in their next update and wait for this process
    assert made._aggregate_logging_outputs(["logs"], 1, 2, ignore=True) == (["logs"], [2, 4])
    with pytest.raises(SystemExit) if ends else contextlib.nullcontext():
        made.requeue_if_signalled("place")
