"""The command line lists names without importing torch; they are the library's."""

import argparse

import pytest

from xalign_fairseq.aligner import aligner, pair_states
from xalign_fairseq.cli import _aligning, align
from xalign_fairseq.transport import extraction as links
from xalign_fairseq.transport import methods


@pytest.fixture
def choices():
    """What each option of ``xalign align`` may be."""
    parser = argparse.ArgumentParser()
    align.add_arguments(parser)
    return {action.dest: action.choices for action in parser._actions}


def test_choices_are_those_of_the_library(choices):
    assert set(choices["method"]) == methods.METHODS.keys()
    assert set(choices["filter"]) == set(links.FILTERS)
    assert set(choices["encoding"]) == set(pair_states.ENCODINGS)
    assert set(choices["units"]) == set(aligner.UNITS)
    assert set(choices["dtype"]) == set(aligner.DTYPES)


def test_every_option_of_a_method_is_an_option_of_the_command(choices):
    options = {option for kind in methods.METHODS.values() for option in kind.options}
    assert options == {"filter", *_aligning.METHOD_OPTIONS} and options <= choices.keys()


@pytest.mark.parametrize(
    ("text", "layers"),
    [
        ("8", (8,)),
        ("-1", (-1,)),
        ("7,8,9", (7, 8, 9)),
        ("6-9", (6, 7, 8, 9)),
        ("0,2-3", (0, 2, 3)),
        ("-2,-1", (-2, -1)),
    ],
)
def test_layers(text, layers):
    assert _aligning.layer_list(text) == layers


@pytest.mark.parametrize("text", ["", "x", "3-2", "3-3", "1,", "1--2", "2.5"])
def test_no_layers(text):
    with pytest.raises(argparse.ArgumentTypeError, match="must be a layer"):
        _aligning.layer_list(text)
