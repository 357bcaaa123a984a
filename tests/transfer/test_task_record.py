import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transfer.families.classification import Classification
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.task_record import TaskRecord

SPEC = TaskRecord("xnli", ("no", "yes"), Limits(32, 8, 1), {}, {"feature_based": True})
CONFIG = EncoderConfig(60, 3, 16, 32, 2)


@pytest.fixture(scope="module")
def family(transfer_encoder):
    state = checkpoint.read(transfer_encoder)
    return SPEC.build_family(load_tokenizer(state, state["model"]["encoder.lm_head.bias"].shape[0]))


@pytest.fixture
def tensors(family):
    """The parameters of a head as a checkpoint holds them, next to those of another head."""
    head = SPEC.build_head(family, CONFIG)
    return {f"heads.transfer_xnli.{key}": value + 1 for key, value in head.state_dict().items()} | {
        "heads.transfer_pos.output.weight": torch.zeros(2)
    }


def test_a_spec_survives_a_checkpoint():
    assert TaskRecord.from_checkpoint({"task_state": {"transfer": SPEC.to_state()}}) == SPEC


@pytest.mark.parametrize("state", [{}, {"task_state": None}, {"task_state": {"tokenizer": {}}}])
def test_a_checkpoint_of_another_task(state):
    with pytest.raises(XalignError, match=r"(?s)not fine-tuned on a transfer task.*where: here"):
        TaskRecord.from_checkpoint(state, "here")


def test_family_and_head_are_those_of_the_task(family):
    assert isinstance(family, Classification) and family.labels == ["no", "yes"] and family.limits == SPEC.limits
    head = SPEC.build_head(family, CONFIG)
    assert head.features.frozen and not TaskRecord("xnli", SPEC.labels).build_head(family, CONFIG).features.frozen


def test_a_head_has_the_checkpoints_weights(family, tensors):
    head = SPEC.build_head(family, CONFIG)
    SPEC.load_head(head, tensors)
    assert all(value.equal(tensors[f"heads.transfer_xnli.{key}"]) for key, value in head.state_dict().items())


@pytest.mark.parametrize("change", ["missing", "unexpected"])
def test_a_head_of_another_task_is_refused(family, tensors, change):
    if change == "missing":
        del tensors[next(iter(tensors))]
    else:
        tensors["heads.transfer_xnli.more"] = torch.zeros(2)
    with pytest.raises(XalignError, match=r"(?s)does not match its task.*where: here"):
        SPEC.load_head(SPEC.build_head(family, CONFIG), tensors, "here")
