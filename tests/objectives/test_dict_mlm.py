import math
from dataclasses import replace

import pytest
import torch
from support.small import CONFIG
from support.trials import Task, bound

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch, Mono
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.translations import source_tokens
from xalign_fairseq.objectives.dict_mlm import DictMLM
from xalign_fairseq.transport.ops.linear_cross_entropy import linear_cross_entropy

V, MASK = CONFIG.vocab_size, 59
# 5 - 40, 5 - 41, 6 - 42, 7 - 43 44 (several subwords), 8 - 45 held out
LEXICON = Lexicon("aa", "bb", [5, 5, 6, 7, 8], [1] * 5, [40, 41, 42, 43, 44, 45], [1, 1, 1, 2, 1], [0, 0, 0, 0, 1])
TARGETS = torch.tensor([[1, 5, 5, 6, 40, 7, 8, 5, 1]])
MASKED = torch.tensor([[0, MASK, 5, MASK, MASK, MASK, MASK, 20, 9]])
DRAW = torch.tensor([[0.0, 0.1, 0.3, 0.49, 0.2, 0.3, 0.3, 0.8, 0.1]])


class Encoder(StepEncoder):
    """Records its input; logits come from a fixed table of token and position."""

    config = CONFIG

    def __init__(self, heads):
        super().__init__(None, torch.nn.ModuleDict(heads), True, 0)
        torch.manual_seed(0)
        self.table = torch.randn(V, V, dtype=torch.float64)

    def states(self, given):
        self.read, self.languages = given.tokens, given.languages
        return self.table[given.tokens]

    def predicted_states(self, predictions):
        return [self.states(each.input).flatten(0, 1)[each.positions] for each in predictions]

    def lm_losses(self, hidden, labels):
        return linear_cross_entropy(hidden, torch.eye(V).to(hidden), hidden.new_zeros(V), labels)


def run(lexicons=(LEXICON,), embeddings="", row=None, masked=MASKED, targets=TARGETS, draw=DRAW, mask=MASK, **options):
    """The loss and the recorded input; ``row``: of the block's language."""
    config = replace(CONFIG, language_embeddings=embeddings)
    objective = bound(DictMLM(**options), config, Task(lexicons=lexicons, mask=mask))
    encoder = Encoder({"dict_mlm": objective.build_head()})
    predicted = torch.arange(targets.numel())[targets.flatten() != 1]
    rows = None if row is None else torch.full((len(masked),), row)
    mono = Mono(masked, targets, draw, torch.zeros(len(masked), dtype=torch.int64), predicted, False, rows)
    return objective.forward(objective.step(encoder, Batch(mono=mono))), encoder


def cross_entropy(encoder, read, target):
    row = encoder.table[read].tolist()
    return math.log(sum(math.exp(x) for x in row)) - row[target]


def test_released_variant_reads_the_translation_and_predicts_the_original():
    loss, encoder = run(variant="input", prob=0.5)
    # draws below 0.5 read the dictionary; 0.1 / 0.5 and 0.3 / 0.5 select the first and second translation of 5; 40 is 5
    # again; 7 and 8 have none (several subwords, held out) and stay visible; the last 5 is MLM's, whose random token
    # comes from 4 to 39 and 46 to 58: (0.8 - 0.5) / 0.5 of 49, the token at 29 from 0
    read = [0, 40, 41, 42, 5, 7, 8, 33, 9]
    assert encoder.read.tolist() == [read]
    targets = TARGETS[0].tolist()
    expected = sum(cross_entropy(encoder, read[k], targets[k]) for k in range(1, 8))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)
    assert loss.count == 7
    part, whole = loss.stats["translated"]
    assert (part, whole) == (4, 7)


def test_target_variant_predicts_the_translation_of_masked_tokens():
    loss, encoder = run(variant="target", prob=0.5)
    assert encoder.read.tolist() == MASKED.tolist()
    targets = [1, 40, 41, 42, 5, 7, 8, 5, 1]
    expected = sum(cross_entropy(encoder, int(MASKED[0, k]), targets[k]) for k in range(1, 8))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("embeddings", "aa", "bb"), [("aa,bb", 0, 1), ("cc,bb,aa", 2, 1)])
