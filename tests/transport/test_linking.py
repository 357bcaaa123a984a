import json
from dataclasses import replace

import pytest
import torch
from support.damage import damaged
from support.links import random_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Cosine, Softmax, Transport
from xalign_fairseq.transport.pointer import Pointer


@pytest.mark.parametrize(
    "method",
    [
        Transport(mu=0.5, eps=1e-4, filter="itermax-paper", rounds=3),
        Cosine("itermax", alpha=0.8),
        Cosine("argmax"),
        Softmax(0.01),
    ],
)
def test_plain_values_describe_it_completely(method):
    similarity = "pointer" if isinstance(method, Transport) else "hidden"
    layers = {"hidden": 2, "pointer": 3}
    linking = Linking.of(method, layers, similarity)
    state = linking.state()
    assert linking.finder == method and state.keys() == {"method", "layers", "similarity"}
    assert (state["layers"], state["similarity"]) == (layers, similarity)
    assert Linking.from_state(json.loads(json.dumps(state))) == linking and linking.layer == layers[similarity]
    assert linking.pair_encoding == method.encoding
    other = replace(linking, encoding="joint" if method.encoding == "separate" else "separate")
    assert Linking.from_state(json.loads(json.dumps(other.state()))) == other
    assert other.state()["encoding"] == other.pair_encoding != linking.pair_encoding


def test_the_state_is_that_of_checkpoints():
    transport = {"name": "transport", "iterations": 2, "mu": 1.0, "eps": 1e-6, "order": "columns-first"}
    transport |= {"filter": "argmax", "rounds": 2, "alpha": 0.9}
    state = {"method": transport, "layers": {"hidden": 10, "pointer": 12}, "similarity": "hidden"}
    linking = Linking.from_state(state)
    assert linking == Linking("transport", {"filter": "argmax"}, (10,), "hidden", other_layers={"pointer": 12})
    assert linking.state() == state


def test_the_layers_of_all_similarities():
    linking = Linking.of(Transport(), {"hidden": 10, "pointer": 12})
    assert linking.own_layers == {"hidden": 10, "pointer": 12} and linking.of_similarity("hidden") == linking
    pointer = linking.of_similarity("pointer")
    assert pointer == Linking.of(Transport(), {"hidden": 10, "pointer": 12}, "pointer") and pointer.layer == 12
    assert Linking.of(Transport(), {"hidden": 10}).of_similarity("pointer").layers == ()
    assert pointer.with_options(mu=1.0, rounds=None, filter="union") == replace(pointer, options={"filter": "union"})


def test_the_pointer_replaces_dot_products():
    torch.manual_seed(0)
    pointer = Pointer(24)
    torch.nn.init.normal_(pointer.query.weight), torch.nn.init.normal_(pointer.key.weight)
    hidden, spans = random_pairs(2, 6, 8)
    method = Transport(filter="argmax")
    assert method.with_heads(None) is method
    found = method.with_heads(pointer)
    expected = Transport(filter="argmax", measure=pointer.similarity).matrix(hidden, spans)
    assert torch.equal(found.matrix(hidden, spans), expected)
    assert not torch.equal(found.labels(hidden, spans), method.labels(hidden, spans))
    with pytest.raises(XalignError, match=r"(?s)only transport.*softmax"):
        Softmax().with_heads(pointer)
    with pytest.raises(XalignError, match=r"(?s)only transport.*softmax"):
        Linking.of(Softmax(), {"hidden": 2, "pointer": 3}, "pointer")


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("argmax", {}, "argmax"),
        ("itermax", {"rounds": 3}, "itermax rounds 3"),
        ("transport", {}, "transport filter itermax"),
        ("transport", {"filter": "argmax", "mu": 0.5}, "transport filter argmax mu 0.5"),
        ("transport", {"filter": "argmax", "rounds": 3, "alpha": 0.5}, "transport filter argmax"),
        ("softmax", {"threshold": 1e-5}, "softmax threshold 1e-05"),
        ("grow", {"temperature": 0.07}, "grow temperature 0.07 threshold 0.5"),
    ],
)
def test_arguments_list_non_default_values_that_affect_links(method, options, words):
    found = Linking(method, options, (7, 8), encoding="separate").arguments()
    told = " ".join(f"{name} {value}" for name, value in found.items())
    assert told == f"method {words} layer 7-8 encoding separate"


def test_a_malformed_labelling_in_a_checkpoint_is_refused():
    """A wrong type must not give a traceback or wrong links."""
    state = Linking.of(Transport(filter="itermax", mu=0.5), {"hidden": 8, "pointer": 12}, "hidden", "joint").state()
    assert Linking.from_state(state).state() == state
    taken = 0
    for other in damaged(state):
        try:
            taken += bool(Linking.from_state(other).finder)
        except XalignError as error:
            assert "model.pt" not in str(error)
    assert 5 < taken < 40
    wrong = (("layers", {"pointer": 3}, "labelling needs a layer"), ("method", {"name": "x"}, "another version"))
    for part, value, named in wrong:
        with pytest.raises(XalignError, match=named):
            Linking.from_state({**state, part: value}, "model.pt")
