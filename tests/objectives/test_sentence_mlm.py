import numpy as np
import pytest
import torch

import xalign_fairseq
from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.masking import MaskOptions
from xalign_fairseq.data.samples import pair_sample
from xalign_fairseq.data.streams import Pair
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder

xalign_fairseq.register()

from xalign_fairseq.objectives.registry import ObjectiveConfig  # noqa: E402
from xalign_fairseq.objectives.sentence_mlm import SentenceMaskedLanguageModel, predicted_in  # noqa: E402

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=16, encoder_ffn_embed_dim=32, encoder_attention_heads=2
)


def samples(lengths, seed=0, specials=False):
    mask = MaskOptions(mask=59, vocab=60, probability=0.4, specials=specials)
    rngs = [np.random.default_rng((seed, n, m)) for n, m in lengths]
    pairs = [Pair(0, rng.integers(4, 58, n), rng.integers(4, 58, m)) for rng, (n, m) in zip(rngs, lengths, strict=True)]
    return [pair_sample(pair, rng, mask) for pair, rng in zip(pairs, rngs, strict=True)]


def batch(lengths, **options):
    return Batch.from_sample(collate(samples(lengths, **options), []))


@pytest.mark.parametrize("specials", [False, True])
def test_predicted_positions_of_a_side_are_those_of_its_targets(specials):
    bitext = batch(((5, 7), (3, 0), (0, 4), (9, 2)), specials=specials).bitext
    for side in (0, 1):
        expected = (bitext.side(side, "targets") != 1).flatten().nonzero()[:, 0].tolist()
        assert predicted_in(bitext, side).tolist() == expected != []


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return Encoder(CONFIG).double()


def run(encoder, data):
    step = StepEncoder(encoder, torch.nn.ModuleDict(), True, 0)
    objective = SentenceMaskedLanguageModel(ObjectiveConfig())
    return objective.forward(objective.step(step, data))


def test_each_side_is_predicted_from_itself_alone(encoder):
    data = batch(((5, 7), (3, 0), (9, 2)))
    total, count, correct = 0.0, 0, 0
    for row, spans in enumerate(data.bitext.spans.tolist()):
        for start, end in (spans[:2], spans[2:]):
            masked = data.bitext.masked[row, start:end].tolist()
            hidden = encoder.states(torch.tensor([[0, *masked, 2]])).layer(-1)[0]
            for k, target in enumerate(data.bitext.targets[row, start:end].tolist(), start=1):
                if target != 1:
                    logp = encoder.lm_head(hidden[None, k])[0].log_softmax(0)
                    total, count = total - logp[target].item(), count + 1
                    correct += int(logp.argmax() == target)
    loss = run(encoder, data)
    assert count > 5 and loss.count == count
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]


def test_the_other_side_has_no_influence(encoder):
    [pair], [other] = samples(((5, 7),)), samples(((5, 7),))
    start, end = pair.span[2:]
    for each in (pair, other):
        each.targets[start:end] = 1  # the source alone is predicted
    other.masked[start:end] = 30
    loss, same = (run(encoder, Batch.from_sample(collate([each], []))) for each in (pair, other))
    assert loss.total == same.total > 0


def test_chosen_special_tokens_are_not_predicted(encoder):
    data = batch(((5, 7), (4, 4)), seed=2, specials=True)
    ends = data.bitext.spans[:, [1, 3]]
    assert (data.bitext.targets.gather(1, ends) != 1).any()
    inside = sum(
        int((data.bitext.targets[row, a:b] != 1).sum()) + int((data.bitext.targets[row, c:d] != 1).sum())
        for row, (a, b, c, d) in enumerate(data.bitext.spans.tolist())
    )
    assert run(encoder, data).count == inside
