"""Who decides how links are made: the user, then the model, then its family, then what is usual."""

import pytest

from xalign_fairseq.aligner.neural import defaults
from xalign_fairseq.aligner.neural.defaults import FamilyDefaults, FamilyEntry
from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.aligner.neural.precedence import Said, settle
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.methods import Cosine, Dustbin, Released, Softmax, Transport

CONFIG = EncoderConfig(vocab_size=10, encoder_layers=12)
ENTRIES = (
    FamilyEntry("argmax", (7,), "separate"),
    FamilyEntry("transport", (6, 7), "separate", {"filter": "argmax"}),
    FamilyEntry("transport", (9,), "joint"),
    FamilyEntry("argmax", (11,), "joint"),
    FamilyEntry("softmax", (5,), "separate", {"threshold": 0.3}),
)


@pytest.fixture(autouse=True)
def table(monkeypatch):
    monkeypatch.setattr(defaults, "FAMILIES", (FamilyDefaults(("known",), ENTRIES, "made up"),))


def state(family=None, labelling=None):
    labelled = {} if labelling is None else {"labelling": labelling.state()}
    return {"task_state": {**labelled, **({"family": family} if family else {})}}


def settled(said, *of, config=CONFIG):
    found = settle(said, state(*of), config)
    return found.setting, found.similarity, found.origin


@pytest.mark.parametrize(
    ("said", "setting"),
    [
        ({}, ((7,), Cosine(), "separate")),
        ({"method": "transport"}, ((6, 7), Transport(filter="argmax"), "separate")),
        ({"method": "transport", "encoding": "joint"}, ((9,), Transport(), "joint")),
        (
            {"method": "transport", "options": {"mu": 0.5, "rounds": None}},
            ((6, 7), Transport(filter="argmax", mu=0.5), "separate"),
        ),
        ({"method": "transport", "options": {"filter": "union"}}, ((6, 7), Transport(filter="union"), "separate")),
        ({"method": Transport()}, ((6, 7), Transport(), "separate")),
        ({"options": {"filter": "itermax"}}, ((6, 7), Transport(filter="itermax"), "separate")),
        ({"encoding": "joint"}, ((9,), Transport(), "joint")),
        ({"encoding": "joint", "options": {"filter": "union"}}, ((9,), Transport(filter="union"), "joint")),
        ({"layer": 3}, ((3,), Cosine(), "separate")),
        ({"layer": [1, -1], "method": "softmax"}, ((1, 12), Softmax(0.3), "separate")),
        ({"method": "softmax", "options": {"threshold": 0.1}}, ((5,), Softmax(0.1), "separate")),
        ({"method": "softmax", "encoding": "joint"}, ((8,), Softmax(), "joint")),
        ({"method": "released"}, ((8,), Released(), "joint")),
        ({"maps": True}, ((7,), Cosine(), "separate")),
        ({"maps": True, "method": "released"}, ((8,), Released(), "separate")),
    ],
)  # fmt: skip
def test_a_family_completes_what_is_said(said, setting):
    assert settled(Said(**said), "known") == (LinkSetting(*setting), "hidden", "known")


def test_without_a_family_the_method_s_usual():
    for family in (None, "unknown"):
        assert settled(Said(), family) == (LinkSetting((10,), Transport(), "joint"), "hidden", family)
    assert settled(Said(method="itermax"))[0] == LinkSetting((8,), Cosine("itermax"), "separate")
    assert settled(Said(maps=True))[0] == LinkSetting((10,), Transport(), "separate")
    assert settled(Said(encoding="separate"))[0] == LinkSetting((10,), Transport(), "separate")


def test_the_family_has_the_same_depth_in_other_encoders():
    large = EncoderConfig(vocab_size=10, encoder_layers=24)
    small = EncoderConfig(vocab_size=10, encoder_layers=3)
    assert settled(Said(), "known", config=large)[0].layers == (14,)
    assert settled(Said(method="transport"), "known", config=small)[0].layers == (2,)


def test_a_model_that_labelled_itself_goes_before_its_family():
    own = LabelOptions(Dustbin(0.4), {"hidden": 4, "pointer": 12})
    assert settled(Said(), "known", own) == (LinkSetting((4,), Dustbin(0.4), "joint"), "hidden", "itself")
    changed = settled(Said(options={"filter": "itermax"}, layer=2, encoding="separate"), "known", own)
    assert changed[0] == LinkSetting((2,), Dustbin(0.4, filter="itermax"), "separate")
    assert settled(Said(method="argmax"), "known", own)[0] == LinkSetting((4,), Cosine(), "separate")
    assert settled(Said(method="transport"), "known", own)[0] == LinkSetting((4,), Transport(), "joint")
    assert settled(Said(maps=True), "known", own)[0].encoding == "separate"


def test_the_encoding_and_the_pointer_of_the_model_itself():
    separate = LabelOptions(Transport(), {"hidden": 4}, encoding="separate")
    assert settled(Said(), None, separate)[0].encoding == "separate"
    pointer = LabelOptions(Transport(), {"hidden": 4, "pointer": 12}, "pointer")
    assert settled(Said(), "known", pointer)[:2] == (LinkSetting((12,), Transport(), "joint"), "pointer")
    assert settled(Said(similarity="hidden"), "known", pointer)[:2] == (
        LinkSetting((4,), Transport(), "joint"),
        "hidden",
    )
    assert settled(Said(method="argmax"), "known", pointer)[:2] == (LinkSetting((4,), Cosine(), "separate"), "hidden")
    # A pointer that nobody labelled by reads joint pairs, by transport.
    assert settled(Said(similarity="pointer"), "known")[:2] == (LinkSetting((9,), Transport(), "joint"), "pointer")


def test_what_there_is_not():
    for said in (Said(method="none"), Said(method="argmax", options={"filter": "union"})):
        with pytest.raises(XalignError, match="no such"):
            said.check()
    with pytest.raises(XalignError, match="no such option"):
        settled(Said(options={"threshold": 0.1}))
    for option in ("rounds", "alpha"):  # of transport, then, which the family filters by argmax
        with pytest.raises(XalignError, match=f"(?s)filter argmax has no such option.*{option}"):
            settled(Said(options={option: 1}), "known")
    with pytest.raises(XalignError, match="no such layer"):
        settled(Said(layer=13))
