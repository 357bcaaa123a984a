"""Which settings ``xalign layers`` compares."""

import argparse
from dataclasses import replace
from types import SimpleNamespace

import pytest

from xalign_fairseq.cli._compared import COMPARED, ENCODINGS, METHODS, OF_GROW, compared_settings
from xalign_fairseq.cli.layers import add_arguments
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transport.methods import Dustbin, Softmax, Transport, make_method


@pytest.fixture
def compared():
    """Settings by options and what the aligner is; of an encoder of four layers."""

    def settings(*options, **of):
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        usual = {"origin": None, "pointer": None, "method": Transport(), "layers": (3,), "maps": None}
        about = usual | {"encoding": "joint"} | of
        config = EncoderConfig(vocab_size=10, encoder_layers=4)
        aligner = SimpleNamespace(
            encoder=SimpleNamespace(config=config), origin=about["origin"], pointer=about["pointer"],
            method=about["method"], layers=about["layers"],
            pair_encoder=SimpleNamespace(encoding=about["encoding"], maps=about["maps"]),
        )  # fmt: skip
        return compared_settings(parser.parse_args(["--model", "x", *options]), aligner)

    return settings


def test_without_options_all_that_is_usual(compared):
    found = compared(origin="xlm-r-base")
    methods = [make_method("transport", filter=filter) for filter in COMPARED["filter"]]
    methods += [make_method("argmax"), make_method("itermax"), *map(Softmax, COMPARED["threshold"])]
    methods += [make_method("grow", threshold=threshold) for threshold in OF_GROW["threshold"]]
    expected = [((layer,), method, encoding) for layer in range(5) for encoding in ENCODINGS for method in methods]
    assert found == expected and len(METHODS) == 5


def test_the_help_tells_what_is_compared():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    told = {action.dest: action.help for action in parser._actions}
    assert f"else {', '.join(METHODS)})" in told["method"]
    assert "(default: both; the model's own where its own method is compared;" in told["encoding"]
    low, *_, high = COMPARED["threshold"]
    assert f"(default: seven from {low} to {high}; of grow 0.4, 0.5 and 0.6;" in told["threshold"]
    assert len(COMPARED["threshold"]) == 7 and OF_GROW["threshold"] == (0.4, 0.5, 0.6)
    assert not any("its family's" in str(told[option]) for option in ("method", "encoding"))
    assert all("its family's" not in str(group.title) for group in parser._action_groups)


def test_layers_and_means_of_neighbours(compared):
    def layers(*options):
        return [setting.layers for setting in compared("--method", "argmax", "--encoding", "joint", *options)]

    assert layers("--layer", "1", "-1", "2-3", "0,4", "1") == [(1,), (4,), (2, 3), (0, 4)]
    assert layers("--average", "2", "3")[5:] == [(0, 1), (1, 2), (2, 3), (3, 4), (0, 1, 2), (1, 2, 3), (2, 3, 4)]
    assert layers("--layer", "1", "2", "4", "--average", "2") == [(1,), (2,), (4,), (1, 2)]
    with pytest.raises(XalignError, match="no such layer"):
        layers("--layer", "5")


def test_options_choose_among_the_usual_methods(compared):
    def methods(*options):
        return list(dict.fromkeys(setting.method for setting in compared("--layer", "1", *options)))

    assert methods("--filter", "union", "argmax") == [Transport(filter="union"), Transport(filter="argmax")]
    assert methods("--method", "softmax", "--threshold", "0.1", "0.2", "0.1") == [Softmax(0.1), Softmax(0.2)]
    assert methods("--threshold", "0.1") == [Softmax(0.1), make_method("grow", threshold=0.1)]
    assert methods("--growth", "1") == [make_method("grow", threshold=at, growth=1.0) for at in OF_GROW["threshold"]]
    assert methods("--mu", "0.5", "--filter", "argmax") == [Transport(mu=0.5, filter="argmax")]
    assert methods("--method", "argmax", "ot-unbalanced", "--mu", "0.3", "--filter", "argmax") == [
        make_method("argmax"), Dustbin(mu=0.3)
    ]  # fmt: skip
    assert methods("--rounds", "3") == [
        Transport(rounds=3), Transport(filter="argmax"), make_method("itermax", rounds=3)
    ]  # fmt: skip
    for options in (("--dustbin", "0.3"), ("--filter", "argmax", "--rounds", "3")):
        with pytest.raises(XalignError, match=rf"(?s)use for an option.*{options[-2]}"):
            methods(*options)


def test_a_model_that_labelled_itself_is_compared_by_its_own_method(compared):
    own = {"origin": "itself", "method": Dustbin(0.4, filter="union"), "encoding": "separate"}
    found = compared("--layer", "1", **own)
    assert [setting.method.filter for setting in found] == ["union", "itermax", "argmax"]
    assert {setting.method.dustbin for setting in found} == {0.4} and {each.encoding for each in found} == {"separate"}
    assert len(compared("--layer", "1", "--encoding", "joint", "separate", **own)) == 6
    assert {each.encoding for each in compared("--method", "argmax", **own)} == set(ENCODINGS)
    softmax = compared("--layer", "1", "--threshold", "0.1", "0.2", **own | {"method": Softmax(0.5)})
    assert [setting.method for setting in softmax] == [Softmax(0.1), Softmax(0.2)]
    changed = compared("--layer", "1", "--alpha", "0.5", "--mu", "0.2", **own)
    methods = [Dustbin(0.4, mu=0.2, filter=filter) for filter in ("union", "itermax", "argmax")]
    assert [setting.method for setting in changed] == [methods[0], replace(methods[1], alpha=0.5), methods[2]]
    with pytest.raises(XalignError, match=r"(?s)use for an option.*--order"):
        compared("--layer", "1", "--order", "rows-first", **own)


@pytest.mark.parametrize(("bound", "encoding"), [({"pointer": 1}, "joint"), ({"maps": 1}, "separate")])
def test_pointers_and_maps_leave_no_choice_of_encodings(compared, bound, encoding):
    found = compared("--method", "transport", encoding=encoding, **bound)
    assert {setting.encoding for setting in found} == {encoding}
    assert {setting.layers for setting in found} == ({(3,)} if "pointer" in bound else {(at,) for at in range(5)})
