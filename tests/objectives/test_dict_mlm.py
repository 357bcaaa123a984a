import math
from types import SimpleNamespace

import pytest
import torch
from small import CONFIG

from xalign_fairseq.data.batches import Batch, Mono
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.translations import TranslationTable
from xalign_fairseq.errors import XalignError
from xalign_fairseq.objectives.dict_mlm import DictMaskedLanguageModel, DictMlmConfig

V, MASK = CONFIG.vocab_size, 59
# 5 - 40, 5 - 41, 6 - 42, 7 - 43 44 (several subwords), 8 - 45 held out
LEXICON = Lexicon("aa", "bb", [5, 5, 6, 7, 8], [1] * 5, [40, 41, 42, 43, 44, 45], [1, 1, 1, 2, 1], [0, 0, 0, 0, 1])
TARGETS = torch.tensor([[1, 5, 5, 6, 40, 7, 8, 5, 1]])
MASKED = torch.tensor([[0, MASK, 5, MASK, MASK, MASK, MASK, 20, 9]])
DRAW = torch.tensor([[0.0, 0.1, 0.3, 0.49, 0.2, 0.3, 0.3, 0.8, 0.1]])


class Encoder:
    """Keeps what it was given to read; logits are those of a fixed table of the token and its place."""

    def __init__(self, heads):
        self.heads = heads
        torch.manual_seed(0)
        self.table = torch.randn(V, V, dtype=torch.float64)

    def states(self, given):
        self.read = given.tokens
        return SimpleNamespace(layer=lambda layer: self.table[given.tokens])

    def lm_logits(self, hidden):
        return hidden


def run(**options):
    objective = DictMaskedLanguageModel(DictMlmConfig(**options))
    objective.lexicons = [LEXICON]
    encoder = Encoder({"dict_mlm": objective.build_head(CONFIG)})
    mono = Mono(MASKED, TARGETS, DRAW, torch.zeros(1, dtype=torch.int64), torch.arange(1, 8), padded=False)
    return objective.forward(objective.step(encoder, Batch(mono=mono))), encoder


def cross_entropy(encoder, read, target):
    row = encoder.table[read].tolist()
    return math.log(sum(math.exp(x) for x in row)) - row[target]


def test_released_variant_reads_the_translation_and_predicts_the_original():
    loss, encoder = run(variant="input", prob=0.5)
    # asked at draws below 0.5; 0.1 / 0.5 and 0.3 / 0.5 choose the first and second translation of 5; 40 is 5 again;
    # 7 and 8 have none (several subwords, held out) and stay visible; the last 5 is left to MLM
    read = [0, 40, 41, 42, 5, 7, 8, 20, 9]
    assert encoder.read.tolist() == [read]
    targets = TARGETS[0].tolist()
    expected = sum(cross_entropy(encoder, read[k], targets[k]) for k in range(1, 8))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)
    assert loss.count == 7
    part, whole = loss.stats["translated"]
    assert (part, whole) == (4, 7)


def test_target_variant_predicts_the_translation_of_what_mlm_hid():
    loss, encoder = run(variant="target", prob=0.5)
    assert encoder.read.tolist() == MASKED.tolist()
    targets = [1, 40, 41, 42, 5, 7, 8, 5, 1]
    expected = sum(cross_entropy(encoder, int(MASKED[0, k]), targets[k]) for k in range(1, 8))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)


def test_prob_is_the_share_that_is_asked():
    assert run(variant="input", prob=1.0)[1].read.tolist()[0][7] == 41  # 0.8 chooses the second
    assert run(variant="input", prob=0.2)[1].read.tolist()[0][1:4] == [41, 5, MASK]
    for prob in (0.0, 1.5):
        with pytest.raises(XalignError, match="prob"):
            run(prob=prob)
    with pytest.raises(XalignError, match="variant"):
        run(variant="both")


def test_translations_go_both_ways_and_are_chosen_evenly():
    table = TranslationTable([LEXICON, Lexicon("aa", "cc", [5], [1], [46], [1], [0])], V)
    draws = (torch.arange(9) / 9).float()
    found, there = table.translate(torch.full((9,), 5), draws)
    assert found.tolist() == [40, 40, 40, 41, 41, 41, 46, 46, 46] and there.all()
    found, there = table.translate(torch.tensor([42, 45, 43, 0, V - 1]), torch.full((5,), 0.999999))
    assert found.tolist() == [6, 45, 43, 0, V - 1] and there.tolist() == [True, False, False, False, False]


def test_lexicons_without_an_entry_for_a_single_token():
    several = Lexicon("aa", "bb", [5, 6], [2], [40], [1], [0])
    held_out = Lexicon("aa", "cc", [7], [1], [41], [1], [1])
    table = TranslationTable([several, held_out], V)
    found, there = table.translate(torch.arange(V), torch.zeros(V))
    assert found.tolist() == list(range(V)) and not there.any()
    objective = DictMaskedLanguageModel(DictMlmConfig())
    objective.lexicons = [several, held_out]
    with pytest.raises(XalignError, match=r"no entry[\s\S]*1 entries to train on"):
        objective.build_head(CONFIG)
