"""Which engine finds the links, and what it makes of a tool's two directions or of a checkpoint."""

import hashlib
from types import SimpleNamespace

import pytest
from support.links import BACKWARD, DIAGONAL, FORWARD, PAIRS, only_tools

from xalign_fairseq.aligner.tools.engines import CheckpointEngine, LinkedPair, ToolEngine, choose_engine
from xalign_fairseq.aligner.tools.tools import EFLOMAL, FAST_ALIGN
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.links.symmetrize import METHODS, symmetrize
from xalign_fairseq.transport.linking import Linking


@pytest.mark.parametrize("method", METHODS)
def test_an_engine_symmetrises_as_the_function_does(tmp_path, work, monkeypatch, method):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    engine = ToolEngine(FAST_ALIGN, method, work)
    engine.run(iter(PAIRS))
    done = []
    found = list(engine.stream(PAIRS, done.append))
    assert [pair.links for pair in found] == [
        symmetrize(*both, method=method) for both in zip(FORWARD, BACKWARD, strict=True)
    ]
    assert [(pair.src, pair.tgt) for pair in found] == PAIRS and sum(done) == len(PAIRS)
    assert engine.describe() == {
        "name": "fast_align",
        "version": None,
        "commands": ["fast_align -i text -d -o -v > forward", "fast_align -i text -d -o -v -r > backward"],
        "symmetrize": method,
    }


def test_longer_sentences_than_a_tool_takes_are_known(tmp_path, work, monkeypatch):
    program = "open('forward', 'w').write('0-0\\n')\nopen('backward', 'w').write('0-0\\n')"
    only_tools(monkeypatch, tmp_path / "bin", **{"eflomal-align": program})
    pairs = [(["w"] * 1023, ["w"]), (["w"] * 1024, ["w"]), (["w"], ["w"] * 1024)]
    engine = ToolEngine(EFLOMAL, "union", work)
    engine.run(pairs)
    found = list(engine.stream(pairs, [].append))
    assert [pair.too_long for pair in found] == [False, True, True]
    assert [len(pair.links) for pair in found] == [1, 0, 0]


def test_auto_takes_checkpoint_then_eflomal_then_fast_align(tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "both", **{"eflomal-align": "", "fast_align": ""})
    assert choose_engine("auto", "best.pt") == ("checkpoint", "--model best.pt")
    assert choose_engine("auto", None) == ("eflomal", "no checkpoint was given, and eflomal is installed")
    assert choose_engine("fast_align", None) == ("fast_align", "--engine fast_align")
    only_tools(monkeypatch, tmp_path / "one", fast_align="")
    name, why = choose_engine("auto", None)
    assert name == "fast_align" and "eflomal is not installed" in why


def test_without_a_tool_the_packaged_encoder_aligns(tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "none")
    for name in ("auto", "checkpoint"):
        engine, why = choose_engine(name, None)
        assert engine == "checkpoint" and "packaged encoder e5-small" in why
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    for name in ("auto", "checkpoint"):
        with pytest.raises(XalignError, match="e5-small is not installed"):
            choose_engine(name, None)
    with pytest.raises(XalignError, match=r"(?s)eflomal is not installed.*pip install"):
        choose_engine("eflomal", None)
    with pytest.raises(XalignError, match=r"(?s)fast_align is not installed.*build https"):
        choose_engine("fast_align", None)


def test_engine_and_checkpoint_must_agree():
    with pytest.raises(XalignError, match="fast_align does not read a model"):
        choose_engine("fast_align", "best.pt")


def test_a_checkpoint_aligns_by_itself(tmp_path):
    aligned = [
        SimpleNamespace(src=["a"], tgt=["x", "y"], links={(0, 1): 0.5}, too_long=False),
        SimpleNamespace(src=[], tgt=["z"], links={}, too_long=True),
    ]
    told = []

    def stream(pairs, progress):
        assert pairs == PAIRS
        progress(len(aligned))
        return iter(aligned)

    engine = CheckpointEngine(SimpleNamespace(stream=stream), tmp_path / "best.pt")
    engine.run(PAIRS)
    assert list(engine.stream(PAIRS, told.append)) == [
        LinkedPair(["a"], ["x", "y"], frozenset({(0, 1)}), None, False),
        LinkedPair([], ["z"], frozenset(), None, True),
    ]
    assert told == [2]


def test_a_checkpoint_is_described_by_its_content_and_its_labelling(tmp_path):
    (tmp_path / "best.pt").write_bytes(b"weights")
    pairs = SimpleNamespace(embedded=("en", "de"), mapped=None)
    linking = Linking("softmax", {"threshold": 0.5}, (7, 8), "hidden", "joint")
    aligner = SimpleNamespace(pair_encoder=pairs, linking=linking)
    assert CheckpointEngine(aligner, tmp_path / "best.pt").describe() == {
        "name": "checkpoint",
        "file": str(tmp_path / "best.pt"),
        "sha256": hashlib.sha256(b"weights").hexdigest(),
        "layers": [7, 8],
        "similarity": "hidden",
        "encoding": "joint",
        "maps": None,
        "languages": "en-de",
        "method": "softmax",
        "threshold": 0.5,
    }
