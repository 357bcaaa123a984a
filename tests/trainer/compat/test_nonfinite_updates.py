import logging
from types import SimpleNamespace

import pytest
import torch
from fairseq import checkpoint_utils, trainer

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.compat import nonfinite_updates

BAD, GOOD = float("nan"), 1.0


@pytest.fixture
def training(monkeypatch, tmp_path):
    """A patched trainer whose updates have these norms, and the function that saves its checkpoint."""

    class Small:
        tpu = False
        nonfinite = None

        def __init__(self, amp=False, most=3):
            self.cfg = SimpleNamespace(common=SimpleNamespace(amp=amp), checkpoint=SimpleNamespace(save_dir=tmp_path))
            self.task = SimpleNamespace(cfg=SimpleNamespace(nonfinite_updates=most))
            self.model = torch.nn.Linear(2, 2)
            self.updates = self.cleared = 0
            self.optimizer = SimpleNamespace(scaler=None, _multiply_factor=1.0)  # of --bf16

        def get_criterion(self):
            return SimpleNamespace(**({"nonfinite": self.nonfinite} if self.nonfinite else {}))

        def get_model(self):
            return self.model

        def get_num_updates(self):
            return self.updates

        def zero_grad(self):
            self.cleared += 1

        def clip_grad_norm(self, norm):
            return torch.tensor(norm)

        def train_step(self, samples):
            for sample in samples:
                self.clip_grad_norm(sample)
            self.updates += 1
            return "logged"

    with monkeypatch.context() as patch:
        patch.setattr(trainer, "Trainer", Small)
        patch.setattr(checkpoint_utils, "save_checkpoint", lambda cfg, trainer, *rest: "saved")
        nonfinite_updates.install()
        saves = checkpoint_utils.save_checkpoint
    return Small, saves


def test_updates_are_left_out_until_there_are_too_many_in_a_row(training, caplog):
    small, _ = training
    made = small()
    norms = [GOOD, BAD, float("inf"), GOOD, BAD, BAD]
    with caplog.at_level(logging.WARNING):
        assert [made.train_step([norm]) for norm in norms] == ["logged", None, None, "logged", None, None]
    assert made.updates == 2 and made.cleared == 4
    assert [record.message.split(":")[0] for record in caplog.records][:2] == [
        f"update 2 is left out, {n} in a row, 3 end the training" for n in (1, 2)
    ]
    with pytest.raises(XalignError, match="3 updates in a row not finite") as error:
        made.train_step([BAD])
    assert "update 3" in str(error.value) and "begin with a lower --lr" in str(error.value)


def test_the_last_good_checkpoint_and_what_was_spoilt_are_named(training, tmp_path):
    small, _ = training
    (tmp_path / "checkpoint_last.pt").touch()
    made = small(most=1)
    made.nonfinite = lambda samples: f"the loss of tlm in {samples}"
    with pytest.raises(XalignError, match=r"the loss of tlm in \[nan\]") as error:
        made.train_step([BAD])
    assert f"go on from {tmp_path}/checkpoint_last.pt" in str(error.value)
    made.nonfinite = lambda samples: ""  # all losses are finite
    made.model.bias.grad = torch.tensor([1.0, BAD])
    made.model.weight.grad = torch.ones(2, 2)
    with pytest.raises(XalignError, match="the gradient of bias"):
        made.train_step([BAD])
    made.model.bias.grad = None
    with pytest.raises(XalignError, match="the gradient of another process"):
        made.train_step([BAD])


@pytest.mark.parametrize(("number", "named"), [(BAD, "the gradient of weight"), (GOOD, "the gradient of another")])
def test_a_sparse_gradient_is_looked_at_too(training, number, named):
    small, _ = training
    made = small(most=1)
    made.model = torch.nn.Embedding(4, 2, sparse=True)
    (made.model(torch.tensor([1, 3, 1])) * number).sum().backward()
    with pytest.raises(XalignError, match=named):
        made.train_step([BAD])


def test_what_a_bad_update_has_not_spoilt_is_saved(training):
    small, save = training
    made = small()
    made.model.register_buffer("kept", torch.zeros(2))
    found = []
    for norm, kept in ((GOOD, BAD), (BAD, 0.0), (BAD, BAD), (GOOD, 0.0)):
        made.train_step([norm])
        made.model.kept.fill_(kept)
        found.append(save(None, made, None, None))
    assert found == ["saved", "saved", None, "saved"]


def test_what_bfloat16_multiplies_gradients_with_is_forgotten_with_them(training):
    small, _ = training
    made = small()
    made.optimizer._multiply_factor = BAD  # one over the sample size, and the clipping by a norm that is not a number
    made.train_step([BAD])
    assert made.optimizer._multiply_factor == 1.0


def test_mixed_precision_by_a_scaled_loss_has_its_own_way(training):
    small, _ = training
    assert small(amp=True).train_step([BAD]) == "logged"


def test_a_task_of_somebody_else_has_the_default(training):
    small, _ = training
    made = small()
    made.task.cfg = SimpleNamespace()
    assert [made.train_step([BAD]) for _ in range(nonfinite_updates.IN_A_ROW - 1)] == [None, None]
    with pytest.raises(XalignError):
        made.train_step([BAD])


def test_it_is_needed_with_this_fairseq():
    assert nonfinite_updates.needed()
