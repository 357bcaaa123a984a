"""Which families there are, and options that name none."""

import pytest

from xalign_fairseq.encoder.bodies.families import BODIES, find_body, read_settings
from xalign_fairseq.errors import XalignError


def test_a_family_is_found_by_its_model_type():
    assert all(find_body(name, "config.json").model_type == name for name in BODIES)


@pytest.mark.parametrize("given", ["llama", None, 3, ["mt5"]])
def test_another_architecture_is_refused_with_those_that_there_are(given):
    with pytest.raises(XalignError, match="modernbert, eurobert, mt5, m2m_100, deberta-v2"):
        find_body(given, "config.json")


@pytest.mark.parametrize("given", ["{", "[]", "{}", '{"model_type": "mt5"}', '{"model_type": "mt5", "d_model": "x"}'])
def test_a_damaged_option_is_refused(given):
    with pytest.raises(XalignError):
        read_settings(given, "--transformers-config")
