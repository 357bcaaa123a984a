import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.methods import (
    _CLASSES,
    Cosine,
    Softmax,
    Transport,
    change_method,
    make_method,
    method_label,
)
from xalign_fairseq.transport.names import METHODS


def test_methods_by_name():
    assert [method_label(make_method(name)) for name in METHODS] == [
        "transport-itermax",
        "argmax",
        "itermax",
        "match",
        "softmax",
        "grow",
        "released",
        "scored",
    ]
    assert make_method("transport", filter="union", mu=None) == Transport(filter="union")
    assert make_method("itermax", rounds=4).describe() == {"method": "itermax", "rounds": 4, "alpha": 0.9}
    assert METHODS.keys() == _CLASSES.keys()
    for name, options in METHODS.items():
        assert set(options) <= make_method(name, **dict.fromkeys(options)).state().keys()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("best", {}, "unknown method(.|\n)*best(.|\n)*transport or argmax"),
        ("argmax", {"mu": 0.5}, "argmax has no such option(.|\n)*mu"),
        ("softmax", {"rounds": 3}, "where: rounds"),
        ("softmax", {"threshold": 1.0}, "threshold"),
        ("grow", {"temperature": 0.0}, "temperature(.|\n)*from 0.001"),
        ("grow", {"threshold": 0.0}, "threshold(.|\n)*above 0"),
        ("grow", {"growth": 1.5}, "growth(.|\n)*at most 1"),
        ("itermax", {"alpha": 0.0}, "alpha"),
        ("transport", {"filter": "match"}, "filter(.|\n)*match"),
        ("transport", {"filter": "argmax", "rounds": 3}, "filter argmax has no such option(.|\n)*rounds"),
    ],
)
def test_invalid_names_and_options(name, options, message):
    with pytest.raises(XalignError, match=message):
        make_method(name, **options)
    with pytest.raises(XalignError, match="rule on cosines"):
        Cosine("union")


def test_options_of_a_method_are_changed_one_by_one():
    assert change_method(Transport(mu=0.5), filter="argmax", rounds=None) == Transport(mu=0.5, filter="argmax")
    assert change_method(Cosine("itermax"), rounds=4) == Cosine("itermax", rounds=4)
    with pytest.raises(XalignError, match=r"(?s)softmax has no such option.*mu"):
        change_method(Softmax(), mu=0.5)
    assert change_method(Transport(rounds=3), filter="argmax") == Transport(filter="argmax", rounds=3)
    with pytest.raises(XalignError, match=r"(?s)filter union has no such option.*rounds.*or set filter='itermax'"):
        change_method(Transport(filter="union"), rounds=3)
