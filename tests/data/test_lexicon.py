import json

import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import HELD_OUT, TRAINED, UNUSED, Lexicon, require_same_lexicons, trained_lexicons
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder import checkpoint

# (4) - (9, 10), (5, 6) - (11), (7) - (12, 13, 4)
SRC, SRC_SIZES, TGT, TGT_SIZES = [4, 5, 6, 7], [1, 2, 1], [9, 10, 11, 12, 13, 4], [2, 1, 3]


def make(src="en", tgt="xx", part=(HELD_OUT, TRAINED, UNUSED), **changes):
    arrays = {"src_ids": SRC, "src_sizes": SRC_SIZES, "tgt_ids": TGT, "tgt_sizes": TGT_SIZES, "part": part} | changes
    return Lexicon(src, tgt, **{name: np.array(values, dtype=np.int64) for name, values in arrays.items()})


def random_lexicon(seed, entries=200, ids=60):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=(2, entries))
    flat = [rng.integers(4, ids, size=side.sum()) for side in sizes]
    return Lexicon("en", "xx", flat[0], sizes[0], flat[1], sizes[1], rng.integers(0, 3, size=entries))


@pytest.fixture
def data(tmp_path):
    Dictionary(f"s{i}" for i in range(60)).save(tmp_path / "dict.txt")
    return DataBin(tmp_path)


def same(first, second):
    arrays = (np.array_equal(getattr(first, name), getattr(second, name)) for name in lexicons.ARRAYS)
    return all(arrays) and (first.src, first.tgt) == (second.src, second.tgt)


def test_padded_by_hand():
    src, tgt = make().padded()
    assert src.tolist() == [[4, 1], [5, 6], [7, 1]]
    assert tgt.tolist() == [[9, 10, 1], [11, 1, 1], [12, 13, 4]]
    assert src.dtype == tgt.dtype == torch.int64


def test_parts_by_hand():
    lexicon = make()
    assert len(lexicon) == 3
    assert [side.tolist() for side in lexicon.entries(TRAINED).padded()] == [[[5, 6]], [[11]]]
    assert [side.tolist() for side in lexicon.entries(HELD_OUT).padded()] == [[[4]], [[9, 10]]]
    empty = make(part=[0, 0, 0]).entries(HELD_OUT)
    assert len(empty) == 0 and [tuple(side.shape) for side in empty.padded()] == [(0, 0), (0, 0)]


def test_a_checkpoint_returns_the_same_lexicon(tmp_path):
    lexicon = random_lexicon(5)
    torch.save({"model": {}, "task_state": {"lexicons": [lexicon.state()]}}, tmp_path / "checkpoint.pt")
    (state,) = checkpoint.read(tmp_path / "checkpoint.pt")["task_state"]["lexicons"]
    again = Lexicon.from_state(state)
    assert same(again, lexicon) and again.digest == lexicon.digest
    lexicon.state()["src_ids"][0] = 30  # changes a copy
    assert same(again, lexicon)


@pytest.mark.parametrize(
    "changes",
    [{"src": "de"}, {"part": (0, 0, 2)}, {"src_ids": [4, 5, 6, 8]}, {"tgt_ids": [9, 10, 11, 12, 13, 5]},
     {"src_sizes": [2, 1, 1]}, {"tgt_sizes": [1, 2, 3]}],
)  # fmt: skip
def test_the_digest_is_of_everything(changes):
    assert make().digest == make().digest
    assert make(**changes).digest != make().digest


@pytest.mark.parametrize(
    "changes",
    [{"part": (0, 1)}, {"part": (0, 1, 3)}, {"src_sizes": [1, 2, 2]}, {"tgt_sizes": [3, 0, 3]}, {"src_ids": [4, 5]}],
)
def test_arrays_that_do_not_fit(changes):
    with pytest.raises(XalignError, match="lexicon en-xx"):
        make(**changes)


def test_a_data_bin_returns_the_written_data(data):
    assert lexicons.lexicons(data) == []
    lexicon = random_lexicon(1)
    lexicons.write(data, lexicon, {"counts": {"read": 7}})
    lexicons.write(data, make("en", "de"), {})
    assert lexicons.lexicons(data) == [("en", "de"), ("en", "xx")]
    assert same(lexicons.read(data, "en", "xx"), lexicon)
    about = lexicons.read_about(data, "en", "xx")
    assert about["counts"] == {"read": 7} and about["digest"] == lexicon.digest
    # No file of a lexicon is named like a text's, and no temporary file is left.
    fresh = DataBin(data.path)
    assert fresh.pairs == [] and fresh.monos == []
    assert not [path for path in data.path.iterdir() if path.name.startswith(".")]


