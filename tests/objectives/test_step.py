import pytest
import torch
from support.word_pair_batches import SENTENCES, pair

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss, Objective, Traits


class Reader(Objective):
    """Reads one stream, whatever its needs."""

    name, traits = "reader", Traits(needs=("bitext", "links"))

    def forward(self, step):
        return Loss(step.mono.targets.sum(), torch.tensor(1))


HEAD = torch.nn.Linear(2, 2)
BATCH = Batch.from_sample(collate([pair(*SENTENCES[0])], []))


def encoder(heads, training=True):
    return StepEncoder(None, torch.nn.ModuleDict(heads), training, 7)


def test_an_objective_gets_its_own_head_and_what_it_needs():
    other = torch.nn.Linear(3, 3)
    step = Reader().step(encoder({"reader": HEAD, "other": other}), BATCH)
    assert step.head is HEAD and step.bitext is BATCH.bitext
    assert step.training and step.update == 7
    assert Reader().step(encoder({"other": other}, training=False), BATCH).head is None


def test_a_missing_stream_is_an_error():
    objective = Reader()
    assert objective.step(encoder({}), Batch()) is None
    objective.traits = Traits(needs=("bitext", "mono"))
    assert objective.step(encoder({}), BATCH) is None
    objective.traits = Traits(needs=("lexicon",))  # not a part of a batch
    assert objective.step(encoder({}), Batch()) is not None


def test_a_stream_that_was_not_requested_is_named():
    whole = Batch(BATCH.bitext, mono=object())
    objective = Reader()
    with pytest.raises(XalignError, match=r'did not declare[\s\S]*step\.mono[\s\S]*needs=\("mono", \.\.\.\)'):
        objective.forward(objective.step(encoder({}), whole))
