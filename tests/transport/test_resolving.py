from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport import resolving
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Softmax, Transport
from xalign_fairseq.transport.resolving import resolve_linking

DEPTH = 12
KNOWN = (
    Linking("argmax", {}, (7,), encoding="separate"),
    Linking("transport", {"filter": "argmax"}, (6, 7), encoding="separate"),
    Linking("transport", {}, (9,), encoding="joint"),
    Linking("argmax", {}, (11,), encoding="joint"),
    Linking("softmax", {"threshold": 0.3}, (5,), encoding="separate"),
)


@pytest.fixture(autouse=True)
def table(monkeypatch):
    monkeypatch.setattr(resolving, "LINKINGS_OF_FAMILY", {"known": KNOWN})


def resolved(family=None, own=None, maps=False, depth=DEPTH, **asked):
    """Method, options, layers and encoding; the similarity is that of hidden states."""
    found = resolve_linking(Linking(**asked), depth, own, family, maps)
    assert found.similarity == "hidden" and found.origin == ("itself" if own else family)
    return found.method, found.options, found.layers, found.encoding


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ("argmax", {}, (7,), "separate")),
        ({"method": "transport"}, ("transport", {"filter": "argmax"}, (6, 7), "separate")),
        ({"method": "transport", "encoding": "joint"}, ("transport", {}, (9,), "joint")),
        (
            {"method": "transport", "options": {"mu": 0.5}},
            ("transport", {"filter": "argmax", "mu": 0.5}, (6, 7), "separate"),
        ),
        (
            {"method": "transport", "options": {"filter": "union"}},
            ("transport", {"filter": "union"}, (6, 7), "separate"),
        ),
        ({"options": {"filter": "itermax"}}, ("transport", {}, (6, 7), "separate")),
        ({"encoding": "joint"}, ("transport", {}, (9,), "joint")),
        ({"encoding": "joint", "options": {"filter": "union"}}, ("transport", {"filter": "union"}, (9,), "joint")),
        ({"layers": (3,)}, ("argmax", {}, (3,), "separate")),
        ({"layers": (1, -1), "method": "softmax"}, ("softmax", {"threshold": 0.3}, (1, 12), "separate")),
        ({"method": "softmax", "options": {"threshold": 0.1}}, ("softmax", {"threshold": 0.1}, (5,), "separate")),
        ({"method": "softmax", "encoding": "joint"}, ("softmax", {}, (8,), "joint")),
        ({"method": "released"}, ("released", {}, (8,), "joint")),
        ({"maps": True}, ("argmax", {}, (7,), "separate")),
        ({"maps": True, "method": "released"}, ("released", {}, (8,), "separate")),
    ],
)
def test_a_family_completes_the_request(asked, expected):
    assert resolved("known", **asked) == expected


def test_without_a_family_the_method_s_defaults():
    for family in (None, "unknown"):
        assert resolved(family) == ("transport", {}, (10,), "joint")
    assert resolved(method="itermax") == ("itermax", {}, (8,), "separate")
    assert resolved(maps=True) == ("transport", {}, (10,), "separate")
    assert resolved(encoding="separate") == ("transport", {}, (10,), "separate")


def test_the_family_has_the_same_depth_in_other_encoders():
    large = 24
    small = 3
    assert resolved("known", depth=large)[2] == (14,)
    assert resolved("known", depth=small, method="transport")[2] == (2,)


def test_a_self_labelled_model_takes_precedence_over_its_family():
    own = Linking.of(Transport(mu=0.4), {"hidden": 4, "pointer": 12})
    assert resolved("known", own) == ("transport", {"mu": 0.4}, (4,), "joint")
    changed = resolved("known", own, options={"filter": "argmax"}, layers=(2,), encoding="separate")
    assert changed == ("transport", {"mu": 0.4, "filter": "argmax"}, (2,), "separate")
    assert resolved("known", own, method="argmax") == ("argmax", {}, (4,), "separate")
    assert resolved("known", own, method="transport") == ("transport", {}, (4,), "joint")
    assert resolved("known", own, maps=True)[3] == "separate"
    assert resolved(None, Linking.of(Transport(), {"hidden": 4}, encoding="separate"))[3] == "separate"


