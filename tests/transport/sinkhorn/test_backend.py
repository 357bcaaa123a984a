import logging

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn import backend, building
from xalign_fairseq.transport.sinkhorn.backend import chosen, decide, select, selected, using


@pytest.fixture(autouse=True)
def undecided(native, monkeypatch):
    """Reset all choices before and after."""
    monkeypatch.setattr(backend, "_selected", "auto")
    for function in (decide, backend.fault_of):
        function.cache_clear()
    yield
    for function in (decide, backend.fault_of):
        function.cache_clear()


@pytest.fixture
def said(caplog):
    """What was logged at level INFO."""
    caplog.set_level(logging.INFO, backend.__name__)
    return lambda: [record.getMessage() for record in caplog.records if record.name == backend.__name__]


@pytest.fixture
def gpu(monkeypatch):
    """A GPU of a compute capability, or none; the CUDA library's probe answers with ``message``."""

    def pretend(capability=None, message=None):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: capability is not None)
        monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: capability)
        record = {"compiler": "nvcc 13.0", "target": "80+PTX 90a"}
        monkeypatch.setattr(building, "built", lambda kind: building.Built(None, None, record))
        monkeypatch.setattr(building, "cuda_fault", lambda index: message)

    return pretend


@pytest.mark.parametrize("tensor", [torch.zeros(2, dtype=torch.float64), torch.zeros(2, device="meta")])
def test_only_auto_falls_back_to_the_reference_without_an_operator(tensor, said):
    assert chosen(tensor) == "reference"
    assert "reference" in said()[0]
    with using("cpu"), pytest.raises(XalignError, match=r"backend cpu[\s\S]*sinkhorn_backend"):
        chosen(tensor)


def test_auto_logs_its_choice_once(said):
    for _ in range(3):
        chosen(torch.zeros(2))
    assert said() == ["Sinkhorn on cpu, float32: cpu, the compiled operator"]


def test_auto_logs_once_why_it_uses_the_reference(said, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert [chosen(torch.zeros(2)) for _ in range(3)] == ["reference"] * 3
    (line,) = said()
    assert line.startswith("Sinkhorn on cpu, float32: reference, because") and "no C++ compiler; where: $CXX" in line


def test_any_compiler_failure_falls_back_to_the_reference(said, monkeypatch, tmp_path):
    (tmp_path / "compiler").write_bytes(b"\0 is no program")
    (tmp_path / "compiler").chmod(0o755)
    monkeypatch.setenv("CXX", str(tmp_path / "compiler"))
    assert chosen(torch.zeros(2)) == "reference" and "format error" in said()[0]
    with pytest.raises(XalignError, match="format error"):
        select("cpu")


def test_a_selection_ends_with_its_block():
    with pytest.raises(RuntimeError), using("reference"):
        assert selected() == "reference"
        raise RuntimeError
    assert selected() == "auto"
    with using("reference"):
        with using("auto"):
            pass
        assert selected() == "reference"


def test_an_unavailable_explicit_backend_is_an_immediate_error(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    for _ in range(2):
        with pytest.raises(XalignError, match=r"no C\+\+ compiler"):
            select("cpu")
    assert selected() == "auto"
    with pytest.raises(XalignError, match="auto or reference or cpu or cuda"):
        select("gpu")


@pytest.mark.parametrize(
    ("capability", "message", "fault"),
    [
        (None, None, "no GPU is available"),
        ((7, 5), None, "7.5"),
        (
            (9, 0),
            "CUDA driver version is insufficient",
            "(?s)nvcc 13.0, compiled for 80.*driver version is insufficient",
        ),
    ],
)
def test_what_cuda_lacks(gpu, said, capability, message, fault):
    gpu(capability, message)
    with pytest.raises(XalignError, match=fault):
        select("cuda")
    choice, why = decide("auto", "cuda", 0, torch.float32)
    assert choice == "reference" and (message or fault) in why and said()


@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
def test_cuda_with_nothing_missing(gpu, capability):
    gpu(capability)
    select("cuda")
    assert decide("cuda", "cuda", 0, torch.bfloat16)[0] == decide("auto", "cuda", 0, torch.float16)[0] == "cuda"
    with pytest.raises(XalignError, match="float64 on cuda"):
        decide("cuda", "cuda", 0, torch.float64)


def test_a_compiled_graph_holds_the_choice_and_changes_with_it():
    def double(tensor):
        return tensor * 2 if chosen(tensor) == "cpu" else tensor * 0

    compiled = torch.compile(double, backend="eager", fullgraph=True)
    assert compiled(torch.ones(2)).tolist() == [2, 2]
    with using("reference"):
        assert compiled(torch.ones(2)).tolist() == [0, 0]
    assert compiled(torch.ones(2)).tolist() == [2, 2]
