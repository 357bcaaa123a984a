"""A run on a few sentences, from an untrained encoder."""

import pytest

from xalign_fairseq.aligner.training.run import DevelopmentSet, TrainingRun

TEXT = {
    "train.xx": "the red house\nBob sees the dog .\n\nAnn likes bread .",
    "train.en": "the house red\nBob finds a dog .\nnothing\nAnn takes the bread .",
    "dev.xx": "the old king\nthe dog sees Ann",
    "dev.en": "the king old\nAnn sees the dog",
    "dev.gold": "0-0 1-2 2-1\n0-2 1-3 2-1 3-0",
}


@pytest.fixture
def small_run(transfer_encoder, tmp_path):
    """Everything that a run needs, its folder excepted."""
    for name, text in TEXT.items():
        (tmp_path / name).write_text(f"{text}\n")
    train, dev = ([str(tmp_path / f"{split}.{side}") for side in ("xx", "en")] for split in ("train", "dev"))
    return TrainingRun(
        str(transfer_encoder), *train, tmp_path / "out", ("xx", "en"), DevelopmentSet(*dev, str(tmp_path / "dev.gold")),
        updates=8, validate_every=4, device="cpu", sinkhorn_backend="reference",
    )  # fmt: skip
