"""Packages of objectives outside the package, by their folders."""

import sys

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives import registry
from xalign_fairseq.objectives.registry import OBJECTIVES
from xalign_fairseq.objectives.user_folder import import_folder

CODE = """
from xalign_fairseq.objectives.registry import Objective, register_objective

@register_objective("of_a_folder")
class OfAFolder(Objective):
    def forward(self, step): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "LISTENERS", [])  # or criterions would keep its options
    path = tmp_path / "my_objectives_of_a_test"
    path.mkdir()
    (path / "__init__.py").write_text(CODE)
    yield path
    OBJECTIVES.pop("of_a_folder", None)
    sys.modules.pop(path.name, None)


def test_it_registers_once(folder):
    before = list(sys.path)
    import_folder(str(folder))
    import_folder(f"{folder}/")
    assert "of_a_folder" in OBJECTIVES and sys.path == before


def test_no_package(tmp_path):
    with pytest.raises(XalignError, match="no package"):
        import_folder(str(tmp_path))


def test_a_name_that_another_package_has(folder):
    import_folder(str(folder))
    other = folder.parent / "other" / folder.name
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    with pytest.raises(XalignError, match="imported already"):
        import_folder(str(other))
