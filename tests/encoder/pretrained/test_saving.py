import resource
import signal

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model, save_checkpoint


@pytest.fixture
def full_disk():
    """The function that lets no file grow beyond so many bytes."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("name", ["model.pt", "folder"])
def test_what_is_written_is_read_again(transfer_encoder, tmp_path, name):
    state, where = read_pretrained(transfer_encoder)
    with new_model(tmp_path / name) as save:
        save(state, where)
    again, _ = read_pretrained(tmp_path / name)
    body = [key for key in state["model"] if key.startswith("encoder.sentence_encoder.")]
    assert body and all(again["model"][key].equal(state["model"][key]) for key in body)
    with pytest.raises(XalignError, match="exists already"), new_model(tmp_path / name):
        pytest.fail("nothing is begun")
    with new_model(tmp_path / name, overwrite=True) as save:
        save(state, where)


@pytest.mark.parametrize("name", ["model.pt", "folder"])
def test_a_full_disk_leaves_nothing(transfer_encoder, tmp_path, full_disk, name):
    state, where = read_pretrained(transfer_encoder)
    # An OSError, of the last bytes when the file is closed, is told by every command too.
    with pytest.raises((XalignError, OSError), match="File too large"), new_model(tmp_path / name) as save:
        full_disk(20_000)
        save(state, where)
    full_disk(resource.RLIM_INFINITY)
    assert list(tmp_path.iterdir()) == []


def test_torchs_error_of_a_full_disk_is_told_as_one(transfer_encoder, tmp_path, full_disk):
    state, _ = read_pretrained(transfer_encoder)
    full_disk(20_000)
    with pytest.raises(XalignError, match="free some space"):
        save_checkpoint(state, tmp_path / "model.pt", tmp_path)
