"""The options of an aligner as one value."""

import pytest

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking


def test_what_is_given_has_the_names_of_the_command_line():
    assert AlignerOptions().given() == {}
    linking = Linking("softmax", {"threshold": 0.1}, (6, 7), encoding="joint")
    options = AlignerOptions(linking, dictionary="dict.txt", maps=True, processes=2)
    assert options.given() == {
        **{"layer": "6-7", "method": "softmax", "threshold": 0.1, "encoding": "joint"},
        **{"maps": True, "processes": 2, "dict": "dict.txt"},
    }


def test_an_option_that_there_is_not():
    assert AlignerOptions.of(units="subword") == AlignerOptions(units="subword")
    with pytest.raises(XalignError, match="no such option") as raised:
        AlignerOptions.of(layer=3)
    assert raised.value.parameters == ("layer",) and "linking" in raised.value.expected
