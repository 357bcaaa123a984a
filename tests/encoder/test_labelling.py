"""How the model of a checkpoint labels: as training stored it, or as an earlier version's options tell."""

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.labelling import stored_labelling
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.methods import Dustbin, Transport

CONFIG = EncoderConfig(vocab_size=9, encoder_layers=3, encoder_embed_dim=4, encoder_attention_heads=1)


def earlier(**options):
    return stored_labelling({"model": {}, "cfg": {"criterion": options}}, CONFIG)


def test_what_training_stored_is_read_back():
    options = LabelOptions(Dustbin(0.3), {"hidden": 1, "pointer": 3})
    state = {"task_state": {"labelling": options.state()}, "cfg": {"criterion": {"dwa_label_layer": 2}}}
    assert stored_labelling(state, CONFIG) == options


def test_earlier_checkpoints_tell_by_their_options():
    assert earlier(dwa_label_layer=2, dwa_layer=-1) == LabelOptions(Transport(), {"hidden": 2, "pointer": 3})
    by_pointer = earlier(dwa_label_layer=None, dwa_layer=1, dwa_label_by="pointer")
    assert by_pointer == LabelOptions(Transport(), {"pointer": 1}, "pointer")


def test_models_that_never_labelled():
    assert earlier(objectives="mlm") is None
    assert earlier(objectives="mlm,tlm", dwa_label_layer=None, dwa_layer=-1) is None
    assert earlier(objectives="mlm,dwa", dwa_layer=-1) is not None
    assert stored_labelling({"model": {}}, CONFIG) is None
    assert stored_labelling({"model": {}, "task_state": None, "cfg": {"criterion": None}}, CONFIG) is None


def test_an_objective_whose_weight_is_zero_did_not_label():
    for objectives in ("mlm,tlm,dwa", "mlm, tlm, dwa "):
        options = {"objectives": objectives, "dwa_label_layer": None, "dwa_layer": -1}
        assert earlier(**options, dwa_weight=0.0) is None
        assert earlier(**options, dwa_weight=0.5) == earlier(**options) is not None
