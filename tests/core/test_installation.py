import os
import sys
from importlib import metadata

import pytest
import torch

from xalign_fairseq.core import installation
from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def versions(monkeypatch):
    """A function that sets the installed versions (empty: missing); pyproject.toml requires three packages."""
    real, asked = installation.version, ["torch>=2.6", "numpy>=2", 'regex; extra == "train"']

    def have(changes):
        monkeypatch.setattr(installation, "version", lambda name: changes.get(name, real(name)))
        monkeypatch.setattr(installation.metadata, "requires", lambda name: asked)

    return have


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"torch": "2.5.1"}, "2.5.1; >=2.6 is needed"),
        ({"torch": "2.10.0+cu130"}, ""),
        ({"numpy": ""}, "not installed; >=2 is needed"),
        ({"regex": ""}, "not installed; it is needed\n        next: pip install 'regex'"),
        ({"fairseq-fixed": "0.12.3"}, f"{installation.FAIRSEQ} is needed"),
        ({"fairseq-fixed": "", "fairseq": "0.12.2"}, "fairseq-fixed is not installed"),
        ({"fairseq": "0.12.2"}, "overwrite each other"),
    ],
)
def test_versions(versions, changes, text):
    versions(changes)
    wrong = [finding.line() for finding in installation.installation() if finding.level == "WRONG"]
    assert len(wrong) == bool(text)
    assert text in "".join(wrong)


def test_without_fairseq_the_error_shows_how_to_install_it(versions):
    versions({"fairseq-fixed": "", "regex": ""})
    found = installation.installation()
    assert "WRONG" not in [finding.level for finding in found]
    (said,) = [finding.line() for finding in found if finding.topic == "fairseq"]
    assert "pip install regex\n" in said and f"--no-build-isolation --no-deps {installation.FAIRSEQ}" in said


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
    finding = installation.apex()
    assert finding.level == level
    assert text in finding.text


@pytest.mark.parametrize("cuda", ["13.0", None])
def test_without_a_gpu_a_smaller_torch_is_suggested(monkeypatch, cuda):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    (found,) = installation.gpus()
    assert found.level == "note"
    assert ("--index-url https://download.pytorch.org/whl/cpu" in found.text) == bool(cuda)


@pytest.mark.parametrize(
    ("code", "problem"),
    [("raise ImportError('no such thing')", "ImportError: no such thing"), ("import os; os._exit(3)", "exit code 3")],
)
def test_a_transformers_that_cannot_be_imported(tmp_path, monkeypatch, versions, code, problem):
    (tmp_path / "transformers.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    versions({"transformers": "5.0"})
    assert f"5.0 does not load: {problem}" in installation.transformers()[0].line()


LINES = ["numpy>=2", "tqdm", 'bitarray>=2.3; extra == "train"', "hydra-core==1.0.7 ; extra == 'train'"]


@pytest.fixture
def packages(monkeypatch):
    """Adds packages, by name and version, to the environment of a package that requires LINES."""

    def put(lines=LINES, fairseq=True, **versions):
        versions |= {"fairseq-fixed": "1.0"} if fairseq else {}

        def version(name):
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(metadata, "requires", lambda name: lines)
        monkeypatch.setattr(metadata, "version", version)

    return put


def test_requirements_are_of_the_package_or_of_an_extra(packages):
    packages()
    assert installation.requirements() == [("numpy", ">=", "2"), ("tqdm", "", "")]
    assert [str(each) for each in installation.requirements("train")] == ["bitarray>=2.3", "hydra-core==1.0.7"]
    packages(lines=None)
    assert installation.requirements() == []


def test_build_tools_are_required_until_fairseq_is_installed(packages):
    lines = ['cython; extra == "train"', 'regex; extra == "train"']
    packages(lines, fairseq=False)
    assert installation.missing_for_training()[0] == ["cython", "regex", "fairseq-fixed"]
    packages(lines, fairseq=True)
    assert installation.missing_for_training() == (["regex"], ["pip install regex"])


def test_missing_packages_are_named_with_install_commands(packages):
    packages(bitarray="3.1", fairseq=False)
    with pytest.raises(XalignError) as error:
        installation.require_fairseq()
    text = str(error.value)
    assert "no hydra-core, fairseq-fixed" in text and "bitarray" not in text
    assert f"pip install hydra-core==1.0.7 && {installation.INSTALL_FAIRSEQ}" in text
