"""Results that the tests of the study and of the report share."""

import pytest

from tests.examples.small.made_up import add


@pytest.fixture
def results(tmp_path):
    """weak is far better than none and TLM, strong and weam far worse than none, ppa and weam like their TLM."""
    add(tmp_path, "none", 20, 30, 40)
    for seed, wobble in ((1, 0), (2, 1), (3, 2)):
        add(tmp_path, f"tlm-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
        add(tmp_path, f"weak-{seed}", 44 + wobble, 90 + wobble, 92 + wobble)
        add(tmp_path, f"strong-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
        add(tmp_path, f"ppa-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
        add(tmp_path, f"tlm30-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
        add(tmp_path, f"weam-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
    return tmp_path
