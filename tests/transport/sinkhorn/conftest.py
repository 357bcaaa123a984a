import pytest
from support import gpu_device

from xalign_fairseq.transport.sinkhorn import backend, building

SOURCE = """
#include "value.h"
#include <cstddef>
extern "C" int value() { return VALUE; }
extern "C" const char* xalign_cuda_probe(int device) { return device ? "no such device" : NULL; }
"""


@pytest.fixture
def native(tmp_path, monkeypatch):
    """The folder of small native sources that stand for Sinkhorn's; the cache is ``tmp_path / "cache"`` and empty."""
    folder = tmp_path / "csrc"
    folder.mkdir()
    (folder / "value.h").write_text("#define VALUE 42\n")
    for name in ("cpu.cpp", "cuda.cu"):
        (folder / name).write_text(SOURCE)
    monkeypatch.setattr(building, "SOURCE_FOLDER", folder)
    monkeypatch.setattr(building, "PREBUILT_FOLDER", tmp_path / "lib")
    monkeypatch.setenv("XALIGN_CACHE", str(tmp_path / "cache"))
    for variable in ("CXX", "CUDA_HOME", "TORCH_CUDA_ARCH_LIST"):
        monkeypatch.delenv(variable, raising=False)
    built = building.built  # tests may replace it
    built.cache_clear()
    yield folder
    built.cache_clear()


@pytest.fixture(params=["cpu", pytest.param(gpu_device.ON, marks=pytest.mark.gpu, id="gpu")])
def on(request):
    """The device of the operator."""
    with backend.using(request.param):
        yield request.param
