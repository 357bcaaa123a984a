import shutil
import sys
import types

import huggingface_hub
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.huggingface import locate
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


@pytest.fixture
def cached(folder, tmp_path, monkeypatch):
    """The folder in the hub's cache as org/name, in two revisions, of which ``main`` is the second."""
    home = tmp_path / "home"
    model = home / "hub/models--org--name"
    for revision in ("aaa", "bbb"):
        shutil.copytree(folder, model / "snapshots" / revision)
    (model / "refs").mkdir()
    (model / "refs/main").write_text("bbb")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(home / "hub"))
    return model


@pytest.fixture
def hub(monkeypatch):
    """A hub with some files, without a network; it records requests."""
    asked = []
    files = ["config.json", "model.safetensors", "pytorch_model.bin", "tokenizer.json", "onnx/model.onnx"]
    fake = types.ModuleType("huggingface_hub")
    fake.constants = huggingface_hub.constants
    fake.model_info = lambda name, timeout=None: types.SimpleNamespace(
        siblings=[types.SimpleNamespace(rfilename=file) for file in files]
    )
    fake.snapshot_download = lambda name, allow_patterns=None: asked.append((name, allow_patterns)) or "/downloaded"
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    fake.asked, fake.files = asked, files
    return fake


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("xlm-roberta-base", True), ("FacebookAI/xlm-roberta-base", True), ("sentence-transformers/LaBSE", True),
        ("runs/checkpoint_best.pt", False), ("a/b/c", False), ("/tmp/x", False), ("../x", False), ("", False),
        ("model.safetensors", False), ("gold.npz", False),
    ],
)  # fmt: skip
def test_names_of_the_hub(path, expected):
    assert locate.is_hub_name(path) is expected


def test_folders_of_the_cache(cached):
    assert read_pretrained(cached)[1] == cached / "snapshots/bbb"
    assert read_pretrained(cached / "snapshots/aaa")[1] == cached / "snapshots/aaa"
    (cached / "refs/main").unlink()
    with pytest.raises(XalignError, match=r"no main revision[\s\S]*aaa, bbb"):
        read_pretrained(cached)
    shutil.rmtree(cached / "snapshots/aaa")
    assert read_pretrained(cached)[1].name == "bbb"


@pytest.mark.parametrize("lacks", ["config.json", "model.safetensors", "sentencepiece.bpe.model"])
def test_a_cache_that_is_not_complete_is_completed(cached, hub, lacks):
    (cached / "snapshots/bbb" / lacks).unlink()
    for name in ("tokenizer.json", "vocab.txt"):
        (cached / "snapshots/bbb" / name).unlink(missing_ok=True)
    assert str(locate.find_on_hub("org/name")) == "/downloaded"
    assert [name for name, _ in hub.asked] == ["org/name"]


def test_only_required_files_are_downloaded(hub, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    locate.find_on_hub("org/name")
    patterns = hub.asked[0][1]
    assert {"config.json", "vocab.txt", "sentencepiece.bpe.model", "model.safetensors"} < set(patterns)
    assert not any("bin" in pattern or pattern.startswith("*") for pattern in patterns)
    hub.files.remove("model.safetensors")
    locate.find_on_hub("org/name")
    assert "pytorch_model.bin" in hub.asked[1][1] and "model.safetensors" not in hub.asked[1][1]


def test_an_unavailable_model(hub, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))

    def refuse(*args, **kwargs):
        raise OSError("no route to host\nand more")

    hub.model_info = refuse
    with pytest.raises(XalignError, match=r"neither on this machine[\s\S]*org/name\n  found: no route to host\n"):
        read_pretrained("org/name")


def test_a_mistyped_path_is_not_looked_up_and_a_mistyped_name_once(hub, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs/first").mkdir(parents=True)
    asked = []
    hub.model_info = lambda name, **_: asked.append(name) or (_ for _ in ()).throw(OSError("not found"))
    with pytest.raises(XalignError, match=r"does not exist[\s\S]*found: only similar names: runs/first"):
        read_pretrained("runs/frist")
    with pytest.raises(XalignError, match=r"does not exist[\s\S]*found: only similar names: runs"):
        read_pretrained("rnus/checkpoint_best.pt")
    assert not asked
    with pytest.raises(XalignError, match=r"neither on this machine[\s\S]*found: only similar names: runs; not found"):
        read_pretrained("rnus")
    with pytest.raises(XalignError, match=r"neither on this machine[\s\S]*found: not found"):
        read_pretrained("runs/whatever")  # no file has this name: perhaps an organisation's
    assert asked == ["rnus", "runs/whatever"]


def test_a_name_is_found_in_the_cache(cached, hub):
    state, where = read_pretrained("org/name")
    assert where == cached / "snapshots/bbb" and "encoder.lm_head.bias" in state["model"]
    assert not hub.asked
