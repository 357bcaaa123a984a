"""Fixtures of the tests of other tools' links."""

import pytest


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
