"""What is said of the machine."""

import pytest
import torch


def test_versions_and_devices(gpu_script):
    found = gpu_script("surroundings").look([])
    assert found["torch"] == torch.__version__ and found["cuda"] == torch.version.cuda
    assert (found["device"] is None) == (not torch.cuda.is_available())
    assert found["python"].startswith("3.") and found["cpu"] and found["missing"] == []


def test_modules_that_are_not_there(gpu_script):
    names = ["torch", "torch.nothing", "no_such_module", "no_such_module.inner"]
    assert gpu_script("surroundings").look(names)["missing"] == names[1:]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], None),
        (["apex/__init__.py"], "not NVIDIA's, another package of that name"),
        (["apex/__init__.py", "apex/multi_tensor_apply/__init__.py"], "NVIDIA's, without its compiled extensions"),
        (
            ["apex/__init__.py", "apex/multi_tensor_apply/__init__.py", "amp_C.py"],
            "NVIDIA's, with its compiled extensions",
        ),
    ],
)
def test_apex_is_told_from_its_namesake_without_importing_it(gpu_script, tmp_path, monkeypatch, files, said):
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert gpu_script("surroundings").look([])["apex"] == said


def test_the_driver_is_what_nvidia_smi_says(gpu_script, tmp_path, monkeypatch):
    driver = gpu_script("surroundings").driver
    monkeypatch.setenv("PATH", str(tmp_path))
    assert driver() is None
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho 580.1\necho 580.1\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    assert driver() == "580.1"
