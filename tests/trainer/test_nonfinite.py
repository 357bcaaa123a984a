from types import SimpleNamespace

import pytest
import torch
from support.small import block, pair
from support.trials import make_trainer

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.criterions import weighted
from xalign_fairseq.data.batches import collate
from xalign_fairseq.trainer.nonfinite import warn

BAD, GOOD = float("nan"), 1.0


@pytest.fixture
def end(tmp_path):
    """A function that ends a model's training at the first non-finite update, and returns the error."""

    def ended(model, nonfinite=None):
        trainer = SimpleNamespace(
            cfg=SimpleNamespace(checkpoint=SimpleNamespace(save_dir=tmp_path)),
            task=SimpleNamespace(cfg=SimpleNamespace(nonfinite_updates=1)),
            get_criterion=lambda: SimpleNamespace(**({"nonfinite": nonfinite} if nonfinite else {})),
            get_model=lambda: model,
            get_num_updates=lambda: 2,
        )
        with pytest.raises(
            XalignError, match=r"diverged: 1 consecutive update with non-finite[\s\S]*update 3"
        ) as error:
            warn(trainer, [BAD], 1)
        return str(error.value)

    return ended


def test_the_last_good_checkpoint_and_the_damaged_ones_are_named(end, tmp_path):
    model = torch.nn.Linear(2, 2)
    assert "start with a lower lr" in end(model)
    (tmp_path / "checkpoint_last.pt").touch()
    error = end(model, lambda samples: f"the loss of tlm in {samples}")
    assert "the loss of tlm in [nan]" in error and f"resume from {tmp_path}/checkpoint_last.pt" in error
    model.bias.grad = torch.tensor([1.0, BAD])
    model.weight.grad = torch.ones(2, 2)
    assert "the gradient of bias" in end(model, lambda samples: "")  # all losses are finite
    model.bias.grad = None
    assert "the gradient of another process" in end(model)


@pytest.mark.parametrize(("number", "named"), [(BAD, "the gradient of weight"), (GOOD, "the gradient of another")])
def test_sparse_gradients_are_checked_too(end, number, named):
    model = torch.nn.Embedding(4, 2, sparse=True)
    (model(torch.tensor([1, 3, 1])) * number).sum().backward()
    assert named in end(model)


@pytest.mark.parametrize("flag", ["--fp16", "--memory-efficient-fp16"])
def test_a_loss_scale_at_its_minimum_ends_the_training_with_objective_and_batch(flag, tmp_path, monkeypatch):
    """fairseq repeated the update and failed with StopIteration."""
    monkeypatch.setattr(weighted, "describe_batch", lambda sample, task: f"{sample['nsentences']} pairs")
    extra = (flag, "--fp16-init-scale", 4, "--min-loss-scale", 0.5, "--save-dir", tmp_path)
    trainer = make_trainer("legacy_ddp", 0, 1, "joint", {"objectives": "mlm,tlm"}, extra)
    sample = collate([pair(5, 7)], [block(1)])
    trainer.train_step([sample])
    assert trainer.get_num_updates() == 1 and not trainer.left_out
    (tmp_path / "checkpoint_last.pt").touch()
    with torch.no_grad():
        trainer.get_model().encoder.lm_head.bias.fill_(float("inf"))
    for scale in (2, 1):
        trainer.train_step([sample])
        assert trainer.left_out and trainer.optimizer.scaler.loss_scale == scale
    found = r"(?s)reached its minimum.*update 2.*\(0\.5\).*the loss of mlm, tlm in the batch of 2 pairs.*resume from"
    with pytest.raises(XalignError, match=found):
        trainer.train_step([sample])
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint_last.pt"] and trainer.get_num_updates() == 1
