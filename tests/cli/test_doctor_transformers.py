"""What ``xalign doctor`` says of transformers."""

import os

import pytest

from xalign_fairseq.cli import _doctor_transformers


def levels(findings):
    return [finding.level for finding in findings]


def only(findings, level="WRONG"):
    (found,) = [finding for finding in findings if finding.level == level]
    return str(found)


def test_what_breaks_transformers_is_named(tmp_path, versions, monkeypatch):
    pytest.importorskip("transformers")
    (tmp_path / "torchaudio.py").write_text("raise OSError('libtorchaudio.so: undefined symbol: torch_list_size')")
    info = tmp_path / "torchaudio-2.11.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torchaudio\nVersion: 2.11.0\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    versions({"torchaudio": "2.11.0", "torchvision": ""})
    found = _doctor_transformers.transformers()
    assert "undefined symbol: torch_list_size\n        next: pip uninstall -y torchaudio" in only(found)


@pytest.fixture
def transformers_is(tmp_path, monkeypatch, versions):
    """The function that has another transformers be found, made of this code."""

    def put(code):
        (tmp_path / "transformers.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
        versions({"transformers": "5.0", "torchaudio": "", "torchvision": ""})
        return _doctor_transformers.transformers()

    return put


def test_a_transformers_that_loads_and_none(transformers_is, versions):
    (found,) = transformers_is("BertModel = 1")
    assert (found.level, found.text) == ("ok", "5.0")
    versions({"transformers": ""})
    assert _doctor_transformers.transformers() == []


def test_a_transformers_that_is_broken_itself(transformers_is):
    assert "5.0 does not load: ImportError: no such thing" in only(
        transformers_is("raise ImportError('no such thing')")
    )
    assert "5.0 does not load: exit code 3" in only(transformers_is("import os; os._exit(3)"))
