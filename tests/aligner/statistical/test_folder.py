"""The folder of an aligner: resumed, refused, read."""

import pytest
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical import folder as folders
from xalign_fairseq.aligner.statistical.choice import USUAL
from xalign_fairseq.aligner.statistical.folder import DONE, finish, is_statistical, load, train_models
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json

PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


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
        train_models(PAIRS, tmp_path / "out", {"text": "1"}, stop)
    assert not is_statistical(tmp_path / "out")
    first = (tmp_path / "out" / "word.npz").stat().st_mtime_ns
    again = []
    models = train_models(PAIRS, tmp_path / "out", {"text": "1"}, lambda units, *_: again.append(units))
    assert set(again) == {"prefix2"}
    assert (tmp_path / "out" / "word.npz").stat().st_mtime_ns == first
    finish(tmp_path / "out", USUAL)
    assert is_statistical(tmp_path / "out")
    trained = load(tmp_path / "out")
    assert [model.name for model in trained.models] == [model.name for model in models] == ["word", "prefix2"]
    assert trained.choice == USUAL


def test_a_folder_that_is_finished_once_more_is_written_if_it_says_something_else(tmp_path):
    done = tmp_path / DONE
    finish(tmp_path, USUAL)
    first = done.stat()
    finish(tmp_path, USUAL)
    assert (done.stat().st_ino, done.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    finish(tmp_path, USUAL._replace(threshold=0.6))
    assert read_json(done)["threshold"] == 0.6
    done.write_text("{")
    finish(tmp_path, USUAL)
    assert read_json(done)["threshold"] == USUAL.threshold


def test_folders_of_others_are_left_alone(tmp_path):
    train_models(PAIRS, tmp_path / "out", {"text": "1"}, lambda *_: None)
    with pytest.raises(XalignError, match="another text"):
        train_models(PAIRS, tmp_path / "out", {"text": "2"}, lambda *_: None)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis").write_text("")
    with pytest.raises(XalignError, match="something else"):
        train_models(PAIRS, tmp_path / "other", {"text": "1"}, lambda *_: None)
    assert [each.name for each in (tmp_path / "other").iterdir()] == ["thesis"]


def test_a_run_that_was_killed_before_it_began_leaves_a_lock_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "begun.json.lock").write_text("")
    assert len(train_models(PAIRS, tmp_path / "out", {}, lambda *_: None)) == 2


def test_what_is_no_aligner(tmp_path):
    assert not is_statistical(None)
    assert not is_statistical("e5-small")
    (tmp_path / "statistical.json").write_text('{"units": 3}')
    with pytest.raises(XalignError):
        load(tmp_path)
