"""fairseq-train with the package's optimizer: what it computes and what it goes on from."""

import pytest

from tests.tasks.conftest import assert_resumed

pytestmark = pytest.mark.slow
EXTRA = ("--disable-validation", "--max-update", 6, "--save-interval-updates", 3, "--weight-decay", 0.01)
FOLDED = ("--optimizer", "xalign_adamw")


@pytest.fixture(scope="module")
def adam(train, databin, tmp_path_factory):
    """Six updates by fairseq's adam."""
    folder = tmp_path_factory.mktemp("adam")
    return train(databin, folder, *EXTRA)[0], folder


@pytest.fixture(scope="module")
def folded(train, databin, tmp_path_factory):
    """The same by the package's optimizer."""
    folder = tmp_path_factory.mktemp("folded")
    return train(databin, folder, *EXTRA, *FOLDED)[0], folder


def assert_close(first, second, updates, tolerance=2e-3):
    for update in updates:
        assert first[update] == pytest.approx(second[update], rel=tolerance, abs=tolerance), update


def test_losses_and_norms_are_those_of_fairseq_s_adam(adam, folded):
    assert_close(adam[0], folded[0], range(1, 7))


def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(folded, train, databin, tmp_path):
    assert_resumed(train, databin, folded, tmp_path, *EXTRA, *FOLDED)


@pytest.mark.parametrize("back", [False, True])
def test_runs_go_on_from_checkpoints_of_fairseq_s_adam_and_back(adam, folded, train, databin, tmp_path, back):
    (whole, folder), optimizer = (folded, ("--optimizer", "adam")) if back else (adam, FOLDED)
    resumed, _ = train(databin, tmp_path, *EXTRA, *optimizer, "--restore-file", folder / "checkpoint_1_3.pt")
    assert sorted(resumed) == [4, 5, 6]
    assert_close(whole, resumed, resumed)
