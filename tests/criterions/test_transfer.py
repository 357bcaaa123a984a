import math
from types import SimpleNamespace

import pytest
import torch
from fairseq import metrics
from support.small import CONFIG, Letters
from support.trials import Task, build_criterion

from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.encoder.mappings import HEAD, LanguageMaps
from xalign_fairseq.models.xalign import XalignModel
from xalign_fairseq.tasks.transfer_dataset import TransferDataset
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.task_record import TaskRecord

EXAMPLES = [
    PairExample("1", "de", "ab", "cde", "no"),
    PairExample("2", "en", "f", "gh ab", "yes"),
    PairExample("3", "de", "a b c d", "e", "yes"),
]


class Transfer:
    """A criterion with its model and its batches, labels no and yes."""

    def __init__(self, **features):
        torch.manual_seed(0)
        spec = TaskRecord("xnli", ("no", "yes"), Limits(32, 8), {}, features)
        family = spec.build_family(Letters())
        self.model = XalignModel(CONFIG).double()
        for parameter in self.model.parameters():
            parameter.data.mul_(8 if parameter.dim() > 1 else 1)
        self.head = spec.build_head(family, CONFIG)
        next(each for each in self.head.modules() if isinstance(each, torch.nn.Dropout)).p = 0.0
        self.model.attach_head(spec.head_name, self.head)
        self.criterion = build_criterion("transfer", Task())
        self.criterion.task = SimpleNamespace(spec=spec, family=family, metric=BENCHMARKS["xnli"].metrics[0])
        self.family = family

    def __call__(self, examples, training=False):
        data = TransferDataset([(each,) for each in examples], self.family, CONFIG, 1, training)
        self.model.train(training)
        return self.criterion(self.model, data.collater(range(len(examples))))

    def logits(self, example):
        """The loss of one example alone, from the state of <s>."""
        [window] = self.family.encode(example).windows
        return self.head.output(self.model.encoder.states(torch.from_numpy(window)[None]).layer(-1)[:, 0])[0]


@pytest.fixture
def transfer():
    return Transfer()


def test_the_loss_is_the_sum_over_examples_and_its_size_their_number(transfer):
    total, size, logs = transfer(EXAMPLES, training=True)
    golds = [("no", "yes").index(example.label) for example in EXAMPLES]
    expected = sum(
        -transfer.logits(example).log_softmax(0)[gold].item() for example, gold in zip(EXAMPLES, golds, strict=True)
    )
    assert total.item() == pytest.approx(expected, rel=1e-10) and size == 3
    assert logs["loss"].item() == total.item() and logs["nsentences"] == 3 and "score/xnli/accuracy/0" not in logs
    total.backward()
    assert all(p.grad.any() for p in transfer.head.parameters())


def test_the_score_is_that_of_all_batches_together_and_not_their_mean(transfer):
    right = [("no", "yes")[int(transfer.logits(each).argmax())] == each.label for each in EXAMPLES]
    chosen = int(transfer.logits(PairExample("4", "en", "h", "h", None)).argmax())
    wrong = PairExample("4", "en", "h", "h", ("yes", "no")[chosen])
    logs = [transfer(examples)[2] for examples in (EXAMPLES, [wrong])]
    assert [logs[0]["score/xnli/accuracy/0"], logs[0]["score/xnli/accuracy/1"]] == [sum(right), 3.0]
    with metrics.aggregate() as found:
        for each in logs:
            transfer.criterion.reduce_metrics([each])
    values = found.get_smoothed_values()
    assert values["score"] == pytest.approx(100 * sum(right) / 4, abs=1e-3)
    total = sum(float(each["loss"]) for each in logs)
    assert values["loss"] == pytest.approx(total / 4 / math.log(2), abs=2e-3)


def test_a_frozen_encoder_is_read_through_its_maps():
    frozen = Transfer(feature_based=True, extra_layers=0)
    plain, *_ = frozen(EXAMPLES)
    maps = LanguageMaps(["de"], "en", CONFIG.encoder_layers, CONFIG.encoder_embed_dim)
    frozen.model.attach_head(HEAD, maps)
    assert frozen(EXAMPLES)[0] == plain  # identities
    with torch.no_grad():
        maps.of("de").mul_(2)
    english, *_ = frozen(EXAMPLES[1:2])
    assert frozen(EXAMPLES)[0] != plain
    frozen.model.heads.pop(HEAD)
    assert frozen(EXAMPLES[1:2])[0] == english  # the pivot's states have no map
    total, *_ = frozen(EXAMPLES, training=True)
    total.backward()
    assert all(parameter.grad is None for parameter in frozen.model.encoder.parameters())


def test_training_logs_no_score(transfer):
    with metrics.aggregate() as found:
        transfer.criterion.reduce_metrics([transfer(EXAMPLES, training=True)[2]])
    assert "score" not in found.get_smoothed_values()
    assert transfer.criterion.logging_outputs_can_be_summed()
