import json

import numpy as np
import pytest
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical import folder as folders
from xalign_fairseq.aligner.statistical.choice import USUAL
from xalign_fairseq.aligner.statistical.folder import (
    FORM,
    RETRAIN,
    aligner_folder,
    arrays_of,
    is_statistical,
    learn_model,
    learn_models,
    load,
    model_of,
    passes_left,
)
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.aligner.statistical.sentences import number_words
from xalign_fairseq.core.array_files import read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError

PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


def train_models(folder, text, progress=lambda *_: None):
    with aligner_folder(folder, {"text": text}):
        return learn_models(PAIRS, folder, progress)


@pytest.fixture(autouse=True)
def _few_units(monkeypatch):
    monkeypatch.setattr(folders, "NAMES", ("prefix4", "pieces2000"))


def test_an_interrupted_run_resumes(tmp_path):
    told = []

    def stop(units, done, of):
        told.append((units, done))
        if units == "pieces2000":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_models(tmp_path / "out", "1", stop)
    assert not is_statistical(tmp_path / "out") and passes_left(tmp_path / "out") == 9
    first = (tmp_path / "out" / "prefix4.npz").stat().st_mtime_ns
    again = []
    learned = train_models(tmp_path / "out", "1", lambda units, *_: again.append(units))
    assert set(again) == {"pieces2000"}
    assert (tmp_path / "out" / "prefix4.npz").stat().st_mtime_ns == first
    assert is_statistical(tmp_path / "out")
    trained = load(tmp_path / "out")
    for models in (trained.models, learned.models):
        assert [model.name for model in models] == ["prefix4", "pieces2000"]
    assert trained.choice == learned.choice == USUAL


def test_foreign_folders_are_not_modified(tmp_path):
    train_models(tmp_path / "out", "1")
    with pytest.raises(XalignError, match="another run"):
        train_models(tmp_path / "out", "2")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis").write_text("")
    with pytest.raises(XalignError, match="not from a statistical aligner"):
        train_models(tmp_path / "other", "1")
    assert [each.name for each in (tmp_path / "other").iterdir()] == ["thesis"]


def test_folders_that_are_not_aligners(tmp_path):
    assert not is_statistical(None)
    assert not is_statistical("e5-small")
    (tmp_path / "statistical.json").write_text('{"units": 3}')
    with pytest.raises(XalignError, match=r"unexpected content(.|\n)*units"):
        load(tmp_path)


@pytest.mark.parametrize("change", [{"units": []}, {"units": ["../prefix4"]}, {"slope": 0.0}])
def test_a_damaged_record(tmp_path, change):
    train_models(tmp_path, "a")
    path = tmp_path / "statistical.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(XalignError, match="record of a statistical aligner is damaged"):
        load(tmp_path)


def save_model(model, path):
    write_arrays(path, arrays_of(model))


def load_model(name, path):
    return model_of(name, read_arrays(path, FORM, remedy=RETRAIN), path)


@pytest.fixture(params=["prefix4", "pieces2000"])
def model(request):
    return learn_model(request.param, number_words(PAIRS))


def test_a_loaded_aligner_gives_the_same_scores(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    again = load_model(model.name, tmp_path / "model.npz")
    new = [(["Ein", "unbekanntes", "Haus"], ["A", "strange", "house"])]
    for one, other in zip(mean_scores([model], PAIRS + new), mean_scores([again], PAIRS + new), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("content", [b"", b"PK no archive", None])
def test_damaged_and_missing_files(tmp_path, content):
    if content is not None:
        (tmp_path / "prefix4.npz").write_bytes(content)
    with pytest.raises(XalignError, match=r"damaged|does not exist"):
        load_model("prefix4", tmp_path / "prefix4.npz")


def test_inconsistent_tables(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as stored:
        arrays = dict(stored)
    keys = arrays["keys"]
    for key, value in [
        ("keys", keys[1:]),
        ("keys", keys[::-1]),
        ("keys", keys + len(arrays["null_tgt"]) * len(arrays["null_src"])),
        ("null_src", arrays["null_src"][1:]),
        ("pairs", arrays["pairs"] * np.float32(np.nan)),
        ("jumps", -arrays["jumps"]),
    ]:
        np.savez(tmp_path / "other.npz", **{**arrays, key: value})
        with pytest.raises(XalignError, match="are inconsistent"):
            load_model(model.name, tmp_path / "other.npz")
