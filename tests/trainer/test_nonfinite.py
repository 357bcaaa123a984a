from types import SimpleNamespace

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.nonfinite import warn

BAD, GOOD = float("nan"), 1.0


@pytest.fixture
def end(tmp_path):
    """The function that ends the training of a model at the first update that is not finite; the error."""

    def ended(model, nonfinite=None):
        trainer = SimpleNamespace(
            cfg=SimpleNamespace(checkpoint=SimpleNamespace(save_dir=tmp_path)),
            task=SimpleNamespace(cfg=SimpleNamespace(nonfinite_updates=1)),
            get_criterion=lambda: SimpleNamespace(**({"nonfinite": nonfinite} if nonfinite else {})),
            get_model=lambda: model,
            get_num_updates=lambda: 2,
        )
        with pytest.raises(XalignError, match=r"lost its way: 1 update in a row not finite[\s\S]*update 3") as error:
            warn(trainer, [BAD], 1)
        return str(error.value)

    return ended


def test_the_last_good_checkpoint_and_what_was_spoilt_are_named(end, tmp_path):
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
def test_a_sparse_gradient_is_looked_at_too(end, number, named):
    model = torch.nn.Embedding(4, 2, sparse=True)
    (model(torch.tensor([1, 3, 1])) * number).sum().backward()
    assert named in end(model)
