"""fairseq-train with layers that run in other ways: the same losses, and a checkpoint of the same names."""

import shutil

import pytest
import torch

pytestmark = pytest.mark.slow
EXTRA = ("--disable-validation", "--max-update", 3, "--dwa-start-update", 0)


@pytest.fixture(scope="module")
def plain(train, databin, tmp_path_factory):
    """Losses and checkpoint of three updates."""
    folder = tmp_path_factory.mktemp("plain")
    return train(databin, folder, *EXTRA)[0], torch.load(folder / "checkpoint_last.pt", weights_only=True)["model"]


@pytest.mark.parametrize("ways", [["--checkpoint-activations"], ["--compile", "--checkpoint-activations"]])
def test_losses_and_names_are_those_of_the_plain_run(plain, train, databin, tmp_path, ways):
    if "--compile" in ways and shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    logged, _ = train(databin, tmp_path, *EXTRA, *ways)
    for update in (1, 2, 3):
        assert logged[update] == pytest.approx(plain[0][update], rel=2e-3)
    weights = torch.load(tmp_path / "checkpoint_last.pt", weights_only=True)["model"]
    assert weights.keys() == plain[1].keys()
    for name, weight in weights.items():
        torch.testing.assert_close(weight, plain[1][name], rtol=1e-3, atol=1e-3)
