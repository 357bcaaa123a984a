from pathlib import Path

import pytest

from xalign_fairseq.languages.lexicons.adding import read_entries


@pytest.fixture
def freedict():
    """The folder of real dictionaries, which is not part of the project; tests skip without it."""
    folder = Path(__file__).resolve().parents[4] / "shared" / "data" / "dict" / "freedict"
    if not folder.is_dir():
        pytest.skip("no real dictionaries at ../shared/data/dict")
    return folder


@pytest.fixture
def real(freedict):
    """{headword: [translation]} of the English-Swedish one."""
    by_headword: dict[str, list[str]] = {}
    for headword, translation in read_entries(freedict / "eng-swe.tsv", "auto"):
        by_headword.setdefault(headword, []).append(translation)
    return by_headword
