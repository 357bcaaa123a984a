"""What is installed, in a made-up environment."""

import importlib.util
from importlib import metadata

import pytest

from xalign_fairseq.core import installed
from xalign_fairseq.core.errors import XalignError

LINES = ["numpy>=2", "tqdm", 'bitarray>=2.3; extra == "train"', "hydra-core==1.0.7 ; extra == 'train'"]


@pytest.fixture
def packages(monkeypatch):
    """Puts packages, by name and version, into the environment of a package that needs LINES."""

    def put(lines=LINES, fairseq=True, **versions):
        def version(name):
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(metadata, "requires", lambda name: lines)
        monkeypatch.setattr(metadata, "version", version)
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if fairseq else None)

    return put


def test_requirements_are_of_the_package_or_of_an_extra(packages):
    packages()
    assert installed.requirements() == [("numpy", ">=", "2"), ("tqdm", "", "")]
    assert [str(each) for each in installed.requirements("train")] == ["bitarray>=2.3", "hydra-core==1.0.7"]
    packages(lines=None)
    assert installed.requirements() == []


def test_what_compiles_fairseq_is_needed_until_it_is_there(packages):
    lines = ['cython; extra == "train"', 'regex; extra == "train"']
    packages(lines, fairseq=False)
    assert installed.missing_for_training()[0] == ["cython", "regex", "fairseq-fixed"]
    packages(lines, fairseq=True)
    assert installed.missing_for_training() == (["regex"], ["pip install regex"])


def test_what_is_missing_is_named_with_the_commands_that_install_it(packages):
    packages(bitarray="3.1", fairseq=False)
    with pytest.raises(XalignError) as error:
        installed.require_fairseq()
    text = str(error.value)
    assert "no hydra-core, fairseq-fixed" in text and "bitarray" not in text
    assert f"pip install hydra-core==1.0.7 && {installed.INSTALL_FAIRSEQ}" in text