def test_the_pointer_of_the_model_itself():
    own = Linking.of(Transport(), {"hidden": 4, "pointer": 12}, "pointer")
    assert resolve_linking(Linking(), DEPTH, own) == Linking("transport", {}, (12,), "pointer", "joint")
    hidden = resolve_linking(Linking(similarity="hidden"), DEPTH, own)
    assert hidden == Linking("transport", {}, (4,), "hidden", "joint")
    assert resolve_linking(Linking("argmax"), DEPTH, own) == Linking("argmax", {}, (4,), "hidden", "separate")
    # Only transport reads a pointer's scores, and its layer is that of the pointer.
    softmax = Linking.of(Softmax(), {"hidden": 4, "pointer": 12})
    named = resolve_linking(Linking("transport", similarity="pointer"), DEPTH, softmax)
    assert named == Linking("transport", {}, (12,), "pointer", "joint")
    # A pointer that labelled nothing reads joint pairs, by transport.
    usual = resolve_linking(Linking(similarity="pointer"), DEPTH, family="known")
    assert usual == Linking("transport", {}, (9,), "pointer", "joint")


def test_a_resolved_linking_does_not_change():
    own = Linking.of(Transport(mu=0.5, filter="argmax"), {"hidden": 4})
    found = resolve_linking(Linking(), DEPTH, own)
    assert resolve_linking(found, DEPTH, own, "known") == found


def test_unknown_options_and_layers():
    with pytest.raises(XalignError, match="no such option"):
        resolved(options={"threshold": 0.1})
    for option in ("rounds", "alpha"):  # of transport, then, which the family filters by argmax
        with pytest.raises(XalignError, match=f"(?s)the filter argmax has no such option.*{option}"):
            resolved("known", options={option: 1})
    with pytest.raises(XalignError, match="no such layer"):
        resolved(layers=(13,))


@pytest.mark.parametrize(
    ("asked", "scored"),
    [
        ({}, True),
        ({"options": {"threshold": 0.9}}, True),
        ({"encoding": "separate"}, True),
        ({"method": "scored"}, True),
        ({"method": "grow"}, False),
        ({"options": {"filter": "union"}}, False),
        ({"encoding": "joint"}, False),
        ({"layers": (6, 7)}, False),
        ({"similarity": "pointer"}, False),
    ],
)
def test_the_packaged_encoder_has_a_link_scorer(asked, scored):
    found = resolve_linking(Linking(**asked), 12, None, "e5-small", width=384, with_scorer=True)
    assert (found.method == "scored") == scored and (found.layers == (4, 6, 7, 9)) == scored
    if scored:
        assert found.finder.threshold == asked.get("options", {}).get("threshold", 0.45)


def test_no_other_encoder_has_one():
    own = Linking("argmax", {}, (8,), "hidden", "separate")
    assert resolve_linking(Linking(), 12, own, "known", width=384, with_scorer=True).method == "argmax"
    assert resolve_linking(Linking(), 12, None, "known", True, 384, True).method == "argmax"
    assert resolve_linking(Linking(), 12, None, "known", width=384).method == "argmax"
    # of another size
    assert resolve_linking(Linking(), 12, None, "known", width=768, with_scorer=True).method == "argmax"


def test_the_scorer_of_a_checkpoint():
    small = {"width": 16, "scorer": LinkScorer(16, (1, 3), (3,), rank=4, width=8)}
    own = Linking("scored", {"threshold": 0.9, "scorer": "own"}, (1, 3), encoding="separate")
    asked = Linking("scored", {"threshold": 0.9})
    assert resolve_linking(asked, 4, **small) == own
    assert resolve_linking(replace(asked, method=""), 4, **small, with_scorer=True) == own
    assert resolve_linking(Linking(), 4, **small).method == "transport"  # only on request
    assert resolve_linking(Linking(), 4, maps=True, **small, with_scorer=True).method == "transport"
    with pytest.raises(XalignError, match="a link scorer has its own layers"):
        resolve_linking(replace(asked, layers=(2,)), 4, **small)