def test_another_lexicon_replaces_it_only_on_request(data):
    lexicons.write(data, random_lexicon(1), {})
    before = {path.name: path.read_bytes() for path in data.path.iterdir()}
    with pytest.raises(XalignError, match="set overwrite"):
        lexicons.write(data, random_lexicon(2), {})
    assert {path.name: path.read_bytes() for path in data.path.iterdir()} == before
    lexicons.write(data, random_lexicon(2), {}, overwrite=True)
    assert same(lexicons.read(data, "en", "xx"), random_lexicon(2))


def test_files_of_another_lexicon_or_dictionary_are_noticed(data):
    lexicons.write(data, make(), {})
    old = (data.path / "lexicon.en-xx.part.bin").read_bytes()
    lexicons.write(data, make(part=[0, 0, 0]), {}, overwrite=True)
    (data.path / "lexicon.en-xx.part.bin").write_bytes(old)
    with pytest.raises(XalignError, match="files of a lexicon do not match"):
        lexicons.read(data, "en", "xx")
    Dictionary(f"t{i}" for i in range(60)).save(data.path / "dict.txt")
    with pytest.raises(XalignError, match="another dictionary"):
        lexicons.read(DataBin(data.path), "en", "xx")


def test_invalid_lexicons_are_not_written(data):
    with pytest.raises(XalignError, match="found: 70"):
        lexicons.write(data, make(src_ids=[4, 5, 6, 70]), {})
    for src, tgt in (("en", "en"), ("en", "a.b"), ("en", "a-b")):
        with pytest.raises(XalignError, match="different codes without dot"):
            lexicons.write(data, make(src, tgt), {})
    assert [path.name for path in data.path.iterdir()] == ["dict.txt"]
    about = {"not JSON": json}
    with pytest.raises(TypeError):
        lexicons.write(data, make(), about)
    assert [path.name for path in data.path.iterdir()] == ["dict.txt"]


def test_missing_lexicons_are_errors(data):
    with pytest.raises(XalignError, match="no lexicon at all"):
        lexicons.read(data, "en", "xx")
    lexicons.write(data, make(), {})
    with pytest.raises(XalignError, match="name it en-xx"):
        lexicons.read(data, "xx", "en")
    (data.path / "lexicon.en-xx.json").write_text("{")
    with pytest.raises(XalignError, match=r"not JSON, or it is damaged[\s\S]*lexicon\.en-xx\.json"):
        lexicons.read(data, "en", "xx")


def entries(*parts, tgt="bb", first=4):
    """A lexicon of one-subword entries, one for each part."""
    ones, ids = [1] * len(parts), [first + k for k in range(len(parts))]
    return Lexicon("aa", tgt, ids, ones, ids, ones, parts)


def test_all_lexicons_are_read_if_one_has_an_entry_to_train_on(data):
    with pytest.raises(XalignError, match=r"none to train on[\s\S]*command lexicon .* pair"):
        trained_lexicons(data)
    lexicons.write(data, entries(HELD_OUT, UNUSED), {})
    with pytest.raises(XalignError, match="none to train on"):
        trained_lexicons(data)
    lexicons.write(data, entries(TRAINED, HELD_OUT, tgt="cc"), {})
    assert [each.tgt for each in trained_lexicons(data)] == ["bb", "cc"]


def test_a_checkpoint_resumes_only_with_its_own_entries():
    mine = [entries(TRAINED, HELD_OUT), entries(TRAINED, tgt="cc")]
    states = [each.state() for each in mine]
    for known in (states, states[::-1], None):  # in any order; None: a checkpoint without lexicons
        require_same_lexicons(mine, known, "data-bin")
    others = (
        [entries(HELD_OUT, TRAINED), mine[1]],  # another selection of the same entries
        [entries(TRAINED, HELD_OUT, first=5), mine[1]],
        mine[:1],
        [*mine, entries(TRAINED, tgt="dd")],
    )
    for other in others:
        with pytest.raises(XalignError, match=r"not the one that the checkpoint was trained with[\s\S]*data-bin"):
            require_same_lexicons(other, states, "data-bin")
