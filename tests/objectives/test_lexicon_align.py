from types import SimpleNamespace

import pytest
import torch
from support.small import CONFIG
from support.trials import Task, bound

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import SentenceEncoder
from xalign_fairseq.objectives.lexicon_align import LexiconAlign

# 5 - 40; 6 - 41 42; 7 8 - 43; 9 - 44 is held out, 10 - 45 not used
FIRST = Lexicon(
    "aa", "bb", [5, 6, 7, 8, 9, 10], [1, 1, 2, 1, 1], [40, 41, 42, 43, 44, 45], [1, 2, 1, 1, 1], [0, 0, 0, 1, 2]
)
SECOND = Lexicon("aa", "cc", [5], [1], [46, 47, 48], [3], [0])
ENTRIES = [([5], [40]), ([6], [41, 42]), ([7, 8], [43]), ([5], [46, 47, 48])]


def trial(lexicons=(FIRST, SECOND), dtype=torch.float64, seed=1, **options):
    torch.manual_seed(0)
    objective = bound(LexiconAlign(**options), task=Task(lexicons=lexicons, seed=seed))
    sentence_encoder = SentenceEncoder(CONFIG).to(dtype)
    torch.nn.init.normal_(sentence_encoder.embed_tokens.weight)
    heads = {"lexicon_align": objective.build_head()}
    encoder = SimpleNamespace(sentence_encoder=sentence_encoder)
    return objective, StepEncoder(encoder, torch.nn.ModuleDict(heads), training=True, update=0)


def loss_of(objective, encoder, update=0):
    encoder.update = update
    return objective.forward(objective.step(encoder, Batch()))


def mean(embeddings, ids):
    return sum(embeddings[i] for i in ids) / len(ids)


def cosine(a, b):
    return (a * b).sum() / ((a * a).sum() * (b * b).sum()).sqrt()


def restatement(embeddings):
    return sum(1 - cosine(mean(embeddings, src), mean(embeddings, tgt)) for src, tgt in ENTRIES)


def test_loss_is_the_equation_over_the_trained_entries_of_all_lexicons():
    objective, encoder = trial()
    loss = loss_of(objective, encoder)
    expected = restatement(encoder.sentence_encoder.embed_tokens.weight).item()
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)
    assert loss.count == 4


def test_gradient_is_that_of_the_papers_minus_cosine():
    objective, encoder = trial()
    embeddings = encoder.sentence_encoder.embed_tokens.weight
    loss_of(objective, encoder).total.backward()
    found = embeddings.grad
    plain = embeddings.detach().clone().requires_grad_()
    (restatement(plain) - len(ENTRIES)).backward()  # - sum cos
    torch.testing.assert_close(found, plain.grad)
    assert not found[[9, 10, 44, 45]].any()  # held out, unused


def test_a_sample_is_drawn_by_seed_and_update_and_is_unbiased():
    objective, encoder = trial(sample=2)
    losses = [loss_of(objective, encoder, step).total.item() / 2 for step in range(2000)]
    assert losses[:200] == [loss_of(objective, encoder, step).total.item() / 2 for step in range(200)]
    other, _ = trial(sample=2, seed=2)
    assert losses[:200] != [loss_of(other, encoder, step).total.item() / 2 for step in range(200)]
    assert sum(losses) / len(losses) == pytest.approx(
        restatement(encoder.sentence_encoder.embed_tokens.weight).item() / 4, rel=0.05
    )
    assert loss_of(objective, encoder).count == 2


def test_an_empty_sample_is_refused():
    with pytest.raises(XalignError, match="sample"):
        trial(sample=0)
