import json

import pytest
from support import operators
from support.processes import program

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport import diagnosis
from xalign_fairseq.transport.ops import products
from xalign_fairseq.transport.sinkhorn import building, toolchain
from xalign_fairseq.transport.sinkhorn.toolchain import LIBRARY, RECORD

nothing_decided = operators.nothing_decided


@pytest.fixture
def findings(nothing_decided, monkeypatch, tmp_path):
    """The findings by topic for an installation that has compiled nothing yet."""
    monkeypatch.setattr(building, "PREBUILT_FOLDER", tmp_path / "lib")
    return lambda: {finding.topic: finding for finding in diagnosis.sinkhorn()}


def test_a_machine_with_compilers(findings, monkeypatch, tmp_path):
    nvcc = program(tmp_path / "bin/nvcc", "echo 'Cuda compilation tools, release 12.9, V12.9.41'")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    found = findings()
    assert found["nvcc"].level == "ok" and found["nvcc"].text == f"12.9 at {nvcc}"
    assert found["C++ compiler"].level == "ok"
    assert found["Sinkhorn on cpu"].level == "ok" and str(building.built("cpu").folder) in found["Sinkhorn on cpu"].text


def test_a_machine_without_compilers(findings, monkeypatch, tmp_path):
    def none():
        raise XalignError("no nvcc was found")

    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "find_nvcc", none)  # one may be in /usr/local/cuda
    found = findings()
    assert found["C++ compiler"].level == found["nvcc"].level == found["Sinkhorn on cpu"].level == "note"
    assert found["nvcc"].line().endswith("nvcc: no nvcc was found")
    assert (
        found["Sinkhorn on cpu"].text.startswith("the reference in torch, because")
        and "$PATH" in found["Sinkhorn on cpu"].text
    )


def test_a_library_built_with_the_package_from_other_sources(findings, tmp_path):
    folder = tmp_path / "lib/cpu"
    folder.mkdir(parents=True)
    (folder / LIBRARY).touch()
    (folder / RECORD).write_text(json.dumps({"digest": "0", "needs": []}))
    finding = findings()["prebuilt for cpu"]
    assert finding.level == "note" and "other sources" in finding.text


def test_the_library_of_float32_products_has_its_reason(monkeypatch):
    monkeypatch.setattr(products, "chosen", lambda: products.Libraries("onednn", "onednn", "since it is"))
    found = diagnosis.linear_products()
    assert found.level == "ok" and found.text == "onednn, since it is"
