"""A model opened once: its parts, and errors for missing parts."""

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.known import FAMILY
from xalign_fairseq.encoder.pretrained.opening import open_model
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.encoder.pretrained.trimming import TRIMMED
from xalign_fairseq.transport.linking import Linking

LABELLING = Linking("argmax", {}, (1,), "hidden").state()


@pytest.fixture
def stored(tiny_checkpoint, tmp_path):
    """Writes the checkpoint with another task state."""

    def write(**task_state):
        state = torch.load(tiny_checkpoint, weights_only=False)
        state["task_state"].update(task_state)
        torch.save(state, tmp_path / "model.pt")
        return tmp_path / "model.pt"

    return write


def test_the_parts_of_a_model(stored):
    path = stored(labelling=LABELLING, **{FAMILY: "e5-small", TRIMMED: {"to": ["a", "b"]}})
    model = open_model(path)
    assert (model.where, model.family, model.trimmed, model.linking) == (
        path,
        "e5-small",
        ("a", "b"),
        Linking("argmax", {}, (1,), "hidden"),
    )
    assert model.encoder.name == str(path) and not model.encoder.training
    assert model.tokenizer.dictionary.symbols == read_tokenizer(path).dictionary.symbols


def test_missing_parts_raise_errors(stored):
    model = open_model(stored(labelling=None))
    assert model.linking is None
    for missing, message in ((model.maps, "no linear maps"), (model.pointer, "no pointer")):
        if message == "no pointer" and any("pointer" in name for name in model.heads):
            continue
        with pytest.raises(XalignError, match=message):
            missing()
