"""A setting as options of ``xalign align``, which give the same setting again."""

import argparse

import pytest

from xalign_fairseq.aligner.neural.link_setting import LinkSetting, layer_words
from xalign_fairseq.cli._aligning import add_link_arguments, add_model_arguments, layer_list, method_options
from xalign_fairseq.transport.methods import Transport, make_method
from xalign_fairseq.transport.names import METHODS


@pytest.mark.parametrize(
    ("layers", "words"), [((7,), "7"), ((6, 7, 8), "6-8"), ((5, 7), "5,7"), ((8, 7), "8,7"), ((0, 1), "0-1")]
)
def test_layers_as_they_are_given(layers, words):
    assert layer_words(layers) == words and layer_list(words) == layers


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("argmax", {}, "--method argmax"),
        ("itermax", {"rounds": 3}, "--method itermax --rounds 3"),
        ("transport", {}, "--method transport --filter itermax"),
        ("transport", {"filter": "argmax", "mu": 0.5}, "--method transport --filter argmax --mu 0.5"),
        ("softmax", {"threshold": 1e-5}, "--method softmax --threshold 1e-05"),
        ("grow", {"temperature": 0.07}, "--method grow --temperature 0.07 --threshold 0.5"),
        ("ot-unbalanced", {"dustbin": 0.25}, "--method ot-unbalanced --filter argmax --dustbin 0.25"),
    ],
)
def test_a_method_with_what_is_otherwise_than_usual(method, options, words):
    setting = LinkSetting((7, 8), make_method(method, **options), "separate")
    assert " ".join(setting.options()) == f"{words} --layer 7-8 --encoding separate"


def test_options_of_another_filter_are_left_out():
    setting = LinkSetting((7,), Transport(filter="argmax", rounds=3, alpha=0.5), "joint")
    assert " ".join(setting.options()) == "--method transport --filter argmax --layer 7 --encoding joint"


@pytest.mark.parametrize("name", METHODS)
def test_options_give_the_setting_again(name):
    parser = argparse.ArgumentParser()
    add_link_arguments(parser)
    add_model_arguments(parser)
    odd = {"filter": "itermax-paper", "iterations": 7, "mu": 0.3, "order": "rows-first", "rounds": 4, "alpha": 0.6}
    odd |= {"dustbin": 0.7, "threshold": 1 / 3, "temperature": 0.07, "growth": 0.9}
    for options in ({}, {option: odd[option] for option in METHODS[name]}):
        setting = LinkSetting((3,), make_method(name, **options), "joint")
        args = parser.parse_args(setting.options())
        made = make_method(args.method, filter=args.filter, **method_options(args))
        assert LinkSetting(args.layer, made, args.encoding) == setting
