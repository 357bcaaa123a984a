"""Training only what is needed, with bfloat16 products: frozen embeddings with fairseq-train's other features."""

import math

import pytest
import torch

from tests.tasks.conftest import assert_resumed, processes

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"
FIRST = "encoder.sentence_encoder.layers.0.fc1.weight"
NO_VALID = ("--disable-validation",)
FINE = (
    *("--criterion", "weighted", "--objectives", "self_training,tlm,reg_param"),
    *("--loss-normalization", "per-objective"),
    *("--freeze-layers", 0, "--autocast", "yes", "--self-training-layer", 1),
)
pytestmark = pytest.mark.slow


def weights(folder, name="checkpoint_last.pt"):
    return torch.load(folder / name, weights_only=True)


@pytest.fixture(scope="module")
def fine(train, databin, tmp_path_factory):
    """Six updates that save after the third, with a moving average."""
    folder = tmp_path_factory.mktemp("fine")
    extra = (*FINE, *NO_VALID, "--save-interval-updates", 3, "--store-ema", "--ema-decay", 0.5)
    return train(databin, folder, *extra, "--max-update", 6)[0], folder, extra


def test_embeddings_stay_and_cost_the_optimizer_nothing(fine):
    _, folder, _ = fine
    first, last = weights(folder, "checkpoint_1_3.pt"), weights(folder)
    assert torch.equal(first["model"][EMBEDDINGS], last["model"][EMBEDDINGS])
    assert not torch.equal(first["model"][FIRST], last["model"][FIRST])
    assert last["extra_state"]["ema"][EMBEDDINGS].shape == last["model"][EMBEDDINGS].shape
    moments = [each["exp_avg"].shape for each in last["last_optimizer_state"]["state"].values()]
    assert last["model"][EMBEDDINGS].shape not in moments and last["model"][FIRST].shape in moments


def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(fine, train, databin, tmp_path):
    assert_resumed(train, databin, fine[:2], tmp_path / "resumed", *fine[2], "--max-update", 6)


def test_two_processes_equal_one_with_twice_the_batch(train, databin, tmp_path):
    extra = (*FINE, *NO_VALID, "--max-update", 3, "--curriculum", 10, "--autocast", "no")
    one, _ = train(databin, tmp_path / "one", *extra)
    two, _ = train(databin, tmp_path / "two", *extra, *processes(tmp_path), batch=4)
    for update in (1, 2, 3):
        assert two[update]["loss"] == pytest.approx(one[update]["loss"], abs=2e-3)


def test_products_in_bfloat16_change_losses_a_little(fine, train, databin, tmp_path):
    plain, _ = train(databin, tmp_path, *fine[2], "--max-update", 3, "--autocast", "no")
    assert any(plain[update] != fine[0][update] for update in plain)  # the log rounds
    for update in (1, 2, 3):
        assert fine[0][update]["loss"] == pytest.approx(plain[update]["loss"], rel=0.02)
        assert math.isfinite(fine[0][update]["gnorm"])
