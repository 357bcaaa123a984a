import json

import pytest
import torch
from support.damage import Foreign

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.huggingface.weights import read_tensors, read_weights, write_tensors

TENSORS = {"a": torch.arange(6.0).view(2, 3), "b": torch.ones(2, dtype=torch.bfloat16), "c": torch.tensor([7])}


def save(path, tensors):
    if path.suffix == ".bin":
        torch.save(tensors, path)
    else:
        write_tensors(path, tensors)


def save_shards(folder, ending, weight_map=None):
    """A file for each tensor, and the index, which may name other ones."""
    stem = {"safetensors": "model", "bin": "pytorch_model"}[ending]
    files = {name: f"{stem}-{name}.{ending}" for name in TENSORS}
    for name, value in TENSORS.items():
        save(folder / files[name], {name: value})
    index = {"weight_map": files if weight_map is None else weight_map}
    (folder / f"{stem}.{ending}.index.json").write_text(json.dumps(index))


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == value.dtype and torch.equal(found[name], value)


def test_safetensors_take_precedence_over_pickles_and_one_file_over_shards(tmp_path):
    save_shards(tmp_path, "bin")
    assert_same(read_weights(tmp_path), TENSORS)
    save(tmp_path / "pytorch_model.bin", {"bin": TENSORS["b"]})
    assert_same(read_weights(tmp_path), {"bin": TENSORS["b"]})
    save_shards(tmp_path, "safetensors")
    assert_same(read_weights(tmp_path), TENSORS)
    save(tmp_path / "model.safetensors", {"safe": TENSORS["b"]})
    assert_same(read_weights(tmp_path), {"safe": TENSORS["b"]})


@pytest.mark.parametrize(
    ("weight_map", "message"),
    [
        ({}, "shards are missing"),
        (["a"], r"index.json[\s\S]*\$\.weight_map"),
        ({"a": 3}, "damaged"),
        ({"a": "../model-a.bin"}, "index of the model's shards is damaged"),
        ({"a": "model-x.bin"}, "shards are missing: model-x.bin"),
    ],
)
def test_no_weights_and_a_damaged_index(tmp_path, weight_map, message):
    (tmp_path / "vocab.txt").touch()
    with pytest.raises(XalignError, match=r"no weights[\s\S]*\['vocab.txt'\][\s\S]*of model.safetensors, model.safe"):
        read_weights(tmp_path)
    save_shards(tmp_path, "bin", weight_map)
    with pytest.raises(XalignError, match=message):
        read_weights(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_a_truncated_file(tmp_path, name):
    save(tmp_path / name, TENSORS)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(XalignError, match=name):
        read_weights(tmp_path)


def test_pickled_code_is_not_run(tmp_path):
    torch.save({"a": Foreign(tmp_path / "trap")}, tmp_path / "x.bin")
    with pytest.raises(XalignError, match="foreign pickled code"):
        read_tensors(tmp_path / "x.bin")
    assert not (tmp_path / "trap").exists()


def test_views_and_shared_storage_are_written(tmp_path):
    whole = torch.arange(12.0).view(3, 4).requires_grad_()
    given = {"tied": whole, "too": whole, "turned": whole.t(), "part": whole[1:]}
    write_tensors(tmp_path / "x.safetensors", given)
    assert_same(read_tensors(tmp_path / "x.safetensors"), {name: value.detach() for name, value in given.items()})
    from safetensors import safe_open

    with safe_open(tmp_path / "x.safetensors", "pt") as stream:
        assert stream.metadata() == {"format": "pt"}


@pytest.mark.parametrize("content", [[1], {"a": torch.ones(1), "step": 3}])
def test_a_pickle_that_is_not_a_state_dict(tmp_path, content):
    torch.save(content, tmp_path / "x.bin")
    with pytest.raises(XalignError, match=r"not a state dict[\s\S]*tensors by their names"):
        read_tensors(tmp_path / "x.bin")
