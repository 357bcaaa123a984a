import pytest
from support import transfer_data
from support.transfer_data import right, write_run  # noqa: F401

from xalign_fairseq.transfer.plan import build
from xalign_fairseq.transfer.study import load_study


@pytest.fixture
def folder(tmp_path):
    """Sentence pairs: 22 for training, 6 for selection, 5 and 4 for testing."""
    for name, count in (("train-en", 22), ("dev-en", 6), ("test-en", 5), ("test-de", 4), ("train-de", 22)):
        transfer_data.write_pairs(tmp_path / f"{name}.tsv", count)
    return tmp_path


@pytest.fixture
def runs(folder):
    """The runs of a study's text."""

    def read(text=transfer_data.STUDY, checkpoints=(transfer_data.ENCODER,), **keywords):
        path = folder / "study.yaml"
        path.write_text(text)
        return build(load_study(path), checkpoints, cpu=True, **keywords)

    return read