def test_a_translation_in_the_input_has_its_own_languages_embedding(embeddings, aa, bb):
    for block in (aa, bb):
        # 5 5 6 are read in bb, 40 in aa, whatever the block's language; tokens without translation keep the block's
        expected = [block, bb, bb, bb, aa, block, block, block, block]
        assert run(embeddings=embeddings, row=block)[1].languages.tolist() == [expected]
        kept = run(embeddings=embeddings, row=block, translation_language="block")[1]
        assert kept.languages.expand(1, 9).tolist() == [[block] * 9]
        assert run(embeddings=embeddings, row=block, variant="target")[1].languages.tolist() == [[block]]
    assert run()[1].languages is None


def test_the_language_is_that_of_the_dictionary_that_the_translation_is_from():
    both = [LEXICON, Lexicon("aa", "cc", [5], [1], [46], [1], [0])]
    _, encoder = run(both, embeddings="aa,bb,cc", row=0, prob=1.0, draw=torch.full_like(DRAW, 0.9))
    assert encoder.read[0, 1:5].tolist() == [46, 46, 42, 5]
    assert encoder.languages[0, 1:5].tolist() == [2, 2, 1, 0]
    with pytest.raises(XalignError, match=r"no embedding for a language[\s\S]*cc"):
        run(both, embeddings="aa,bb", row=0)
    for options in ({"translation_language": "block"}, {"variant": "target"}):
        run(both, embeddings="aa,bb", row=0, **options)


def test_random_tokens_are_uniform_over_tokens_not_only_on_a_target_side():
    # 5 - 40, 40 - 41 of another dictionary: 40 is on a source side, too
    lexicons = [LEXICON, Lexicon("bb", "cc", [40], [1], [41], [1], [2])]
    expected = [token for token in range(4, 59) if token not in (41, 42, 43, 44, 45)]
    size = 50 * len(expected)
    draw = 0.5 + (torch.arange(size, dtype=torch.float64)[None] + 0.5) / (2 * size)
    targets, masked = torch.full((1, size), 7), torch.full((1, size), 42)
    given = {"lexicons": lexicons, "masked": masked, "targets": targets, "draw": draw}
    assert run(**given)[1].read.unique(return_counts=True)[1].tolist() == [50] * len(expected)
    assert run(**given)[1].read.unique().tolist() == expected
    for options in ({"random_tokens": "all"}, {"variant": "target"}):
        assert run(**given, **options)[1].read.unique().tolist() == [42]
    # Hidden, unchanged or unselected tokens are not changed, nor is the request to the dictionary.
    for tokens, truth in ((MASK, 7), (7, 7), (42, 1)):
        given |= {"masked": torch.full_like(masked, tokens), "targets": torch.full_like(targets, truth)}
        assert run(**given)[1].read.unique().tolist() == [tokens]
    assert run(**given | {"targets": targets, "prob": 1.0})[1].read.unique().tolist() == [7]


def test_the_source_half_of_a_derived_language_is_the_natural_one():
    # ids 4 to 30 belong to the natural language, 31 to 57 to their twins; 58 is shared
    natural = list(range(4, 31))
    twins = [token + 27 for token in natural]
    part = [token % 3 for token in natural]
    lexicon = Lexicon("en", "xx", natural, [1] * 27, twins, [1] * 27, part)
    assert source_tokens([lexicon], V, MASK).tolist() == [*natural, 58]
    assert source_tokens([lexicon], V, 10).tolist() == [*natural[:6], *natural[7:], 58, 59]


def test_lexicons_without_an_entry_for_a_single_token():
    several = Lexicon("aa", "bb", [5, 6], [2], [40], [1], [0])
    held_out = Lexicon("aa", "cc", [7], [1], [41], [1], [1])
    objective = bound(DictMLM(), task=Task(lexicons=[several, held_out]))
    with pytest.raises(XalignError, match="no entry"):
        objective.build_head()


def test_prob_is_the_share_of_looked_up_tokens():
    assert run(variant="input", prob=1.0)[1].read.tolist()[0][7] == 41  # 0.8 selects the second
    assert run(variant="input", prob=0.2)[1].read.tolist()[0][1:4] == [41, 5, MASK]
    for prob in (0.0, 1.5):
        with pytest.raises(XalignError, match="prob"):
            run(prob=prob)
