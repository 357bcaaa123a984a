"""The folder of an aligner: resumed, refused, read."""

import pytest
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical import folder as folders
from xalign_fairseq.aligner.statistical.choice import USUAL
from xalign_fairseq.aligner.statistical.folder import begun, is_statistical, learn_models, load
from xalign_fairseq.core.errors import XalignError

PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


def train_models(folder, text, progress=lambda *_: None):
    with begun(folder, {"text": text}):
        return learn_models(PAIRS, folder, progress)[0]


@pytest.fixture(autouse=True)
def _few_units(monkeypatch):
    monkeypatch.setattr(folders, "NAMES", ("word", "prefix2"))


def test_a_run_that_was_broken_off_goes_on(tmp_path):
    told = []

    def stop(units, done, of):
        told.append((units, done))
        if units == "prefix2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_models(tmp_path / "out", "1", stop)
    assert not is_statistical(tmp_path / "out")
    first = (tmp_path / "out" / "word.npz").stat().st_mtime_ns
    again = []
    learned = train_models(tmp_path / "out", "1", lambda units, *_: again.append(units))
    assert set(again) == {"prefix2"}
    assert (tmp_path / "out" / "word.npz").stat().st_mtime_ns == first
    assert is_statistical(tmp_path / "out")
    trained = load(tmp_path / "out")
    assert [model.name for model in trained.models] == [model.name for model in learned.models] == ["word", "prefix2"]
    assert trained.choice == learned.choice == USUAL


def test_folders_of_others_are_left_alone(tmp_path):
    train_models(tmp_path / "out", "1")
    with pytest.raises(XalignError, match="another run"):
        train_models(tmp_path / "out", "2")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis").write_text("")
    with pytest.raises(XalignError, match="other files than a statistical aligner"):
        train_models(tmp_path / "other", "1")
    assert [each.name for each in (tmp_path / "other").iterdir()] == ["thesis"]


def test_statistics_are_read_with_a_warning_beside_an_encoder_that_did_not_guide_them(tmp_path, caplog):
    with begun(tmp_path / "out", {"model": "a, state 1"}):
        learn_models(PAIRS, tmp_path / "out", lambda *_: None)
    trained = load(tmp_path / "out")
    trained.warn_of_another_guide("out", "a, state 1")
    assert not caplog.text
    trained.warn_of_another_guide("out", "b, state 1")
    assert "out were guided by a, state 1, and are read with b, state 1" in caplog.text


def test_what_is_no_aligner(tmp_path):
    assert not is_statistical(None)
    assert not is_statistical("e5-small")
    (tmp_path / "statistical.json").write_text('{"units": 3}')
    with pytest.raises(XalignError):
        load(tmp_path)
