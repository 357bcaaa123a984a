import pytest

from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.aligner.training.text import DevelopmentSet

TEXT = {
    "train.xx": "the red house\nBob sees the dog .\n\nAnn likes bread .",
    "train.en": "the house red\nBob finds a dog .\nnothing\nAnn takes the bread .",
    "dev.xx": "the old king\nthe dog sees Ann",
    "dev.en": "the king old\nAnn sees the dog",
    "dev.gold": "0-0 1-2 2-1\n0-2 1-3 2-1 3-0",
}


@pytest.fixture
def small_run(transfer_encoder, tmp_path):
    """Everything that a run needs except its folder."""
    for name, text in TEXT.items():
        (tmp_path / name).write_text(f"{text}\n")
    train, dev = ([str(tmp_path / f"{split}.{side}") for side in ("xx", "en")] for split in ("train", "dev"))
    return TrainingRun(
        str(transfer_encoder), *train, tmp_path / "out", ("xx", "en"), DevelopmentSet(*dev, str(tmp_path / "dev.gold")),
        updates=8, validate_every=4, device="cpu", sinkhorn_backend="reference",
    )  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """A run with a development set of two pairs and valid files."""
    for name, lines in {
        "train.de": "ein Haus\nja",
        "train.en": "a house\nyes",
        "train.links": "0-0 1-1\n0-0",
        "dev.de": "das Haus\n",
        "dev.en": "the old house\n",
        "dev.gold": "0-0 1p2\n",
    }.items():
        (tmp_path / name).write_text(lines.removesuffix("\n") + "\n")
    dev = DevelopmentSet(*(str(tmp_path / f"dev.{part}") for part in ("de", "en", "gold")))
    text = (str(tmp_path / "train.de"), str(tmp_path / "train.en"))
    return TrainingRun("model.pt", *text, tmp_path / "out", ("de", "en"), dev)
