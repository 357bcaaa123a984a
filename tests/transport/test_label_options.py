"""How a model labels, as a checkpoint holds it, and with a pointer in the place of dot products."""

import json
from dataclasses import replace

import pytest
import torch
from support.links import random_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.label_options import LabelOptions, reading
from xalign_fairseq.transport.methods import Cosine, Dustbin, Softmax, Transport
from xalign_fairseq.transport.pointer import Pointer


@pytest.mark.parametrize(
    "method",
    [
        Transport(mu=0.5, eps=1e-4, filter="itermax-paper", rounds=3, domain="log"),
        Dustbin(0.3, filter="itermax"),
        Cosine("itermax", alpha=0.8),
        Cosine("argmax"),
        Softmax(0.01),
    ],
)
def test_plain_values_tell_all_of_it(method):
    similarity = "pointer" if isinstance(method, Transport) else "hidden"
    options = LabelOptions(method, {"hidden": 2, "pointer": 3}, similarity)
    state = json.loads(json.dumps(options.state()))
    assert LabelOptions.from_state(state) == options and options.layer == {"hidden": 2, "pointer": 3}[similarity]
    other = replace(options, encoding="joint" if options.reads == "separate" else "separate")
    assert LabelOptions.from_state(json.loads(json.dumps(other.state()))) == other and other.reads != options.reads
    assert options.reads == method.encoding


def test_another_version_is_named():
    state = LabelOptions(Transport(), {"hidden": 1}).state()
    for changed in ({"name": "telepathy"}, {"name": "transport", "speed": 3}):
        with pytest.raises(XalignError, match=f"(?s)another version.*{list(changed.values())[-1]}"):
            LabelOptions.from_state({**state, "method": changed})


def test_the_pointer_takes_the_place_of_dot_products():
    torch.manual_seed(0)
    pointer = Pointer(24)
    torch.nn.init.normal_(pointer.query.weight), torch.nn.init.normal_(pointer.key.weight)
    hidden, spans = random_pairs(2, 6, 8)
    method = Transport(filter="argmax")
    assert reading(method, None) is method
    found = reading(method, pointer)
    expected = Transport(filter="argmax", measure=pointer.similarity).matrix(hidden, spans)
    assert torch.equal(found.matrix(hidden, spans), expected)
    assert not torch.equal(found.labels(hidden, spans), method.labels(hidden, spans))
    with pytest.raises(XalignError, match=r"(?s)transport alone.*softmax"):
        reading(Softmax(), pointer)
    with pytest.raises(XalignError, match=r"(?s)transport alone.*ot-unbalanced"):
        LabelOptions(Dustbin(), {"hidden": 2, "pointer": 3}, "pointer")
