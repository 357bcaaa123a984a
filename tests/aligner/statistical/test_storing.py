"""A model as a file."""

import numpy as np
import pytest
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical.folder import learn_model
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.aligner.statistical.sentences import number_words
from xalign_fairseq.aligner.statistical.storing import ANEW, FORM, arrays_of, model_of
from xalign_fairseq.core.array_files import read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError


def save_model(model, path):
    write_arrays(path, arrays_of(model))


def load_model(name, path):
    return model_of(name, read_arrays(path, FORM, remedy=ANEW), path)


PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


@pytest.fixture(params=["prefix3", "pieces30"])
def model(request):
    return learn_model(request.param, number_words(PAIRS))


def test_what_is_read_scores_as_what_was_written(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    again = load_model(model.name, tmp_path / "model.npz")
    new = [(["Ein", "unbekanntes", "Haus"], ["A", "strange", "house"])]
    for one, other in zip(mean_scores([model], PAIRS + new), mean_scores([again], PAIRS + new), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("content", [b"", b"PK no archive", None])
def test_damaged_and_missing_files(tmp_path, content):
    if content is not None:
        (tmp_path / "word.npz").write_bytes(content)
    with pytest.raises(XalignError, match=r"damaged|does not exist"):
        load_model("word", tmp_path / "word.npz")


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8, 0.99])
def test_a_file_that_is_cut_off_or_changed(model, tmp_path, part):
    path = tmp_path / "model.npz"
    save_model(model, path)
    whole = path.read_bytes()
    place = int(part * len(whole))
    for damaged in (whole[:place], whole[:place] + bytes(40) + whole[place + 40 :]):
        path.write_bytes(damaged)
        with pytest.raises(XalignError):
            load_model(model.name, path)


def test_tables_that_do_not_fit_together(model, tmp_path):
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
        with pytest.raises(XalignError, match="do not fit together"):
            load_model(model.name, tmp_path / "other.npz")


@pytest.mark.parametrize(("key", "kind"), [("jumps", None), ("pairs", np.int64), ("src", object)])
def test_arrays_of_another_form(model, tmp_path, key, kind):
    save_model(model, tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as stored:
        arrays = dict(stored)
    array = arrays.pop(key)
    np.savez(tmp_path / "other.npz", **arrays, **({} if kind is None else {key: array.astype(kind)}))
    with pytest.raises(XalignError, match=f"array {key}"):
        load_model(model.name, tmp_path / "other.npz")
