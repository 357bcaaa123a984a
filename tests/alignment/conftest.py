"""Fixtures of the alignment tests."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_gold():
    """The folder of real gold links, which is not part of the project; tests skip without it."""
    folder = Path(__file__).resolve().parents[3] / "shared" / "data" / "gold"
    if not folder.is_dir():
        pytest.skip("no real gold links at ../shared/data/gold")
    return folder
