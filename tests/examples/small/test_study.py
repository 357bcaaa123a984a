"""Names and places of the study of small encoders's runs, and their scores by hand."""

import pytest

from tests.examples.small.made_up import add, study
from xalign_fairseq.core.errors import XalignError


def test_runs_are_read_by_setting(results):
    found = study.read(results)
    assert {setting: len(mine) for setting, mine in found.items()} == {
        "none": 1,
        "tlm": 3,
        "tlm30": 3,
        "weak": 3,
        "strong": 3,
        "ppa": 3,
        "weam": 3,
    }
    # 88 of 100 links on either side are right: 1 - (88 + 88) / (100 + 100)
    assert found["weak"][0].score("aer") == pytest.approx(0.12)
    assert found["weak"][0].score("accuracy") == pytest.approx(0.9)
    # names with the same beginning are not confused
    add(results, "ppa_mean-1", 1, 1, 1)
    assert len(study.read(results)["ppa"]) == 3 and len(study.read(results)["ppa_mean"]) == 1


@pytest.mark.parametrize("name", ["", "tlm", "tlm-", "tlm-x", "tml-1", "ppa mean-1", "tlm-1-2", "tlm/1"])
def test_a_name_that_is_no_run_is_told(name):
    with pytest.raises(XalignError, match="no such run"):
        study.split_name(name)
